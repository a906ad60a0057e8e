"""Every published record stands on a board, or About says why it does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from leaderboard.boards import all_boards
from leaderboard.settings import read_settings
from leaderboard.snapshot import Snapshot, open_snapshot
from leaderboard.tables.cells import figures
from qbench.models.catalogue import find_model
from qbench.records import Result

ROOT = Path(__file__).resolve().parents[3]
SOURCES = (ROOT / "assets" / "prose" / "sources.md").read_text(encoding="utf-8")
OTHER_DATABASES = {
    *("ava", "lsvq", "lsvq-1080p", "konvid-1k", "maxwell", "liu13-deblurring", "sriqa-bench", "min19-dehazing"),
    *("tid2008", "agi-unnamed", "live-unnamed"),
}


def _in(*references: str) -> Callable[[Result], bool]:
    return lambda result: any(reference in result.source.reference for reference in references)


REASONS: tuple[tuple[str, Callable[[Result], bool], int], ...] = (
    ("mixes the two halves", lambda result: result.dataset == "llvisionqa-half-not-stated", 6),
    ("does not name the half", lambda result: result.dataset == "q-bench2-half-not-stated", 9),
    ("how ties count", _in("(Compare2Score), Table 4"), 36),
    ("five anchor images", _in("(Compare2Score), Table 3"), 48),
    ("Averages as sources print them", lambda result: result.dataset.startswith("average-of-"), 92),
    ("Databases of video", lambda result: result.dataset in OTHER_DATABASES, 90),
    ("at 1,024 pixels", lambda result: "pixels" in result.protocol, 4),
    (
        "does not tell whether it was",
        lambda result: "class" in result.protocol and "trained_on" not in result.protocol,
        12,
    ),
    ("Tables 9 to 11", _in("Q-Bench (ICLR 2024), Table 9", "Table 10", "Table 11"), 211),
    ("Table 8", _in("Q-Bench (ICLR 2024), Table 8"), 10),
)
"""Words of About -> the records that they are about, and how many these are."""


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return open_snapshot(read_settings({"QBENCH_RESULTS": str(tmp_path_factory.mktemp("none"))}, ROOT))


@pytest.fixture(scope="module")
def off_boards(snapshot: Snapshot) -> list[Result]:
    return [result for result in snapshot.loaded.results if result.source.kind == "paper" and not _on_a_board(result)]


def _on_a_board(result: Result) -> bool:
    model = find_model(result.model)
    assert model is not None, result.model
    places = {address for address, _ in figures(result)}
    return any(
        board.admits(result.protocol, model)
        and any(column.find in places and column.takes(result.protocol) for column in board.columns)
        for board in all_boards()
    )


def _reason(result: Result) -> str:
    found = [words for words, applies, _ in REASONS if applies(result)]
    assert found, (result.source.reference, result.dataset)
    return found[0]


def test_what_stands_on_no_board_has_its_reason_on_about(off_boards: list[Result]) -> None:
    assert Counter(map(_reason, off_boards)) == {words: number for words, _, number in REASONS}
    assert [words for words, _, _ in REASONS if words not in SOURCES] == []


def test_where_sources_disagree_both_figures_are_kept(snapshot: Snapshot) -> None:
    """Gemini-Pro on the test half: 70.58 % in the benchmark's README, 69.46 % in Co-Instruct's paper."""
    table = snapshot.table("perception-test", "all")
    assert table.ranked.value.loc["gemini-pro-vision", "overall"] == 0.7058
    others = {origin.passed_over.get("overall") for origin in table.origins["gemini-pro-vision"]}
    assert 0.6946 in others


def test_models_of_2024_and_later_are_on_the_boards(snapshot: Snapshot) -> None:
    """At least forty chat models, each counted once; what a demo set shows does not count."""
    tables = [snapshot.table(board.key, "all") for board in snapshot.boards if not board.key.startswith("demo")]
    shown = {table.models[name].id: table.models[name] for table in tables for name in table.ranked.value.index}
    recent = [model for model in shown.values() if model.kind == "model" and (model.released or "") >= "2024"]
    assert len(recent) >= 40
