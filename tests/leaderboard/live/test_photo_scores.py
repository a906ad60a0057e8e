"""Where a photo stands among others, and how its score falls as it is damaged."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from leaderboard.charts.live import draw_curves, draw_dataset_scores
from leaderboard.html.probe import curve_sentences
from leaderboard.live.photo_scores import (
    DatasetScores,
    ScoreCurve,
    degrade,
    score_levels,
    scores_on,
)
from leaderboard.live.service.limits import Work
from leaderboard.live.service.live import LiveRunner
from leaderboard.live.service.uploads import EXAMPLES
from qbench.distortions import LEVELS, distort
from qbench.errors import UserError
from qbench.images import load_pixels, open_picture
from qbench.models import open_model
from qbench.records import Picture, Prompt
from qbench.runner import Cancelled, Progress


def test_scores_are_kept_and_not_asked_for_again(tmp_path: Path, photos: list[Picture]) -> None:
    rows = [{"img_path": Path(photo.path).name, "gt_score": 1} for photo in photos]
    (tmp_path / "mine.json").write_text(json.dumps(rows), encoding="utf-8")
    seen: list[Progress] = []
    work, model = Work(), open_model("brightness")
    mine, kept = str(tmp_path / "mine.json"), tmp_path / "kept"
    scores = scores_on(mine, model, kept, work, seen.append)
    assert scores == (90.0, 127.5)
    assert (seen[0].cached, seen[-1].done) == (0, 2)
    work.cancel.set()
    assert scores_on(mine, model, kept, work, seen.append) == scores
    assert seen[-1].cached == 2
    with pytest.raises(Cancelled):
        scores_on(mine, open_model("contrast"), kept, work, seen.append)


RunWith = Callable[[str], LiveRunner]
CURVES = [
    ScoreCurve("falls", (0.6, 0.5, 0.5, 0.4, 0.3, 0.2)),
    ScoreCurve("rises", (-9.0, -8.0, -7.0, -6.0, -5.0, -4.0)),
]


def test_what_is_shown_is_what_is_scored_to_the_pixel(tmp_path: Path) -> None:
    photo = open_picture(EXAMPLES[0])
    pictures = degrade(photo, "jpeg", tmp_path)
    for level, picture in zip((0, *LEVELS), pictures, strict=True):
        own = load_pixels(photo)
        made = distort(own, "jpeg", level, seed=0) if level else own
        assert np.array_equal(np.asarray(Image.open(picture.path)), np.asarray(made))
    assert degrade(photo, "jpeg", tmp_path) == pictures


def test_an_unknown_distortion_is_refused_and_names_no_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no distortion is called '\.\./jpeg'"):
        degrade(open_picture(EXAMPLES[0]), "../jpeg", tmp_path)


def test_niqe_notices_noise_and_brightness_does_not_fall(tmp_path: Path, run_with: RunWith) -> None:
    pictures = degrade(open_picture(EXAMPLES[2]), "white-noise", tmp_path)
    curve = score_levels(run_with("niqe"), "niqe", pictures)
    scores = [
        response.score for response in open_model("niqe").respond([Prompt("score", (picture,)) for picture in pictures])
    ]
    assert list(curve.scores) == scores
    assert curve.falls == 5


def test_steps_that_fall_are_counted() -> None:
    assert [curve.falls for curve in CURVES] == [4, 0]
    said = curve_sentences(CURVES, "White noise")
    assert "falls’s score falls from 0.6 to 0.2 with white noise; it goes down at 4 of 5 steps." in said
    assert "rises’s score rises from −9 to −4 with white noise; it goes down at 0 of 5 steps." in said


def test_every_model_has_a_panel_with_its_own_scale() -> None:
    chart = draw_curves(CURVES, "White noise")
    assert [tuple(line.y) for line in chart.figure.data] == [curve.scores for curve in CURVES]
    assert len({line.yaxis for line in chart.figure.data}) == 2
    assert "falls: 0.6000, 0.5000" in chart.text


def test_a_photo_s_place_among_scores() -> None:
    chart = draw_dataset_scores(DatasetScores("niqe", "mine", 3.5, (1.0, 2.0, 3.0, 4.0), "score"))
    assert chart.text == "The photo scores higher than 3 of 4 pictures of mine."
    assert list(chart.figure.data[1].x) == [3.5, 3.5]
    assert chart.figure.layout.xaxis.title.text == "niqe: score, higher is better"
