"""Photos to train on in tests: the demo sets' own, made larger; what ships is never trained on them."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

import qbench.datasets.demo as demo
from tests.models.conftest import folder_of  # noqa: F401 - a fixture

HELD_OUT = 4


@pytest.fixture(scope="session")
def photo_folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Photos to train on, and others."""
    root = tmp_path_factory.mktemp("photos")
    paths = sorted(demo.PHOTOS.glob("*.jpg"))
    for number, path in enumerate(paths):
        folder = root / ("held-out" if number < HELD_OUT else "train")
        folder.mkdir(exist_ok=True)
        with Image.open(path) as image:
            image.resize((image.width * 2, image.height * 2), Image.Resampling.LANCZOS).save(folder / path.name)
    return root / "train", root / "held-out"
