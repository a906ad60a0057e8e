"""Where a photo stands among others, how its score falls as it is damaged, and datasets got from the page."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from leaderboard.html.below_run import about_dataset, fetch_status
from leaderboard.live.datasets import FetchedDataset, absent_datasets, get_job
from leaderboard.live.photo_scores import ScoreCurve, degrade, rated_datasets, scores_on
from leaderboard.live.service.jobs import JobState
from leaderboard.live.service.limits import Work
from leaderboard.live.service.uploads import EXAMPLES
from qbench.datasets.get import FetchProgress
from qbench.datasets.known import known_datasets
from qbench.datasets.places import Presence
from qbench.distortions import LEVELS, distort
from qbench.errors import UserError
from qbench.images import load_pixels, open_picture
from qbench.models import open_model
from qbench.records import Picture
from qbench.runner import Cancelled, Progress
from tests.datasets.fetching import shard
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


def test_a_photo_is_placed_among_datasets_that_are_here_the_demo_set_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QBENCH_DATA", str(tmp_path))
    assert rated_datasets() == ["demo-assessment"]
    (tmp_path / "agiqa-3k").mkdir()
    rows = json.dumps([{"img_path": "a.png", "gt_score": 1}])
    (tmp_path / "agiqa-3k" / "agi.json").write_text(rows, encoding="utf-8")
    assert rated_datasets() == ["demo-assessment"]  # a list without its images
    Image.new("RGB", (8, 8)).save(tmp_path / "agiqa-3k" / "a.png")
    assert rated_datasets() == ["demo-assessment", "agiqa-3k"]


def test_what_is_shown_is_what_is_scored_to_the_pixel(tmp_path: Path) -> None:
    photo = open_picture(EXAMPLES[0])
    pictures = degrade(photo, "jpeg", tmp_path)
    for level, picture in zip((0, *LEVELS), pictures, strict=True):
        own = load_pixels(photo)
        made = distort(own, "jpeg", level, seed=0) if level else own
        assert np.array_equal(np.asarray(Image.open(picture.path)), np.asarray(made))
    assert degrade(photo, "jpeg", tmp_path) == pictures


def test_a_score_falls_where_it_is_lower_than_one_level_before() -> None:
    assert ScoreCurve("m", (3.0, 2.0, 2.0, None, 1.0, 1.0 - 1e-10, 0.5)).falls == 2


def test_stopped_it_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub, work = Hub(repo="q-future/Q-Bench-HF", large=1000), Work()
    hub.write("main", {f"data/dev-0000{n}-of-00002.parquet": shard(10 * n, 10) for n in range(2)})

    def stop(known: FetchProgress) -> None:
        if known.bytes:
            work.cancel.set()

    with serve(hub) as address:
        monkeypatch.setenv("HF_ENDPOINT", address)
        with pytest.raises(Cancelled):
            get_job("llvisionqa-dev", tmp_path)(work, stop)
        first = [path.name for path in tmp_path.rglob("*.parquet")]
        assert first == ["dev-00000-of-00002.parquet"]
        assert "The downloaded part is kept" in fetch_status(JobState(cancelled=True))
        asked = sum("storage" in request for request in hub.requests)
        assert isinstance(get_job("llvisionqa-dev", tmp_path)(Work(), lambda **_: None), FetchedDataset)
    assert sum("storage" in request for request in hub.requests) == asked + 1


def test_what_is_not_there_not_chosen_or_cannot_be_fetched_says_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no distortion is called '\.\./jpeg'"):
        degrade(open_picture(EXAMPLES[0]), "../jpeg", tmp_path)
    with pytest.raises(UserError, match="choose a dataset first"):
        get_job("", tmp_path)(Work(), lambda **_: None)
    with pytest.raises(UserError, match=r"CGIQA-6K cannot be fetched; put into"):
        get_job("cgiqa-6k", tmp_path)(Work(), lambda **_: None)


def test_every_dataset_says_how_it_is_got(tmp_path: Path) -> None:
    every = absent_datasets(tmp_path)
    assert {facts.name for facts in every} == {
        facts.name for facts in known_datasets() if facts.opens and facts.truth == "people"
    }
    for facts in every:
        said = " ".join(unescape(re.sub(r"<[^>]*>", "", about_dataset(facts, Presence("no"), owner=False))).split())
        assert f"Licence: {facts.licence}." in said
        by_hand = f"from here. The owner of this installation puts into $QBENCH_DATA/{facts.name}: "
        assert (f"datasets get {facts.name}." in said) != (by_hand in said)
