"""Photos damaged in one part: what of each window is damaged, and that a head learns to find the part."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from qbench.training.nano.iqa_windows import DamagedPart, fit_parts, window_shares


def test_shares_of_windows_by_hand() -> None:
    """Three rows and four columns of cells, windows of two by two; the right half and the upper two thirds damaged."""
    shares = window_shares((0.5, 0, 1, 2 / 3), (3, 4), (2, 2)).reshape(2, 3)
    assert shares == pytest.approx(np.array([[0, 0.5, 1], [0, 0.25, 0.5]]))


def _photo(number: int, generator: np.random.Generator) -> DamagedPart:
    """Of 30 windows, 8 damaged ones that lie further along the second of three directions; every fifth untouched."""
    along = generator.normal(size=(30, 3)).astype(np.float32) + 5 * generator.normal(size=3).astype(np.float32)
    shares, level = np.zeros(30, np.float32), float(generator.uniform(1, 5)) if number % 5 else 0.0
    if level:
        shares[8:16] = 1
    along[:, 1] += 3 * level * shares
    return DamagedPart(along, shares, number // 2, level)


def test_it_finds_parts_of_photos_it_has_not_seen() -> None:
    generator = np.random.default_rng(0)
    photos = [_photo(number, generator) for number in range(200)]
    fit = fit_parts(photos, points=10.0, folds=5, seed=0)
    assert fit.found > 0.95
    damaged = replace(photos[1], along=photos[1].along.copy())
    damaged.along[:, 1] = np.where(damaged.shares > 0, 15, 0)  # as level 5 does, which costs 50 points
    drops = fit.head.drops(damaged.along)
    assert drops[damaged.shares > 0].mean() == pytest.approx(50, abs=8)
    assert abs(drops[damaged.shares == 0].mean()) < 3
    untouched = [float(fit.head.drops(photo.along).max()) for photo in photos if not photo.level]
    assert np.mean(np.array(untouched) > fit.head.margin) < 0.2
    again = fit_parts(photos, points=10.0, folds=5, seed=0)
    assert np.array_equal(again.head.hidden, fit.head.hidden)
