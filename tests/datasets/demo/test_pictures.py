"""Pictures of the demo sets: the same pixels everywhere, made once, never half."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from qbench.datasets.demo import pictures
from qbench.datasets.demo.damage import Damage
from qbench.datasets.demo.pictures import DEMO_PHOTOS, DemoPicture, ensure_file, make_picture

FOLDER = Path(pictures.__file__).parent


def pixels(picture: DemoPicture) -> np.ndarray:
    return np.asarray(make_picture(picture)).astype(int)


def test_every_photo_is_shipped_small_and_its_licence_is_named() -> None:
    files = sorted((FOLDER / "photos").iterdir())
    assert [file.name for file in files] == [f"{photo}.jpg" for photo in DEMO_PHOTOS]
    assert sum(file.stat().st_size for file in files) <= 2_500_000
    licences = (FOLDER / "LICENCES.md").read_text(encoding="utf-8")
    for photo in DEMO_PHOTOS:
        assert f"| {photo} |" in licences
        width, height = make_picture(DemoPicture(photo)).size
        assert width <= 512
        assert 360 <= height <= 384


@pytest.mark.parametrize(
    ("picture", "digest"),
    [
        (DemoPicture("coffee"), "00631c0faa7cd1ab"),
        (DemoPicture("pagoda", view="top left"), "bda2da727afb4ec8"),
        (DemoPicture("raccoon", Damage("mean-shift-down", 3)), "ecb8e438dd1b2378"),
        (DemoPicture("house", Damage("colour-blocks", 4)), "3b7792bc91066d1c"),
        (DemoPicture("dahlia", Damage("displaced-patches", 2)), "67b47ec90b8d9918"),
    ],
)
def test_pixels_are_the_same_everywhere(picture: DemoPicture, digest: str) -> None:
    assert hashlib.sha256(make_picture(picture).tobytes()).hexdigest()[:16] == digest


def test_a_view_is_three_quarters_of_the_photo_from_its_corner() -> None:
    whole = pixels(DemoPicture("coffee"))
    assert np.array_equal(pixels(DemoPicture("coffee", view="top left")), whole[:288, :384])
    assert np.array_equal(pixels(DemoPicture("coffee", view="bottom right")), whole[96:, 128:])
    assert np.array_equal(pixels(DemoPicture("coffee", view="centre")), whole[48:336, 64:448])


def test_damage_in_one_place_leaves_the_others_alone() -> None:
    changed = (pixels(DemoPicture("coffee", Damage("darken", 5, "top right"))) != pixels(DemoPicture("coffee"))).any(
        axis=2
    )
    rows, columns = np.nonzero(changed)
    assert rows.max() < 192
    assert columns.min() >= 320
    assert changed.sum() > 0.8 * 192 * 192


def test_a_random_damage_grows_from_the_same_draw() -> None:
    clean = pixels(DemoPicture("house"))
    slight, severe = (
        (pixels(DemoPicture("house", Damage("impulse-noise", level))) != clean).any(axis=2) for level in (2, 5)
    )
    assert severe.sum() > 2 * slight.sum()
    assert slight[~severe].sum() < 0.01 * slight.sum()


def test_names_tell_pictures_apart_and_are_plain_file_names() -> None:
    made = [
        DemoPicture("flower-bed"),
        DemoPicture("flower-bed", view="top left"),
        DemoPicture("flower-bed", Damage("jpeg", 2)),
        DemoPicture("flower-bed", Damage("jpeg", 2.5)),
        DemoPicture("flower-bed", Damage("jpeg-2000", 2)),
        DemoPicture("flower-bed", Damage("jpeg", 2, "top left")),
    ]
    names = [picture.name for picture in made]
    assert len(set(names)) == len(names)
    assert names[1] == "flower-bed--view-top-left.png"
    assert names[5] == "flower-bed--jpeg--2--top-left.png"


def test_a_picture_is_made_once_and_kept_without_loss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = DemoPicture("hills", Damage("pixelate", 3))
    path = ensure_file(picture, tmp_path / "new")
    assert np.array_equal(np.asarray(Image.open(path)), pixels(picture))
    monkeypatch.setattr(pictures, "make_picture", lambda _: pytest.fail("made again"))
    assert ensure_file(picture, tmp_path / "new") == path


def test_two_at_once_agree_and_leave_nothing_behind(tmp_path: Path) -> None:
    picture = DemoPicture("hills", Damage("darken", 3))
    with ThreadPoolExecutor(4) as pool:
        paths = list(pool.map(lambda _: ensure_file(picture, tmp_path), range(8)))
    assert set(paths) == {tmp_path / picture.name}
    assert [path.name for path in tmp_path.iterdir()] == [picture.name]
    assert Image.open(paths[0]).size == (512, 384)
