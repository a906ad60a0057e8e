"""Getting a dataset from the page: how far it is, stopped and gone on with, counted at the end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from leaderboard.html.datasets import about_dataset, button_label, fetch_status
from leaderboard.live.datasets import FetchedDataset, absent_datasets, get_job
from leaderboard.live.service.jobs import JobState, PartialResult
from leaderboard.live.service.limits import Work
from qbench.datasets.known import find_dataset, known_datasets
from qbench.datasets.places import Presence
from qbench.errors import UserError
from qbench.runner import Cancelled
from tests.datasets.made_shards import shard
from tests.hub_double import Hub, serve

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
    assert "Asking where it lies" in said[0]
    assert "Counting what is here" in said[-1]
    assert 'style="--share:1.0000"' in said[-1]
    assert (got.presence.state, got.presence.detail) == ("partly", "20 of 1,495 questions")
    done = fetch_status(JobState(result=got))
    assert "LLVisionQA (dev) is here in part: 20 of 1,495 questions. Figures of a part fill no board." in done


def test_stopped_it_goes_on_where_it_was(hub: Hub, tmp_path: Path) -> None:
    work = Work()

    def stop(message: PartialResult[Any]) -> None:
        if message.value.bytes:
            work.cancel.set()

    with pytest.raises(Cancelled):
        get_job(NAME, tmp_path)(work, stop)
    first = [path.name for path in tmp_path.rglob("*.parquet")]
    assert first == ["dev-00000-of-00002.parquet"]
    assert "What came is kept" in fetch_status(JobState(cancelled=True))
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
    assert said.endswith("gets it by python -m qbench datasets get koniq-10k.")
    assert text(about_dataset(facts, nothing, owner=True)).endswith("get koniq-10k or by the button.")
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
        by_hand = f"It cannot be fetched. Whoever runs this installation puts into $QBENCH_DATA/{facts.name}: "
        assert (f"datasets get {facts.name}." in said) != (by_hand in said)
