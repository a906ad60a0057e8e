from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from leaderboard.live.probe import ATTRIBUTES, MEASURED, WeighedCaption, at_common_size, fine_detail, measure
from leaderboard.live.service.uploads import EXAMPLES
from qbench.images import load_pixels, open_picture
from qbench.models import open_model
from qbench.records import Prompt


def test_a_white_page_is_brighter_than_all_examples_and_has_nothing_else(tmp_path: Path) -> None:
    Image.fromarray(np.full((32, 32, 3), 255, np.uint8)).save(tmp_path / "white.png")
    meters = {
        meter.attribute: (meter.value, meter.above, meter.of) for meter in measure(open_picture(tmp_path / "white.png"))
    }
    assert meters == {
        "brightness": (255.0, 14, 14),
        "colourfulness": (0.0, 0, 14),
        "contrast": (0.0, 0, 14),
        "sharpness": (0.0, 0, 14),
    }


def test_the_examples_are_what_their_kept_measures_say() -> None:
    pixels = [at_common_size(load_pixels(open_picture(path))) for path in EXAMPLES]
    for name, function in ATTRIBUTES.items():
        assert MEASURED[name] == pytest.approx(sorted(map(function, pixels)), abs=0.0501)


@pytest.mark.parametrize("place", [0, 7])
def test_meters_are_what_the_models_of_their_names_score_at_the_common_size(place: int, tmp_path: Path) -> None:
    meters = {meter.attribute: meter.value for meter in measure(open_picture(EXAMPLES[place]))}
    at_common_size(Image.open(EXAMPLES[place])).save(tmp_path / "scaled.png")
    for name in ("brightness", "colourfulness", "contrast"):
        [response] = open_model(name).respond([Prompt("score", (open_picture(tmp_path / "scaled.png"),))])
        assert meters[name] == response.score


@pytest.mark.parametrize("place", [1, 4])
def test_a_photo_has_the_same_attributes_at_three_times_its_size(place: int, tmp_path: Path) -> None:
    with Image.open(EXAMPLES[place]) as photo:
        photo.resize((3 * photo.width, 3 * photo.height), Image.Resampling.BICUBIC).save(tmp_path / "large.png")
    own, large = measure(open_picture(EXAMPLES[place])), measure(open_picture(tmp_path / "large.png"))
    for one, other in zip(own, large, strict=True):
        assert one.value == pytest.approx(other.value, rel=0.03)


def test_sharpness_is_the_share_of_steps_that_a_blur_takes_away() -> None:
    """The mean of 9 alternating pixels is 4 / 9 or 5 / 9 of the white, so that 8 / 9 of each step are gone."""
    board = np.indices((400, 400)).sum(axis=0) % 2
    assert fine_detail(Image.fromarray((255 * board).astype(np.uint8))) == pytest.approx(100 * 8 / 9, abs=1)
    assert fine_detail(Image.fromarray((51 * board).astype(np.uint8))) == pytest.approx(100 * 8 / 9, abs=1)
    ramp = np.tile(np.arange(250, dtype=np.uint8), (250, 1))  # a blur leaves it as it is, but at its ends
    assert fine_detail(Image.fromarray(ramp)) == 0.0


def test_the_nearer_of_two_captions_is_told_with_the_other() -> None:
    assert WeighedCaption("Sharp photo.", 0.25, "Blurry photo.").nearer == ("Blurry photo.", 0.75, "Sharp photo.")
    assert WeighedCaption("Sharp photo.", 0.75, "Blurry photo.").nearer == ("Sharp photo.", 0.75, "Blurry photo.")
