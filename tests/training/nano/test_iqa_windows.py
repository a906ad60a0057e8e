"""Photos damaged in one part: what of each window is damaged, and that a head learns to find the part."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from qbench.models.iqa.basis import Basis, Floats
from qbench.models.iqa.heads import PartsHead
from qbench.training.nano.iqa_windows import DamagedPart, fit_parts, telling_directions, window_shares


def test_shares_of_windows_by_hand() -> None:
    """Three rows and four columns of cells, windows of two by two; the right half and the upper two thirds damaged."""
    shares = window_shares((0.5, 0, 1, 2 / 3), (3, 4), (2, 2)).reshape(2, 3)
    assert shares == pytest.approx(np.array([[0, 0.5, 1], [0, 0.25, 0.5]]))


def _basis(features: int) -> Basis:
    """One whose directions are the features."""
    nothing, plain = np.zeros(0, np.float32), np.eye(features, dtype=np.float16)
    return Basis(nothing.astype(np.int32), *[nothing] * 4, plain, plain, nothing)


def _photo(number: int, generator: np.random.Generator) -> DamagedPart:
    """Of 30 windows, 8 damaged ones that lie further along the second of three features; every fifth untouched."""
    seen = generator.normal(size=(30, 3)) + 5 * generator.normal(size=3)
    shares, level = np.zeros(30, np.float32), float(generator.uniform(1, 5)) if number % 5 else 0.0
    if level:
        shares[8:16] = 1
    seen[:, 1] += 3 * level * shares
    return DamagedPart(seen.astype(np.float16), shares, number // 2, level)


def _drops(head: PartsHead, photo: DamagedPart) -> Floats:
    return head.drops(head.along(photo.seen.astype(np.float32), _basis(3)))


def test_it_finds_parts_of_photos_it_has_not_seen() -> None:
    generator = np.random.default_rng(0)
    photos = [_photo(number, generator) for number in range(500)]
    fit = fit_parts(photos, _basis(3), points=10.0, seed=0)
    assert fit.found > 0.95
    damaged = replace(photos[1], seen=photos[1].seen.copy())
    damaged.seen[:, 1] = np.where(damaged.shares > 0, 15, 0)  # as level 5 does, which costs 50 points
    drops = _drops(fit.head, damaged)
    assert drops[damaged.shares > 0].mean() == pytest.approx(50, abs=8)
    assert abs(drops[damaged.shares == 0].mean()) < 3
    untouched = [float(_drops(fit.head, photo).max()) for photo in photos if not photo.level]
    assert np.mean(np.array(untouched) > fit.head.margin) < 0.2
    again = fit_parts(photos, _basis(3), points=10.0, seed=0)
    assert np.array_equal(again.head.hidden, fit.head.hidden)


def test_the_first_direction_is_where_damage_stands_out_most_not_where_it_moves_windows_farthest() -> None:
    """Damage moves the first feature by 2, twice what windows differ by; the second by 1.5, fifteen times as much."""
    generator, photos = np.random.default_rng(0), []
    for number in range(60):
        shares = np.repeat([1, 0], 15).astype(np.float32)
        seen = generator.normal(size=(30, 3)) * [1, 0.1, 1]
        seen[:15] += [2 * generator.choice([-1, 1]), 1.5 * generator.choice([-1, 1]), 0]
        photos.append(DamagedPart(seen.astype(np.float16), shares, number, 1.0))
    strongest = telling_directions(photos, seed=0)[-1].astype(float)
    assert np.abs(strongest) == pytest.approx([0, 1, 0], abs=0.05)


def test_untouched_photos_alone_tell_no_direction() -> None:
    untouched = DamagedPart(np.ones((4, 3), np.float16), np.zeros(4, np.float32), 0, 0.0)
    assert telling_directions([untouched], seed=0).shape == (0, 3)
