"""Fit NIQE's Gaussian of pristine photos: `python -m qbench train niqe --photos DIR --out FILE`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from PIL import Image

from qbench.errors import UserError
from qbench.images import load_pixels, open_picture
from qbench.models.niqe import PATCH, fit_pristine

_LONG_SIDE = 1536
"""Photos are reduced to this: a wallpaper enlarged from a smaller original is no longer pristine at full size."""


def train_niqe(photos: Path, out: Path, source: str) -> int:
    """Fit to every JPEG and PNG below a folder and write the parameters; returns how many photos were used."""
    paths = sorted(path for path in photos.rglob("*") if path.suffix.lower() in (".jpg", ".jpeg", ".png"))
    images = []
    for path in paths:
        image = load_pixels(open_picture(path)).copy()
        image.thumbnail((_LONG_SIDE, _LONG_SIDE), Image.Resampling.LANCZOS)
        if min(image.size) >= 2 * PATCH:
            images.append(image)
    if len(images) < 10:
        raise UserError(
            f"{photos} holds {len(images)} photos of at least {2 * PATCH} pixels a side; NIQE needs 10 or more"
        )
    fitted = fit_pristine(images)
    document = {
        "source": source,
        "photos": len(images),
        "mean": np.round(fitted.mean, 7).tolist(),
        "covariance": np.round(fitted.covariance, 9).tolist(),
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(document) + "\n", encoding="utf-8")
    return len(images)
