"""The heads of nano-iqa by ridge regression, each fold of the photos left out by one member of the ensemble.

What a member says of photos that it never saw tells how far scores are off and what the odds of damage are worth. The
numbers here were chosen on photos of sources that were held out. The head that tells a damaged part from the rest of
its photo learns from photos that were damaged in one part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from PIL import Image
from scipy import linalg, optimize
from scipy.stats import spearmanr
from tqdm import tqdm

from qbench.datasets.demo import PLACES
from qbench.models.iqa.features import SCENE_STATISTICS, look
from qbench.models.iqa.scorer import Basis, Floats, Heads, PartsHead, tones
from tools.nano.options import NanoOptions, teach
from tools.nano.photos import Photos
from tools.nano.scenes import LEVELS, View, draw, make_pictures

_NETWORK, _STATISTICS, _TONES = 0.675, 0.225, 0.1
"""How much the groups of features count."""
_FLOOR = 0.1
"""What is added to a deviation before its logarithm is taken, in medians of it."""
_DIRECTIONS, _BUMPS = 256, 512
_WIDTH = 2.0
"""Of the bumps, in the median square of the distance between rows."""
_LINEAR, _BENT = 0.5, 2.0
"""How freely the sum of features and the sum of bumps are fitted."""
FOLDS, PENALTY, _SPREAD_PENALTY = 5, 0.7, 10.0
"""Penalties are of squared weights; squared errors, which tell how far off a score may be, are noisy."""
_NORMAL_LOG = -0.635
"""Mean of the logarithm of the absolute value of a standard normal variable."""
_UNTOUCHED = 0.1
_HIDDEN, _BATCH, _DROPPED = 192, 512, 0.3
_POINTS = 100 / LEVELS[1]
"""What a level of damage costs."""
_USUAL = 0.9


def make_basis(features: Floats, network: Any) -> Basis:
    """What counts how much, and where the bumps are, from rows of `Looked.features`."""
    sizes = [stage.shape[1] for stage in look(network, Image.new("RGB", (64, 64))).scales[0]]
    stage = np.tile(np.repeat(np.arange(len(sizes)), sizes), 4)
    is_deviation = np.repeat((0, 1, 0, 1), sum(sizes))
    counts = 1 / np.array(sizes)[stage]
    of_network = np.flatnonzero(stage < len(sizes) - 1)  # the last layer knows what a photo shows
    kept = np.concatenate([of_network, np.arange(len(stage), features.shape[1])]).astype(np.int32)
    floor = np.zeros(len(kept), np.float32)
    logged = np.flatnonzero(is_deviation[of_network])
    floor[logged] = _FLOOR * np.median(features[:, kept[logged]], axis=0) + 1e-4
    shares = [_NETWORK * counts[of_network] / counts[of_network].sum()]
    count = tones(features[:1]).shape[1]
    shares += [np.full(SCENE_STATISTICS, _STATISTICS / SCENE_STATISTICS), np.full(count, _TONES / count)]
    weight = np.sqrt(np.concatenate(shares)).astype(np.float32)
    no_bumps, one = np.zeros((0, len(weight)), np.float16), np.ones(1, np.float32)
    basis = Basis(kept, floor, 0 * weight, 1 + 0 * weight, weight, no_bumps, no_bumps[:, :0], one)
    values = basis.logged(features)
    basis = replace(basis, mean=values.mean(axis=0), deviation=values.std(axis=0) + np.float32(1e-6))
    seen = basis.standardised(features)
    size = np.float32(np.sqrt((seen**2).sum(axis=1).mean()))
    return _with_bumps(replace(basis, weight=weight / size), seen / size)


def _with_bumps(basis: Basis, seen: Floats) -> Basis:
    """Bumps around rows spread over all of them, along the directions in which rows differ most."""
    last = seen.shape[1] - 1
    _, vectors = linalg.eigh(seen.T @ seen, subset_by_index=[max(0, last + 1 - _DIRECTIONS), last])
    directions = vectors.T.astype(np.float16)
    along = seen @ directions.T.astype(np.float32)
    chosen = np.unique(np.linspace(0, len(along) - 1, min(_BUMPS, len(along))).astype(int))
    centres = along[chosen].astype(np.float16)
    squares = ((along[:: max(1, len(along) // 500), None] - centres.astype(np.float32)) ** 2).sum(axis=2)
    width = np.array([_WIDTH * np.median(squares)], np.float32)
    return replace(basis, directions=directions, centres=centres, width=width)


def fit_heads(
    features: Floats,
    quality: NDArray[np.float64],
    faults: NDArray[np.float64],
    folds: NDArray[np.int64],
    basis: Basis,
    parts: PartsHead,
) -> tuple[Heads, dict[str, float]]:
    """All heads but that of parts, which is given; and how good they are on photos that a member did not learn from.

    Args:
        features: Of each view.
        quality: Of each view, from 0 to 100.
        faults: View × kind of damage: 1 where it is plain to see.
        folds: Of the photos that the views are of.
        basis: From `make_basis`.
        parts: From `fit_parts`.
    """
    bumps = len(basis.centres)
    freely = np.full(len(basis.mean) + bumps, np.sqrt(_LINEAR), np.float32)
    freely[-bumps:] = np.sqrt(_BENT / bumps)
    rows = freely * basis.of(features)
    members, biases, said = _ridge(rows, folds, np.column_stack([quality, faults]), PENALTY)
    residual = quality - said[:, 0]
    spreads, spread_biases, off = _ridge(rows, folds, np.log(np.abs(residual) + 0.1)[:, None], _SPREAD_PENALTY)
    deviation = np.exp(off[:, 0] - _NORMAL_LOG)
    shift = 0.5 * np.log(np.mean((residual / deviation) ** 2))  # on average an error is as large as it is said to be
    lines = [_calibrate(odds, truth) for odds, truth in zip(said[:, 1:].T, faults.T, strict=True)]
    slopes, starts = np.array(lines).T

    def head(weights: NDArray[np.float64], bias: NDArray[np.float64]) -> tuple[Floats, Floats]:
        return (weights * freely).astype(np.float32), bias.astype(np.float32)

    scoring = head(members[..., 0], biases[:, 0])
    spread = head(spreads.mean(axis=0).T, spread_biases.mean(axis=0) - _NORMAL_LOG + shift)
    finding = head(members[..., 1:].mean(axis=0).T * slopes[:, None], biases[:, 1:].mean(axis=0) * slopes + starts)
    figures = {
        "srcc": float(spearmanr(said[:, 0], quality)[0]),
        "rmse": float(np.sqrt(np.mean(residual**2))),
        "within_one_error": float(np.mean(np.abs(residual) < deviation * np.exp(shift))),
    }
    return Heads(basis, *scoring, *spread, *finding, parts), figures


def _ridge(
    rows: Floats, folds: NDArray[np.int64], targets: NDArray[np.float64], penalty: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Fold × feature × target of members that each leave a fold out, their biases, and what they say of that fold."""
    products, members, biases, left_out = rows @ rows.T, [], [], np.empty_like(targets)
    for fold in range(FOLDS):
        seen, out = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        mean = targets[seen].mean(axis=0)
        product = products[np.ix_(seen, seen)] + penalty * np.eye(len(seen))
        weights = linalg.solve(product, targets[seen] - mean, assume_a="pos", overwrite_a=True)
        members.append(rows[seen].T @ weights)
        biases.append(mean)
        left_out[out] = products[np.ix_(out, seen)] @ weights + mean
    return np.array(members), np.array(biases), left_out


def _calibrate(said: NDArray[np.float64], truth: NDArray[np.float64]) -> NDArray[np.float64]:
    """Slope and intercept that make a head's values log odds (Platt scaling), by maximum likelihood."""

    def loss(line: NDArray[np.float64]) -> float:
        odds = line[0] * said + line[1]
        return float(np.mean(np.logaddexp(0, odds) - truth * odds))

    return np.asarray(optimize.minimize(loss, [8.0, -3.0], method="Nelder-Mead").x)


@dataclass(frozen=True, eq=False)
class DamagedPart:
    """The windows of a photo with one damaged part."""

    along: NDArray[np.float16]
    """Window × direction of the basis, row by row from the top left."""
    damage: Floats
    """Of each window: the level of damage times the share that is damaged."""
    photo: int


def look_at_parts(photos: Photos, network: Any, basis: Basis, options: NanoOptions) -> Iterator[DamagedPart]:
    """Photos damaged in one part, made anew by every run: it takes a few minutes."""
    for number in tqdm(range(options.parts), desc="looking at parts", unit="photo", disable=None):
        generator = np.random.default_rng([options.seed, *b"parts of the map", number])
        view = View((draw(generator, str(generator.choice(PLACES))),) if generator.random() >= _UNTOUCHED else ())
        [pixels] = make_pictures(photos.images[number % len(photos.images)], [view], generator)
        seen = look(network, Image.fromarray(pixels))
        grid, window = seen.layout
        inside = view.where(*pixels.shape[:2]).resize(grid[::-1], Image.Resampling.BOX)
        shares = sliding_window_view(np.asarray(inside, np.float32) / 255, window).mean(axis=(2, 3)).ravel()
        along = basis.standardised(seen.features(windows=True)) @ basis.directions.T.astype(np.float32)
        level = view.damage.level if view.damage else 0.0
        yield DamagedPart(along.astype(np.float16), level * shares, number % len(photos.images))


def fit_parts(parts: Sequence[DamagedPart], basis: Basis, options: NanoOptions) -> PartsHead:
    """A small network; its margin is what it says of untouched photos that it did not see."""
    import torch

    learnt = [part for part in parts if part.photo % FOLDS]
    alongs = [part.along.astype(np.float32) for part in learnt]
    differences = np.concatenate([along - np.median(along, axis=0) for along in alongs])
    scale = differences.std(axis=0) + 1e-4
    seen = torch.from_numpy(differences / scale)
    truth = torch.from_numpy(np.concatenate([part.damage for part in learnt]))
    torch.manual_seed(options.seed)
    hidden, out = torch.nn.Linear(seen.shape[1], _HIDDEN), torch.nn.Linear(_HIDDEN, 1)
    network = torch.nn.Sequential(hidden, torch.nn.ReLU(), torch.nn.Dropout(_DROPPED), out).to(options.device)

    def losses(rows: NDArray[np.int64]) -> dict[str, torch.Tensor]:
        torch.manual_seed(int(rows[0]))  # what is dropped follows from the batch
        said = network(seen[rows].to(options.device))[:, 0]
        return {"level": torch.nn.functional.mse_loss(said, truth[rows].to(options.device))}

    teach(network, losses, lambda generator: generator.integers(len(seen), size=_BATCH), options, "map", 2e-3)
    inner, inner_bias, outer, outer_bias = (weight.detach().cpu().numpy() for weight in network.parameters())
    none, nothing = np.zeros((0, basis.directions.shape[1]), np.float16), np.zeros(1, np.float32)
    layers = (inner.astype(np.float16), inner_bias, _POINTS * outer[0], _POINTS * outer_bias)
    head = PartsHead(none, scale, *layers, nothing)
    untouched = [part.along.astype(np.float32) for part in parts if not part.photo % FOLDS and not part.damage.any()]
    worst = [float(head.drops(along).max()) for along in untouched]
    return replace(head, margin=np.array([np.quantile(worst or [0.0], _USUAL)], np.float32))
