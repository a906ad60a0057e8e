from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from leaderboard.live.attributes import WeighedCaption, measure
from leaderboard.live.service.examples import EXAMPLES, MEASURED
from qbench.images import load_pixels, open_picture
from qbench.models import open_model
from qbench.models.classical import MEASURES
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
    pixels = [load_pixels(open_picture(path)) for path in EXAMPLES]
    for name, function in MEASURES.items():
        assert MEASURED[name] == pytest.approx(sorted(map(function, pixels)), abs=0.0501)


@pytest.mark.parametrize("place", [0, 7])
def test_meters_are_what_the_models_of_their_names_score(place: int) -> None:
    picture = open_picture(EXAMPLES[place])
    for meter in measure(picture):
        [response] = open_model(meter.attribute).respond([Prompt("score", (picture,))])
        assert meter.value == response.score


def test_the_nearer_of_two_captions_is_told_with_the_other() -> None:
    assert WeighedCaption("Sharp photo.", 0.25, "Blurry photo.").nearer == ("Blurry photo.", 0.75, "Sharp photo.")
    assert WeighedCaption("Sharp photo.", 0.75, "Blurry photo.").nearer == ("Sharp photo.", 0.75, "Blurry photo.")
