"""A quality map in words and colours, worked out by hand."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from PIL import Image

from leaderboard.html.quality_map import map_sentence, overlay, quality_map
from leaderboard.live.quality import QualityMap
from qbench.images import open_picture

EVEN = tuple((50.0,) * 6 for _ in range(4))


def made(row: int, column: int, score: float, margin: float = 10.0) -> QualityMap:
    """Parts of 50, but for one."""
    scores = [list(each) for each in EVEN]
    scores[row][column] = score
    return QualityMap(tuple(map(tuple, scores)), margin)


@pytest.mark.parametrize(
    ("row", "column", "place"),
    [
        (0, 0, "upper left"),
        (0, 3, "top"),
        (3, 5, "lower right"),
        (3, 2, "bottom"),
        (2, 1, "left side"),
        (1, 2, "middle"),
    ],
)
def test_the_worst_part_is_named(row: int, column: int, place: str) -> None:
    known = made(row, column, 20.0)
    assert map_sentence(known) == f"The {place} looks worst: it scores 30 points below the median part of this photo."


def test_a_part_as_low_as_in_untouched_photos_is_not_named() -> None:
    assert made(0, 0, 40.1).stands_out is False
    assert made(0, 0, 39.9).stands_out is True
    assert map_sentence(made(0, 0, 44.0)) == (
        "No part stands out: the lowest scores 6 points below the median part, and in nine of ten untouched photos it "
        "is up to 10."
    )
    assert map_sentence(QualityMap(EVEN, 10.0)).startswith("No part stands out: the lowest scores 0 points")


def test_only_what_is_worse_than_the_rest_is_coloured() -> None:
    assert not np.asarray(overlay(QualityMap(EVEN, 10.0)))[..., 3].any()
    assert not np.asarray(overlay(made(1, 1, 90.0)))[..., 3].any()  # better than the rest
    colours = np.asarray(overlay(made(1, 4, 35.0)))  # one and a half margins below: the strongest
    cell = colours.shape[0] // 4
    assert colours.shape == (4 * cell, 6 * cell, 4)
    middle = colours[int(1.5 * cell), int(4.5 * cell)]
    assert middle[3] > 0.9 * 0.85 * 255
    assert not colours[3 * cell :, : 2 * cell, 3].any()


def test_the_slider_has_a_name_and_the_overlay_is_told_in_words(tmp_path: Path) -> None:
    Image.new("RGB", (60, 40), "grey").save(tmp_path / "a photo.jpg")
    html = quality_map(made(3, 0, 10.0), open_picture(tmp_path / "a photo.jpg"))
    assert '<label>Overlay <input type="range" min="0" max="100"' in html
    assert f'src="gradio_api/file={quote(str(tmp_path))}/a%20photo.jpg"' in html
    assert "The lower left looks worst: it scores 40 points below" in html
    assert "15 points worse" in html
