"""Photos damaged in one part, and the head that learns from them to tell a damaged part from the rest of its photo.

Everything about a photo follows from the seed and its number. Photos here are small, since a part of one is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from qbench.distortions import Region, distort_array
from qbench.models.iqa.basis import Basis, Floats
from qbench.models.iqa.heads import PartsHead
from qbench.models.iqa.local import layout, window_features
from qbench.training.nano.iqa_rows import KINDS, random_crop

SIZES = ((384, 288), (512, 384))
"""Width and height of photos."""
_SIZE_SHARES = (0.5, 0.5)
_SIDES = (0.35, 0.6)
"""Sides of the damaged part, as shares of the photo's."""
_CORNER = 0.5
"""How many of the parts lie in a corner."""
_LEVELS = (1.0, 5.0)
_UNTOUCHED = 0.1
_SEED = 11
"""Keeps what is drawn here apart from what is drawn for whole photos."""
_HIDDEN, _EPOCHS, _BATCH, _DROPPED = 256, 16, 512, 0.3
_PLAIN = 3.0
"""From this level on a damaged part is to be found."""
_USUAL = 0.9


@dataclass(frozen=True, eq=False)
class DamagedPart:
    """The windows of a photo with one damaged part."""

    along: Floats
    """Window × direction of the basis, row by row from the top left."""
    shares: Floats
    """How much of each window is damaged."""
    photo: int
    level: float
    """0 where nothing was damaged."""


def damage_a_part(images: Sequence[Image.Image], model: Any, basis: Basis, seed: int, number: int) -> DamagedPart:
    """The photo of this number, looked at."""
    generator = np.random.default_rng([seed, _SEED, number])
    photo, kind = int(generator.integers(len(images))), int(generator.integers(len(KINDS)))
    pixels = random_crop(images[photo], SIZES, _SIZE_SHARES, generator)
    level = 0.0 if generator.random() < _UNTOUCHED else float(generator.uniform(*_LEVELS))
    region = _part(generator)
    if level:
        pixels = distort_array(pixels, KINDS[kind], level, generator, region)
    grid, window = layout(*pixels.shape[:2])
    shares = window_shares(region, grid, window) * (level > 0)
    along = basis.along(window_features(model, pixels, grid, window))
    return DamagedPart(along, shares.astype(np.float32), photo, level)


def _part(generator: np.random.Generator) -> Region:
    width, height = generator.uniform(*_SIDES, size=2)
    left, top = generator.uniform(0, 1 - width), generator.uniform(0, 1 - height)
    if generator.random() < _CORNER:
        left, top = ((1 - side) * generator.integers(2) for side in (width, height))
    return float(left), float(top), float(left + width), float(top + height)


def window_shares(region: Region, grid: tuple[int, int], window: tuple[int, int]) -> NDArray[np.float64]:
    """How much of each window lies in a part of the photo."""
    left, top, right, bottom = region
    down, across = (
        np.clip(np.minimum(last, ends) - np.maximum(first, starts), 0, None) / (count / cells)
        for first, last, cells, count in ((top, bottom, grid[0], window[0]), (left, right, grid[1], window[1]))
        for starts in [np.arange(cells - count + 1) / cells]
        for ends in [starts + count / cells]
    )
    shares: NDArray[np.float64] = np.outer(down, across).ravel()
    return shares


@dataclass(frozen=True, eq=False)
class PartsFit:
    """The head, and in how many held-out photos with damage at level 3 and up its worst window lies in the part."""

    head: PartsHead
    found: float


def fit_parts(parts: Sequence[DamagedPart], points: float, folds: int, seed: int) -> PartsFit:
    """Fit the head to all photos, its margin to what heads of all but one fold say of that fold's untouched photos.

    Args:
        parts: From `damage_a_part`.
        points: How much a level of damage costs.
        folds: Into how many the photos are divided.
        seed: Of the weights that are begun with.
    """
    found, untouched = [], []
    for fold in range(folds):
        inside = [part for part in parts if part.photo % folds != fold]
        if len(inside) == len(parts):
            continue
        head = _learn(inside, points, seed)
        for part in parts:
            if part.photo % folds == fold:
                drops = head.drops(part.along)
                if not part.level:
                    untouched.append(float(drops.max()))
                elif part.level >= _PLAIN:
                    found.append(float(part.shares[drops.argmax()]) >= 0.5)
    margin = float(np.quantile(untouched, _USUAL)) if untouched else points
    head = replace(_learn(parts, points, seed), margin=np.array([margin], np.float32))
    return PartsFit(head, float(np.mean(found)) if found else float("nan"))


def _learn(parts: Sequence[DamagedPart], points: float, seed: int) -> PartsHead:
    """A small network by gradient descent; its target is the level of damage times the share that is damaged."""
    import torch
    from torch.nn import functional as f

    differences = np.concatenate([(part.along - np.median(part.along, axis=0))[::2] for part in parts])
    scale = differences.std(axis=0) + 1e-4
    seen = torch.from_numpy(differences / scale)
    truth = torch.from_numpy(np.concatenate([(part.shares * part.level)[::2] for part in parts]))
    generator = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        hidden, out = torch.nn.Linear(seen.shape[1], _HIDDEN), torch.nn.Linear(_HIDDEN, 1)
        weights = [*hidden.parameters(), *out.parameters()]
        optimiser = torch.optim.AdamW(weights, weight_decay=0.01)
        batches = max(len(seen) // _BATCH, 1)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 2e-3, total_steps=_EPOCHS * batches + 1)
        for _ in range(_EPOCHS):
            for rows in torch.randperm(len(seen), generator=generator).split(_BATCH)[:batches]:
                said = out(f.dropout(torch.relu(hidden(seen[rows])), _DROPPED))[:, 0]
                optimiser.zero_grad()
                f.mse_loss(said, truth[rows]).backward()
                optimiser.step()
                schedule.step()
    inner, inner_bias, outer, outer_bias = (weight.detach().numpy() for weight in weights)
    return PartsHead(
        scale, inner.astype(np.float16), inner_bias, points * outer[0], points * outer_bias, np.zeros(1, np.float32)
    )
