from __future__ import annotations

import pytest

from leaderboard.snapshot import NOT_REVIEWED, Snapshot
from leaderboard.store import Loaded, SkippedFile, records_of
from leaderboard.tables.papers import Paper
from qbench.errors import UserError
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


def snapshot(*problems: SkippedFile) -> Snapshot:
    papers = (Paper(("https://example.org/paper",), "@misc{made}"),)
    return Snapshot(Loaded(records_of(RESULTS), problems, "abc1234"), (board(),), find_model, papers)


def test_a_table_is_made_once() -> None:
    made = snapshot()
    assert made.table("made") is made.table("made", "both", "all")
    assert made.table("made", "srcc") is not made.table("made")


def test_the_newest_day_that_a_record_states_is_told() -> None:
    records = records_of((result("alpha", at="2024-05-01"), result("beta", at="2026-01-31"), result("c", at="lately")))
    assert Loaded(records, (), "abc1234").as_of == "2026-01-31 (abc1234)"
    assert Loaded(records[:0], (), "abc1234").as_of == "abc1234"


def test_what_does_not_exist_is_said() -> None:
    with pytest.raises(UserError, match="'nope' is no board"):
        snapshot().table("nope")
    with pytest.raises(UserError, match="'nope' is no metric"):
        snapshot().table("made", "nope")


def test_the_index_counts_models_on_boards_not_names_nor_people() -> None:
    waiting = SkippedFile("pending/ab/x.json", "model is 'Nobody read this'; remove its control characters")
    index = snapshot(SkippedFile("a.json", "is not JSON"), waiting).index(
        link="https://huggingface.co/spaces/me/board", about="?tab=about"
    )
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
