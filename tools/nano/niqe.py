"""Fit NIQE's Gaussian of pristine photos: the model `niqe`'s parameters.

The shipped ones were fitted to photos with a longer side of 1536 pixels at most, at commit 36141d51.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
from PIL import Image

from qbench.models.niqe import PatchGaussian, patch_features
from tools.nano.options import Options
from tools.nano.photos import read_photos

_SHARP = 0.75
"""Pristine patches count if they are at least this sharp, relative to the sharpest of their image (the paper's T)."""


def fit_niqe(options: Options) -> None:
    """Fit to every photo below a folder and write the parameters as JSON.

    Raises:
        UserError: No folder, or too few photos.
    """
    images = read_photos(options.photos).images
    fitted = fit_pristine(images)
    document = {
        "source": options.photos.name,
        "photos": len(images),
        "mean": np.round(fitted.mean, 7).tolist(),
        "covariance": np.round(fitted.covariance, 9).tolist(),
    }
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(document) + "\n", encoding="utf-8")


def fit_pristine(images: Sequence[Image.Image]) -> PatchGaussian:
    """The Gaussian of the sharp patches of undistorted photos."""
    sharp = []
    for image in images:
        features, sharpness = patch_features(image)
        keep = (sharpness > _SHARP * sharpness.max()) & np.all(np.isfinite(features), axis=1)
        sharp.append(features[keep])
    rows = np.concatenate(sharp)
    return PatchGaussian(rows.mean(axis=0), np.cov(rows, rowvar=False))
