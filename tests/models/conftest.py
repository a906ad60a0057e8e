"""Checkpoints and pictures shared by the tests of the model backends; each checkpoint is built when first asked for."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from qbench.images import open_picture
from qbench.models import Model, open_model
from qbench.records import Picture

SIZES = ((40, 30), (30, 60), (64, 64), (90, 31), (28, 28), (57, 120))


@pytest.fixture(scope="session")
def folder_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Kind of architecture -> folder of a tiny checkpoint; read-only, copy it before changing anything."""
    import torch

    from tests.models import tiny

    torch.set_num_threads(1)  # layers this small only wait for each other on more, and sums change their last digits
    return cache(lambda kind: tiny.build(kind, tmp_path_factory.mktemp(kind)))


@pytest.fixture
def llava(folder_of: Callable[[str], Path], tmp_path: Path) -> Path:
    """A checkpoint of its own for a test that changes it."""
    return Path(shutil.copytree(folder_of("llava"), tmp_path / "my-llava"))


@pytest.fixture(scope="session")
def opened(folder_of: Callable[[str], Path]) -> Callable[[str], Model]:
    """Kind of architecture -> the tiny checkpoint, opened the way the command line does."""
    return cache(lambda kind: open_model(str(folder_of(kind))))


@pytest.fixture
def damaged(tmp_path: Path) -> Picture:
    """A picture whose file has broken off since it was opened."""
    path = tmp_path / "damaged.png"
    Image.new("RGB", (64, 64)).save(path)
    picture = open_picture(path)
    path.write_bytes(path.read_bytes()[:60])
    return picture


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> list[Picture]:
    """Noise in several sizes and shapes."""
    folder = tmp_path_factory.mktemp("pictures")
    random = np.random.default_rng(7)
    for number, (width, height) in enumerate(SIZES):
        pixels = random.integers(0, 256, (height, width, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(folder / f"{number}.png")
    return [open_picture(folder / f"{number}.png") for number in range(len(SIZES))]
