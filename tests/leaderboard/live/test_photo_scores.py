"""Where a photo stands among others, how its score falls as it is damaged, and datasets got from the page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from leaderboard.html.below_run import about_dataset, button_label, fetch_status
from leaderboard.html.probe import curve_sentences
from leaderboard.live.datasets import FetchedDataset, absent_datasets, get_job
from leaderboard.live.photo_scores import (
    ScoreCurve,
    degrade,
    score_levels,
    scores_on,
)
from leaderboard.live.service.jobs import JobState, PartialResult
from leaderboard.live.service.limits import Work
from leaderboard.live.service.live import LiveRunner
from leaderboard.live.service.uploads import EXAMPLES
from qbench.datasets.known import find_dataset, known_datasets
from qbench.datasets.places import Presence
from qbench.distortions import LEVELS, distort
from qbench.errors import UserError
from qbench.images import load_pixels, open_picture
from qbench.models import open_model
from qbench.records import Picture, Prompt
from qbench.runner import Cancelled, Progress
from tests.datasets.made_shards import shard
from tests.hub_double import Hub, serve


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


NAME = "llvisionqa-dev"


def text(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", "", html)).split())


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    made = Hub(repo="q-future/Q-Bench-HF", large=1000)
    made.write("main", {f"data/dev-0000{n}-of-00002.parquet": shard(10 * n, 10) for n in range(2)})
    with serve(made) as address:
        monkeypatch.setenv("HF_ENDPOINT", address)
        yield made


def test_how_far_it_is_and_what_there_is_then(hub: Hub, tmp_path: Path) -> None:
    told: list[Any] = []
    got = get_job(NAME, tmp_path)(Work(), told.append)
    said = [fetch_status(JobState(known=message.value)) for message in told]
    assert "Finding where it is stored" in said[0]
    assert "Counting the files that are here" in said[-1]
    assert 'style="--share:1.0000"' in said[-1]
    assert (got.presence.state, got.presence.detail) == ("partly", "20 of 1,495 questions")
    done = fetch_status(JobState(result=got))
    assert "LLVisionQA (dev) is here in part: 20 of 1,495 questions. Boards show no figures of a part." in done


def test_stopped_it_goes_on_where_it_was(hub: Hub, tmp_path: Path) -> None:
    work = Work()

    def stop(message: PartialResult[Any]) -> None:
        if message.value.bytes:
            work.cancel.set()

    with pytest.raises(Cancelled):
        get_job(NAME, tmp_path)(work, stop)
    first = [path.name for path in tmp_path.rglob("*.parquet")]
    assert first == ["dev-00000-of-00002.parquet"]
    assert "The downloaded part is kept" in fetch_status(JobState(cancelled=True))
    asked = sum("storage" in request for request in hub.requests)
    assert isinstance(get_job(NAME, tmp_path)(Work(), lambda _message: None), FetchedDataset)
    assert sum("storage" in request for request in hub.requests) == asked + 1


def test_what_is_not_chosen_or_cannot_be_fetched_says_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="choose a dataset first"):
        get_job("", tmp_path)(Work(), lambda _message: None)
    with pytest.raises(UserError, match=r"CGIQA-6K cannot be fetched; put into"):
        get_job("cgiqa-6k", tmp_path)(Work(), lambda _message: None)


def test_size_and_licence_stand_there_before(tmp_path: Path) -> None:
    facts, nothing = find_dataset("koniq-10k"), Presence("no")
    assert facts in absent_datasets(tmp_path)
    assert button_label(facts) == "Get it: 6.35 GB"
    said = text(about_dataset(facts, nothing, owner=False))
    assert "10,073 items, 6.35 GB. Licence: images under their Flickr Creative Commons licences." in said
    assert "(mirror; its card says CC BY-SA 4.0)" in said
    assert said.endswith("gets it with python -m qbench datasets get koniq-10k.")
    assert text(about_dataset(facts, nothing, owner=True)).endswith("get koniq-10k or with the button.")
    assert button_label(find_dataset("kadis-700k")) == "Get it"
    part = about_dataset(facts, Presence("partly", "3 of 10,073 images", 3), owner=True)
    assert "So far: 3 of 10,073 images." in part


def test_every_dataset_says_how_it_is_got(tmp_path: Path) -> None:
    every = absent_datasets(tmp_path)
    assert {facts.name for facts in every} == {
        facts.name for facts in known_datasets() if facts.opens and facts.truth == "people"
    }
    for facts in every:
        said = text(about_dataset(facts, Presence("no"), owner=False))
        assert f"Licence: {facts.licence}." in said
        by_hand = (
            f"It cannot be downloaded from here. The owner of this installation puts into $QBENCH_DATA/{facts.name}: "
        )
        assert (f"datasets get {facts.name}." in said) != (by_hand in said)
