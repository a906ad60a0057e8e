"""Scenes to ask questions about: what is done to them, what their quality follows from, and evenly spread answers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from qbench.datasets.demo.damage import Damage
from qbench.training.nano.conversations import answer_shares, turns_about_one
from qbench.training.nano.photos import read_photos
from qbench.training.nano.question_scenes import quality_lines, question_scene
from qbench.training.nano.scenes import KINDS, SceneView

NO_PIXELS = np.zeros((0, 0, 3), np.uint8)


def view(kind: str, level: float, quality: float, place: str | None = None) -> SceneView:
    return SceneView(NO_PIXELS, Damage(kind, level, place), quality, ())


def test_quality_falls_along_a_line_and_less_for_one_place() -> None:
    """JPEG costs 0.1 a level, all others 0.2; in one place, half of that."""
    judged = [view(kind, level, 1 - (0.1 if kind == "jpeg" else 0.2) * level) for kind in KINDS for level in (1, 3)]
    judged += [view("jpeg", 4, 0.8, "centre"), view("lens-blur", 2, 0.8, "top left")]
    lines, local = quality_lines(judged)
    assert lines["jpeg"] == pytest.approx((1, -0.1))
    assert lines["lens-blur"] == pytest.approx((1, -0.2))
    assert local == pytest.approx(0.5)


def test_a_scene_follows_from_its_number(photo_folders: tuple[Path, Path]) -> None:
    photos = read_photos(photo_folders[1])
    lines = dict.fromkeys(KINDS, (1.0, -0.15))
    scenes = [question_scene(photos, lines, 0.5, 96, 0, index) for index in range(12)]
    again = question_scene(photos, lines, 0.5, 96, 0, 3)
    assert all(np.array_equal(one.pixels, other.pixels) for one, other in zip(scenes[3], again, strict=True))
    for clean, first, second, third in scenes:
        assert clean.damage is None and clean.quality == 1
        assert first.damage and second.damage and third.damage
        assert first.damage.place is None and third.damage.place
        assert first.quality == pytest.approx(max(1 - 0.15 * first.damage.level, 0.02))
        assert third.quality == pytest.approx(1 - 0.5 * 0.15 * third.damage.level)
        assert (second.damage.kind == first.damage.kind and not second.damage.place) or second.damage.place
        assert all(each.pixels.shape == (96, 96, 3) for each in (clean, first, second, third))


def test_right_answers_are_evenly_spread() -> None:
    """Of 39 untouched photos and one that is too dark, "Too dark" is nearly as often right as "Just fine"."""
    views = [SceneView(NO_PIXELS, None, 1.0, ())] * 39 + [view("darken", 5, 0.3)]
    generator = np.random.default_rng(0)
    shares = answer_shares(views, generator)
    assert shares["how", "other", "Too dark"] > 10 * shares["how", "other", "Just fine"]
    dark = [turn for _ in range(60) for turn in turns_about_one(views[-1], views[0], generator, shares)]
    said = Counter(turn.answer for turn in dark)
    unspread = Counter(turn.answer for _ in range(60) for turn in turns_about_one(views[-1], views[0], generator))
    assert said["Too dark"] / said.total() > 1.2 * unspread["Too dark"] / unspread.total()
