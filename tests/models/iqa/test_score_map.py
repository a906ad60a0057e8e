"""Scores of a photo's parts: they are the heads' own, and lowest where a photo was damaged."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from qbench.datasets.demo import make_picture
from qbench.distortions import distort
from qbench.images import open_picture
from qbench.models import Model, open_model
from qbench.models.iqa.features import look
from qbench.records import Prompt
from tools.demo.damage import DEMO_PHOTOS, DemoPicture

CORNERS = {(0, 0): (0, 0, 0.5, 0.5), (0, 1): (0.5, 0, 1, 0.5), (1, 0): (0, 0.5, 0.5, 1), (1, 1): (0.5, 0.5, 1, 1)}
"""Lower and right, as 0 or 1 -> the quarter."""


@pytest.fixture(scope="module")
def scorer() -> Model:
    return open_model("nano-iqa")


def test_a_window_is_looked_at_as_if_it_stood_alone(scorer: Model) -> None:
    """Statistics and colours of a window are those of the photo cut to it; the network sees beyond the edges."""
    photo = make_picture(DemoPicture("house").name).resize((512, 384))
    windows = look(scorer.backbone, photo).features(windows=True).reshape(9, 13, -1)
    alone = look(scorer.backbone, photo.crop((160, 64, 160 + 128, 64 + 128))).features()[0, -64:]
    found = windows[2, 5][-64:]
    assert found[:10] == pytest.approx(alone[:10], abs=1e-5)  # luminance and colour
    assert found[10:] == pytest.approx(alone[10:], abs=0.08)


def test_the_map_is_lowest_in_a_damaged_corner(scorer: Model, tmp_path: Path) -> None:
    """Of four photos with one damage each it must find three; `python -m bench.quality_map` tries all damages."""
    kinds = ("lens-blur", "white-noise", "jpeg", "impulse-noise")
    found = []
    for photo, kind, corner in zip(DEMO_PHOTOS[::3], kinds, cycle(CORNERS), strict=False):
        path = tmp_path / f"{photo}.png"
        distort(make_picture(DemoPicture(photo).name), kind, 4, seed=1, region=CORNERS[corner]).save(path)
        [response] = scorer.respond([Prompt("map", (open_picture(path),))])
        scores = np.array(response.score_map)
        row, column = np.unravel_index(scores.argmin(), scores.shape)
        found.append((row >= scores.shape[0] / 2, column >= scores.shape[1] / 2) == corner)
    assert sum(found) >= 3


def test_a_photo_without_room_for_two_windows_has_no_map(scorer: Model, tmp_path: Path) -> None:
    Image.new("RGB", (64, 60)).save(tmp_path / "small.png")
    [response] = scorer.respond([Prompt("map", (open_picture(tmp_path / "small.png"),))])
    assert (response.failure, response.score_map) == ("this photo is too small to tell its parts apart", ())
