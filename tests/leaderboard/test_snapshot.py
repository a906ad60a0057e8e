"""One state of the store with its boards, and how it follows what is stored."""

from __future__ import annotations

import json
import threading
from pathlib import Path

from leaderboard.settings import Settings
from leaderboard.snapshot import NOT_REVIEWED, Snapshot, SnapshotWatch
from leaderboard.store import Loaded, SkippedFile, records_of
from leaderboard.store.local import Store
from leaderboard.store.submission import Entry
from leaderboard.tables.provenance import Paper
from tests.leaderboard.handed_in import submission
from tests.leaderboard.made import board, find_model, result
from tests.leaderboard.published import published

ROUNDING = 1e-9
RESULTS = (
    result("alpha", "a"),
    result("Alpha (7B)", "b"),
    result("people", "a"),
    result("stranger", "a"),
    result("on no board", "elsewhere"),
)


def test_the_newest_day_that_a_record_states_is_told() -> None:
    records = records_of((result("alpha", at="2024-05-01"), result("beta", at="2026-01-31"), result("c", at="lately")))
    assert Loaded(records, (), "abc1234").as_of == "2026-01-31 (abc1234)"
    assert Loaded(records[:0], (), "abc1234").as_of == "abc1234"
    made = submission()
    entry = Entry(made, made.digest, "accepted")
    assert Loaded(records_of(made.results, entry), (), "abc1234").as_of == "2026-05-31 (abc1234)"


def test_the_index_counts_models_on_boards_not_names_nor_people() -> None:
    waiting = SkippedFile("pending/ab/x.json", "model is 'Nobody read this'; remove its control characters")
    loaded = Loaded(records_of(RESULTS), (SkippedFile("a.json", "is not JSON"), waiting), "abc1234")
    papers = (Paper(("https://example.org/paper",), "@misc{made}"),)
    index = Snapshot(loaded, (board(),), find_model, papers).index(link="https://huggingface.co/spaces/me/board")
    assert index["models"] == 2
    assert index["revision"] == "abc1234"
    assert index["problems"][0] == {"where": "a.json", "reason": "is not JSON"}
    assert index["problems"][1]["reason"] == NOT_REVIEWED
    assert index["papers"] == [{"urls": ["https://example.org/paper"], "bibtex": "@misc{made}"}]
    assert [board["key"] for board in index["boards"]] == ["made"]
    assert index["link"] == "https://huggingface.co/spaces/me/board"


def test_every_figure_that_is_shipped_lies_within_its_interval() -> None:
    outside = [
        (result.model, result.dataset, name, estimate)
        for result in published().loaded.results
        for metrics in [result.metrics, *(found for groups in result.groups.values() for found in groups.values())]
        for name, estimate in metrics.items()
        if None not in (estimate.value, estimate.low, estimate.high)
        and not estimate.low - ROUNDING <= estimate.value <= estimate.high + ROUNDING  # type: ignore[operator]
    ]
    assert outside == []


def make(folder: Path) -> Settings:
    return Settings(assets=folder / "assets", results=folder / "results")


def test_new_records_and_submissions_show_without_a_restart(tmp_path: Path) -> None:
    settings, store, now = make(tmp_path), Store(tmp_path / "handed-in"), 0.0
    current = SnapshotWatch(settings, store, every=2.0, clock=lambda: now)
    first = current()
    assert first.loaded.results == ()

    settings.results.mkdir()
    (settings.results / "own.json").write_text(json.dumps(result("alpha").to_json()), encoding="utf-8")
    now = 1.9
    assert current() is first
    current.look_again()
    second = current()
    assert [result.model for result in second.loaded.results] == ["alpha"]
    assert second.loaded.revision != first.loaded.revision

    entry = store.add(submission("beta", identity="bea")).entry
    current.look_again()
    assert [result.model for result in current().loaded.results] == ["alpha", "beta"]
    store.withdraw(entry.digest, by="bea")
    current.look_again()
    assert [result.model for result in current().loaded.results] == ["alpha"]


def test_a_visit_looks_for_changes_and_waits_for_none(tmp_path: Path) -> None:
    store, looked, now = Store(tmp_path / "handed-in"), threading.Event(), 0.0
    current = SnapshotWatch(make(tmp_path), store, every=2.0, clock=lambda: now)
    current.look_again = looked.set  # type: ignore[method-assign]
    now = 1.9
    current()
    assert not looked.is_set()
    now = 2.0
    current()
    assert looked.wait(10)
