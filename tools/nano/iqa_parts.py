"""Photos damaged in one part, and the head that learns from them to tell a damaged part from the rest of its photo."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from PIL import Image

from qbench.datasets.demo import PLACES
from qbench.models.iqa.features import look
from qbench.models.iqa.heads import Basis, Floats, Halves, PartsHead
from qbench.models.iqa.score_map import layout, window_features
from tools.nano.photos import Photos, crop
from tools.nano.scenes import View, do_damage, draw

_UNTOUCHED = 0.1
_SEED = 11
"""Keeps what is drawn here apart from what is drawn for whole photos."""
_HIDDEN, _EPOCHS, _BATCH, _DROPPED = 192, 8, 512, 0.3
_PLAIN = 3.0
"""From this level on a damaged part is to be found."""
_USUAL = 0.9
_GROUPS, _LEFT_OUT = 5, 2
"""Photos are divided into groups, some of which the first head does not see."""


@dataclass(frozen=True, eq=False)
class DamagedPart:
    """The windows of a photo with one damaged part."""

    along: Halves
    """Window × direction of the basis, row by row from the top left."""
    shares: Floats
    """How much of each window is damaged."""
    photo: int
    level: float
    """0 where nothing was damaged."""


def look_at_parts(photos: Photos, network: Any, basis: Basis, count: int, seed: int) -> Iterator[DamagedPart]:
    """So many photos, made anew by every run: it takes a few minutes."""
    from tqdm import tqdm

    for number in tqdm(range(count), desc="looking at parts", unit="photo", disable=None):
        generator = np.random.default_rng([seed, _SEED, number])
        pixels = crop(photos.images[number % len(photos.images)], 1.0, generator)
        view = View((draw(generator, str(generator.choice(PLACES))),) if generator.random() >= _UNTOUCHED else ())
        grid, window = layout(*pixels.shape[:2])
        inside = view.where(*pixels.shape[:2]).resize(grid[::-1], Image.Resampling.BOX)
        shares = sliding_window_view(np.asarray(inside, np.float32) / 255, window).mean(axis=(2, 3)).ravel()
        seen = look(network, Image.fromarray(do_damage(pixels, view.damages, generator)))
        along = basis.standardised(window_features(seen, grid, window)) @ basis.directions.T.astype(np.float32)
        level = view.damages[0].level if view.damages else 0.0
        yield DamagedPart(along.astype(np.float16), shares, number % len(photos.images), level)


def fit_parts(parts: Sequence[DamagedPart], basis: Basis, points: float, seed: int) -> tuple[PartsHead, float]:
    """The head, and in how many photos that a first one did not see the worst window lies in the part.

    Its margin is what a head of three in five says of the others' untouched photos.

    Args:
        parts: From `look_at_parts`.
        basis: That their features were standardised by.
        points: How much a level of damage costs.
        seed: Of the weights that are begun with.
    """
    first = _learn([part for part in parts if part.photo % _GROUPS >= _LEFT_OUT], basis, points, seed, 0.0)
    found, untouched = [], [0.0]
    for part in parts:
        if part.photo % _GROUPS < _LEFT_OUT:
            drops = first.drops(part.along.astype(np.float32))
            if not part.level:
                untouched.append(float(drops.max()))
            elif part.level >= _PLAIN:
                found.append(float(part.shares[drops.argmax()]) >= 0.5)
    margin = float(np.quantile(untouched, _USUAL))
    return _learn(parts, basis, points, seed, margin), float(np.mean(found)) if found else float("nan")


def _learn(parts: Sequence[DamagedPart], basis: Basis, points: float, seed: int, margin: float) -> PartsHead:
    """A small network by gradient descent; its target is the level of damage times the share that is damaged."""
    import torch

    alongs = (part.along.astype(np.float32) for part in parts)
    differences = np.concatenate([(along - np.median(along, axis=0))[::2] for along in alongs])
    scale = differences.std(axis=0) + 1e-4
    seen = torch.from_numpy(differences / scale)
    truth = torch.from_numpy(np.concatenate([(part.shares * part.level)[::2] for part in parts]))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        hidden, out = torch.nn.Linear(seen.shape[1], _HIDDEN), torch.nn.Linear(_HIDDEN, 1)
        network = torch.nn.Sequential(hidden, torch.nn.ReLU(), torch.nn.Dropout(_DROPPED), out)
        optimiser = torch.optim.AdamW(network.parameters(), weight_decay=0.01)
        batches = -(-len(seen) // _BATCH)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 2e-3, total_steps=_EPOCHS * batches + 1)
        for _ in range(_EPOCHS):
            for rows in torch.randperm(len(seen)).split(_BATCH):
                optimiser.zero_grad()
                torch.nn.functional.mse_loss(network(seen[rows])[:, 0], truth[rows]).backward()
                optimiser.step()
                schedule.step()
    inner, inner_bias, outer, outer_bias = (weight.detach().numpy() for weight in network.parameters())
    return PartsHead(
        np.zeros((0, basis.directions.shape[1]), np.float16),
        scale,
        inner.astype(np.float16),
        inner_bias,
        points * outer[0],
        points * outer_bias,
        np.array([margin], np.float32),
    )
