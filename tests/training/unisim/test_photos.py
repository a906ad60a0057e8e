"""Comparisons made of photos: right by construction, the same again, and not of the photos that test."""

from __future__ import annotations

import dataclasses
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import qbench.datasets.demo as demo
from qbench.datasets.demo.damage import Damage
from qbench.datasets.demo.descriptions import caption
from qbench.errors import UserError
from qbench.records import Sample
from qbench.tasks import TASKS
from qbench.training.nano.scenes import Scene, SceneView
from qbench.training.unisim.photos import PhotoComparisons, comparisons_in, make_photo_comparisons
from tests.datasets.similarity.reading import right, wrong

NAMES = ["clean", "light", "heavy", "dark"]
DAMAGES = (None, Damage("gaussian-blur", 1), Damage("gaussian-blur", 4), Damage("mean-shift-down", 3))
QUALITIES = (1.0, 0.8, 0.3, 0.75)


@pytest.fixture
def scene() -> Scene:
    nothing = np.zeros((0, 0, 3), np.uint8)
    views = [SceneView(nothing, damage, quality, ()) for damage, quality in zip(DAMAGES, QUALITIES, strict=True)]
    return Scene(0, tuple(views))


def test_all_that_is_clear_within_a_scene_is_compared(scene: Scene) -> None:
    found: dict[str, list[tuple[str, str]]] = {}
    for task, row in comparisons_in(scene, NAMES, np.random.default_rng(0)):
        alternatives = row["texts"] if task == "text-2afc" else row["images"]
        found.setdefault(task, []).append((alternatives[row["label"]], alternatives[1 - row["label"]]))
        if task == "img-2afc":
            assert row["reference"] == "clean"
    better = {("clean", "light"), ("clean", "heavy"), ("clean", "dark"), ("light", "heavy"), ("dark", "heavy")}
    assert set(found["iqa-2afc"]) == better  # light and dark are too near to tell
    assert set(found["img-2afc"]) == {("light", "heavy"), ("dark", "heavy")}
    said = {name: caption(damage) for name, damage in zip(NAMES, DAMAGES, strict=True)}
    assert set(found["text-2afc"]) == {(said[name], said[two]) for name in NAMES for two in NAMES if name != two}
    assert set(found["it-2afc"]) == {(name, two) for name in NAMES for two in NAMES if name != two}


def test_a_caption_is_asked_about_the_view_it_tells_of(scene: Scene) -> None:
    said = {caption(damage): name for name, damage in zip(NAMES, DAMAGES, strict=True)}
    rows = list(comparisons_in(scene, NAMES, np.random.default_rng(0)))
    assert all(said[row["texts"][0]] == row["images"][row["label"]] for task, row in rows if task == "it-2afc")
    assert all(said[row["texts"][row["label"]]] == row["reference"] for task, row in rows if task == "text-2afc")


@pytest.fixture
def making(photo_folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> PhotoComparisons:
    monkeypatch.setattr("qbench.training.nano.scenes.CALIBRATION_DAMAGES", 12)
    return PhotoComparisons(photo_folders[1], scenes=6, side=64, whole=320)


def test_pictures_are_made_once(making: PhotoComparisons, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = make_photo_comparisons(making, tmp_path)
    for task, samples in first.items():
        TASKS[task].check(samples)
    assert {Image.open(image).size for samples in first.values() for sample in samples for image in sample.images} == {
        (64, 64)
    }
    with monkeypatch.context() as patch:
        patch.setattr("qbench.training.unisim.photos._make", None)
        assert make_photo_comparisons(making, tmp_path) == first
    other = make_photo_comparisons(dataclasses.replace(making, seed=1), tmp_path)
    assert pixels(right_image(other)) != pixels(right_image(first))
    clusters = {sample.cluster for sample in first["it-2afc"]}
    assert clusters <= {f"photo {place}" for place in range(len(list(making.photos.iterdir())))}
    assert len(clusters) > 1
    again = make_photo_comparisons(making, tmp_path / "elsewhere")
    assert Counter(map(pixels, images(again))) == Counter(map(pixels, images(first)))
    assert [sample.answer for sample in again["iqa-2afc"]] == [sample.answer for sample in first["iqa-2afc"]]


def images(found: dict[str, list[Sample]]) -> list[str]:
    return [image for samples in found.values() for sample in samples for image in sample.images]


def pixels(path: str) -> bytes:
    with Image.open(path) as image:
        return image.tobytes()


def right_image(found: dict[str, list[Sample]]) -> str:
    assert right(found["iqa-2afc"][0]) != wrong(found["iqa-2afc"][0])
    return right(found["iqa-2afc"][0])


def test_the_photos_that_test_are_too_small_to_train_on(tmp_path: Path) -> None:
    folder = Path(demo.__file__).parent / "photos"
    with pytest.raises(UserError, match=r"holds 0 photos of 480 pixels or more"):
        make_photo_comparisons(PhotoComparisons(folder, scenes=1, side=64, whole=320), tmp_path)
