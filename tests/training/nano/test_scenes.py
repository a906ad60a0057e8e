"""Crops and scenes that training learns from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from qbench.errors import UserError
from qbench.training.nano.photos import read_photos
from qbench.training.nano.scenes import CALIBRATION_DAMAGES, calibrate, make_scene, without_pixels

SIZE, WHOLE = 64, 512


def test_a_scene_is_the_same_whenever_it_is_made(photo_folders: tuple[Path, Path]) -> None:
    photos = read_photos(photo_folders[1])
    scale = calibrate(photos, SIZE / WHOLE, 0)
    assert scale.shape == (3, CALIBRATION_DAMAGES)
    once, again, other = (make_scene(photos, scale, SIZE, WHOLE, 0, index) for index in (5, 5, 6))
    assert all((first.pixels == second.pixels).all() for first, second in zip(once.views, again.views, strict=True))
    assert [view.quality for view in once.views] == [two.quality for two in again.views]
    assert any((first.pixels != second.pixels).any() for first, second in zip(once.views, other.views, strict=True))


def test_worse_damage_of_a_type_has_less_quality(photo_folders: tuple[Path, Path]) -> None:
    photos = read_photos(photo_folders[1])
    scale = calibrate(photos, SIZE / WHOLE, 0)
    agreed = 0
    for index in range(40):
        clean, first, second, _ = make_scene(photos, scale, SIZE, WHOLE, 1, index).views
        assert clean.quality == 1
        assert clean.damage is None
        assert first.damage is not None
        assert second.damage is not None
        assert first.damage.kind == second.damage.kind
        assert abs(first.damage.level - second.damage.level) >= 1
        agreed += (first.quality - second.quality) * (first.damage.level - second.damage.level) < 0
    assert agreed >= 34


def test_every_view_is_shown_at_the_size_asked_for(photo_folders: tuple[Path, Path]) -> None:
    photos = read_photos(photo_folders[1])
    scale = np.zeros((3, 1))
    assert {view.pixels.shape for view in make_scene(photos, scale, 96, WHOLE, 0, 0).views} == {(96, 96, 3)}


def test_too_few_photos_are_refused(tmp_path: Path) -> None:
    Image.new("RGB", (640, 640)).save(tmp_path / "large.png")
    Image.new("RGB", (400, 400)).save(tmp_path / "small.png")
    (tmp_path / "broken.jpg").write_bytes(b"not a photo")
    with pytest.raises(UserError, match="holds 1 photos of 480 pixels or more; training needs 4"):
        read_photos(tmp_path)
    with pytest.raises(UserError, match="there is no folder"):
        read_photos(tmp_path / "absent")


def test_a_scene_without_pixels_keeps_none_of_them_alive(photo_folders: tuple[Path, Path]) -> None:
    photos = read_photos(photo_folders[1])
    bare = without_pixels(make_scene(photos, calibrate(photos, SIZE / WHOLE, 0), SIZE, WHOLE, 0, 0))
    assert all(view.pixels.size == 0 and view.pixels.base is None for view in bare.views)
