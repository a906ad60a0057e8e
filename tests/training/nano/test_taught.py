"""What nano-vlm learns of nano-iqa: which photos it is shown, what it is told of them, and how ranks are taught."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from PIL import Image

from qbench.datasets.demo.damage import Damage
from qbench.training.nano.scenes import SceneView
from qbench.training.nano.taught import (
    LARGE,
    SMALL,
    Lesson,
    differing_pair,
    in_both_orders,
    judge,
    taught_rows,
    taught_views,
)
from qbench.training.nano.vlm import pairs_apart

NO_PIXELS = np.zeros((0, 0, 3), np.uint8)
ALIKE = (100.0, 40.0, 50.0, 30.0)


def view(quality: float, attributes: tuple[float, ...] = ALIKE, damage: Damage | None = None) -> SceneView:
    return SceneView(NO_PIXELS, damage, quality, attributes)


@pytest.mark.parametrize(("kind", "shorter"), [(LARGE, range(768, 769)), (SMALL, range(384, 769))])
def test_views_are_judged_as_large_as_they_are_made_and_shown_smaller(kind: object, shorter: range) -> None:
    noise = np.random.default_rng(0).integers(0, 256, size=(1000, 1400, 3), dtype=np.uint8)
    judged = []

    def score(pixels: np.ndarray) -> float:
        judged.append(min(pixels.shape[:2]))
        return 0.7

    views = list(taught_views([Image.fromarray(noise)], kind, score, 64, 1, 6))  # type: ignore[arg-type]
    assert all(size in shorter for size in judged)
    assert all(shown.pixels.shape == (64, 64, 3) and shown.quality == 0.7 and not shown.damage for shown in views)
    again = list(taught_views([Image.fromarray(noise)], kind, score, 64, 1, 2))  # type: ignore[arg-type]
    assert np.array_equal(again[1].pixels, views[1].pixels)
    assert not np.array_equal(views[0].pixels, views[1].pixels)


def test_of_a_scene_the_teacher_says_two_thirds() -> None:
    """At level 2.5 of 5, by level alone 0.5; in one place it counts half, 0.75; clean it is 1."""
    damages = (Damage("jpeg", 2.5), Damage("jpeg", 2.5, "top left"), None)
    judged = [judge(view(0.0, damage=damage), lambda _: 0.8).quality for damage in damages]
    assert judged == pytest.approx([1.6 / 3 + 0.5 / 3, 1.6 / 3 + 0.75 / 3, 1.6 / 3 + 1 / 3])


def test_pairs_differ_in_an_attribute_and_are_asked_about_in_both_orders() -> None:
    """Only the third view of the second scene is brighter: log(150) - log(100) is 0.4."""
    views = [view(0.5) for _ in range(8)]
    views[6] = view(0.5, (150.0, 40.0, 50.0, 30.0))
    pairs = {differing_pair(views, np.random.default_rng(seed)) for seed in range(300)} - {None}
    assert pairs == {(6, other) for other in (4, 5, 7)} | {(other, 6) for other in (4, 5, 7)}
    (one, first), (other, second) = in_both_orders(views, 6, 4, np.random.default_rng(0))
    assert (one, other) == ((6, 4), (4, 6))
    assert [turn.answer for turn in (*first, *second)] == ["A", "B"]
    assert in_both_orders(views, 0, 1, np.random.default_rng(0)) == []


def test_a_step_rates_views_of_both_sizes_asks_and_compares() -> None:
    scene = [view(0.9, (100.0, 40.0, 50.0, 30.0))]
    scene += [view(0.4, (200.0 + 90 * place, 10.0, 90.0, 80.0), Damage("jpeg", 3.0)) for place in range(3)]
    views = [*scene, *scene, *(view(0.1 + place / 10) for place in range(8))]
    lesson = Lesson(views, scenes=8, large=4, shares={})
    rows = [row for step in range(12) for row in taught_rows(lesson, np.random.default_rng(step))]
    rated = [(int(pictures[0]), turns) for pictures, turns in rows if len(pictures) == 1 and int(pictures[0]) >= 8]
    assert sum(number < 12 for number, _ in rated) == sum(number >= 12 for number, _ in rated) == 12 * 4
    for number, turns in rated:
        (good, share), (poor, other), *_ = turns[0].words
        assert (good, poor) == ("good", "poor")
        assert share / (share + other) == pytest.approx(views[number].quality)
    asked = [turns for pictures, turns in rows if len(pictures) == 1 and int(pictures[0]) < 8]
    assert len(asked) == 12 * 4
    assert all(len(turns) > 2 for turns in asked)
    taught = [pictures for pictures, _ in rows if len(pictures) == 2 and min(map(int, pictures)) >= 8]
    assert {pictures[::-1] for pictures in taught} == set(taught)
    assert len(taught) > 12


def test_two_pictures_are_to_be_as_far_apart_as_their_qualities() -> None:
    """Five for the whole range: 0.5 apart asks for 2.5; what is further apart, or hardly differs, costs nothing."""
    logits = torch.tensor([1.0, 0.0, 3.0])
    missing = pairs_apart([(logits[0], 0.7), (logits[1], 0.2), (logits[2], 0.22)])
    assert [float(loss) for loss in missing] == pytest.approx([1.5, 0.48 * 5 + 2])
    assert [float(loss) for loss in pairs_apart([(logits[2], 0.7), (logits[1], 0.2)])] == [0.0]
    assert [float(loss) for loss in pairs_apart([(logits[1], 0.2), (logits[0], 0.7)])] == [1.5]
