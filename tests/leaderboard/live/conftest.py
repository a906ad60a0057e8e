from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from qbench.images import open_picture
from qbench.records import Picture


@pytest.fixture
def photos(tmp_path: Path) -> list[Picture]:
    """A sharp picture and a flat one, which the scripted model tells apart."""
    grid = np.indices((64, 64)).sum(axis=0) % 2 * 255
    for name, pixels in (("sharp", grid), ("flat", np.full((64, 64), 90))):
        Image.fromarray(pixels.astype(np.uint8)).save(tmp_path / f"{name}.png")
    return [open_picture(tmp_path / f"{name}.png") for name in ("sharp", "flat")]
