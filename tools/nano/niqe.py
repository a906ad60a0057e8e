"""Fit NIQE's Gaussian of pristine photos: the model `niqe`'s parameters."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
from PIL import Image

from qbench.errors import UserError
from qbench.models.niqe import PATCH, PatchGaussian, patch_features
from tools.nano.options import Options
from tools.nano.photos import pictures_below

_SHARP = 0.75
"""Pristine patches count if they are at least this sharp, relative to the sharpest of their image (the paper's T)."""
_LONG_SIDE = 1536
"""Photos are reduced to this: a wallpaper enlarged from a smaller original is no longer pristine at full size."""


@dataclass(frozen=True, kw_only=True)
class NiqeOptions(Options):
    """What to fit to."""

    source: str = ""
    """What the photos are, for the file's reader."""


def fit_niqe(options: NiqeOptions) -> None:
    """Fit to every photo below a folder and write the parameters as JSON.

    Raises:
        UserError: No folder, or too few photos.
    """
    images = []
    for _, image in pictures_below(options.photos):
        image = image.copy()
        image.thumbnail((_LONG_SIDE, _LONG_SIDE), Image.Resampling.LANCZOS)
        if min(image.size) >= 2 * PATCH:
            images.append(image)
    if len(images) < 10:
        raise UserError(f"{options.photos} holds {len(images)} photos of {2 * PATCH} pixels or more; NIQE needs 10")
    fitted = fit_pristine(images)
    document = {
        "source": options.source or options.photos.name,
        "photos": len(images),
        "mean": np.round(fitted.mean, 7).tolist(),
        "covariance": np.round(fitted.covariance, 9).tolist(),
    }
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(document) + "\n", encoding="utf-8")


def fit_pristine(images: list[Image.Image]) -> PatchGaussian:
    """The Gaussian of the sharp patches of undistorted photos."""
    sharp = []
    for image in images:
        features, sharpness = patch_features(image)
        keep = (sharpness > _SHARP * sharpness.max()) & np.all(np.isfinite(features), axis=1)
        sharp.append(features[keep])
    rows = np.concatenate(sharp)
    return PatchGaussian(rows.mean(axis=0), np.cov(rows, rowvar=False))
