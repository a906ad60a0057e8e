"""What is seen of a photo, as one vector: the stages of the network at two scales, then natural-scene statistics."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from qbench.errors import DataError
from qbench.models.iqa.backbone import Pixels, network_features
from qbench.models.iqa.statistics import scene_statistics

LONGEST_SIDE = 1024
"""A larger photo is reduced to this: people who rated photos saw them on a screen."""
SHORTEST_SIDE = 16
_MIRRORED_TO = 64
"""Pixels a side that the network's last stages need."""


def photo_features(model: Any, image: Image.Image) -> NDArray[np.float32]:
    """The features of a photo, as training made them of crops.

    Raises:
        DataError: The photo is too small to have any.
    """
    if min(image.size) < SHORTEST_SIDE:
        raise DataError(f"nano-iqa needs {SHORTEST_SIDE} pixels a side, not {image.width} × {image.height}")
    pixels = shown_pixels(image)
    return np.concatenate([network_features(model, [pixels])[0], scene_statistics(pixels)])


def shown_pixels(image: Image.Image) -> Pixels:
    """The photo as it is looked at: at most `LONGEST_SIDE` long; one of a few pixels is continued as in a mirror."""
    if max(image.size) > LONGEST_SIDE:
        image = image.copy()
        image.thumbnail((LONGEST_SIDE, LONGEST_SIDE), Image.Resampling.LANCZOS, reducing_gap=3.0)
    pixels = np.asarray(image)
    missing = [max(_MIRRORED_TO - side, 0) for side in pixels.shape[:2]]
    return np.pad(pixels, ((0, missing[0]), (0, missing[1]), (0, 0)), "symmetric") if any(missing) else pixels
