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
from scipy import linalg

from qbench.distortions import Region, distort_array
from qbench.models.iqa.features import look
from qbench.models.iqa.heads import Basis, Floats, Halves, PartsHead
from qbench.models.iqa.score_map import layout, window_features
from tools.nano.iqa_rows import KINDS, random_crop

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
_DIRECTIONS, _SOME = 192, 9
"""How many, and from how many windows a photo they are found."""
_INSIDE, _OUTSIDE = 0.75, 0.05
"""From which share on a window counts as damaged, and below which as not."""
_SHRINK = 0.3
"""How much of their mean is added to all variances of windows."""
_NOTHING = 1e-6
_HIDDEN, _EPOCHS, _BATCH, _DROPPED = 192, 8, 512, 0.3
_PLAIN = 3.0
"""From this level on a damaged part is to be found."""
_USUAL = 0.9
_GROUPS, _LEFT_OUT = 5, 2
"""Photos are divided into groups, some of which the first head does not see."""


@dataclass(frozen=True, eq=False)
class DamagedPart:
    """The windows of a photo with one damaged part."""

    seen: Halves
    """Window × standardised feature, row by row from the top left."""
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
    seen = basis.standardised(window_features(look(model, Image.fromarray(pixels)), grid, window))
    return DamagedPart(seen.astype(np.float16), shares.astype(np.float32), photo, level)


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


def fit_parts(parts: Sequence[DamagedPart], basis: Basis, points: float, seed: int) -> PartsFit:
    """Fit the head to all photos, its margin to what a head of three in five says of the others' untouched ones.

    Args:
        parts: From `damage_a_part`.
        basis: That their features were standardised by.
        points: How much a level of damage costs.
        seed: Of the weights that are begun with.
    """
    found, untouched = [], []
    inside = [part for part in parts if part.photo % _GROUPS >= _LEFT_OUT]
    if len(inside) < len(parts):
        head = _learn(inside, basis, points, seed)
        for part in parts:
            if part.photo % _GROUPS < _LEFT_OUT:
                drops = head.drops(head.along(part.seen.astype(np.float32), basis))
                if not part.level:
                    untouched.append(float(drops.max()))
                elif part.level >= _PLAIN:
                    found.append(float(part.shares[drops.argmax()]) >= 0.5)
    margin = float(np.quantile(untouched, _USUAL)) if untouched else points
    head = replace(_learn(parts, basis, points, seed), margin=np.array([margin], np.float32))
    return PartsFit(head, float(np.mean(found)) if found else float("nan"))


def telling_directions(parts: Sequence[DamagedPart], seed: int) -> Halves:
    """Along which damage moves a window far beyond what windows of a photo differ by; fewer than asked of few photos.

    The differences between damaged and other windows of a photo, one a photo, are measured in what windows of a photo
    differ by otherwise, as in linear discriminant analysis; these are the directions in which most of them point.
    """
    effects, others = [], []
    for number, part in enumerate(parts):
        seen = part.seen.astype(np.float32)
        seen -= seen.mean(axis=0)
        damaged, rest = part.shares > _INSIDE, part.shares < _OUTSIDE
        if damaged.any() and rest.any():
            effect = seen[damaged].mean(axis=0) - seen[rest].mean(axis=0)
            effects.append(effect / np.sqrt(part.level))
            seen -= part.shares[:, None] * effect
        some = np.random.default_rng([seed, number]).permutation(len(seen))[:_SOME]
        others.append(seen[some] - seen.mean(axis=0))
    moved, differing = np.array(effects), np.concatenate(others)
    if not effects:
        return np.zeros((0, differing.shape[1]), np.float16)
    spread = differing.T @ differing / len(differing)
    spread[np.diag_indices_from(spread)] += _SHRINK * np.trace(spread) / len(spread)
    factor = linalg.cholesky(spread, lower=True)
    whitened = linalg.solve_triangular(factor, moved.T, lower=True)
    count = len(moved)
    values, ways = linalg.eigh(
        (whitened.T @ whitened).astype(np.float64), subset_by_index=[max(0, count - _DIRECTIONS), count - 1]
    )
    ways = ways[:, values > values[-1] * _NOTHING]
    directions = linalg.solve_triangular(factor.T, whitened @ ways, lower=False).T
    found: Halves = (directions / np.linalg.norm(directions, axis=1, keepdims=True)).astype(np.float16)
    return found


def _learn(parts: Sequence[DamagedPart], basis: Basis, points: float, seed: int) -> PartsHead:
    """A small network by gradient descent; its target is the level of damage times the share that is damaged."""
    import torch
    from torch.nn import functional as f

    nothing: Floats = np.zeros(0, np.float32)
    head = PartsHead(telling_directions(parts, seed), nothing, nothing.astype(np.float16), *[nothing] * 4)
    alongs = (head.along(part.seen.astype(np.float32), basis) for part in parts)
    differences = np.concatenate([(along - np.median(along, axis=0))[::2] for along in alongs])
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
    return replace(
        head,
        scale=scale,
        hidden=inner.astype(np.float16),
        hidden_bias=inner_bias,
        out=points * outer[0],
        out_bias=points * outer_bias,
        margin=np.zeros(1, np.float32),
    )
