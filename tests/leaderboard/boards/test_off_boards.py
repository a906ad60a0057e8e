"""Every published figure stands on a board, or About says why it does not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

from leaderboard.boards import all_boards
from leaderboard.tables.cells import figures
from leaderboard.tables.classes import classed_protocol
from leaderboard.tables.columns import Address, Board, Column
from qbench.models.catalogue import find_model
from qbench.records import Result
from tests.leaderboard.published import ROOT, published

BOARDS = all_boards()
SOURCES = (ROOT / "assets" / "prose" / "sources.md").read_text(encoding="utf-8")
OTHER_DATABASES = {
    *("ava", "lsvq", "lsvq-1080p", "konvid-1k", "maxwell", "liu13-deblurring", "sriqa-bench", "min19-dehazing"),
    *("tid2008", "agi-unnamed", "live-unnamed"),
}


_OF_YES_AND_NO = ("yes_accuracy", "no_accuracy", "debiased_accuracy", "dprime", "criterion")
Place = Callable[[Result, Address], bool]


def _in(*references: str) -> Place:
    return lambda result, _: any(reference in result.source.cited for reference in references)


def _of(*datasets: str) -> Place:
    return lambda result, _: result.dataset in datasets


REASONS: tuple[tuple[str, Place, int], ...] = (
    ("mixes the two halves", _of("llvisionqa-half-not-stated"), 6),
    ("does not name the half", _of("q-bench2-half-not-stated"), 9),
    ("how ties count", _in("(Compare2Score), Table 4"), 36),
    ("five anchor images", _in("(Compare2Score), Table 3"), 48),
    ("within each quarter", lambda _, address: address.grouping == "quarter", 320),
    ("Kendall's correlations", lambda _, address: address.metric == "krcc", 239),
    ("Databases of video", _of(*OTHER_DATABASES), 180),
    ("at 1,024 pixels", lambda result, _: "pixels" in result.protocol, 8),
    (
        "does not say whether they were trained on the database",
        lambda result, _: "class" in result.protocol and "trained_on" not in result.protocol,
        14,
    ),
    (
        "OneAlign in 8 bits on LIVE-FB",
        lambda result, _: (result.model, result.dataset) == ("one-align-8bit", "live-fb"),
        2,
    ),
    (
        "on parts of KonIQ-10k and SPAQ",
        lambda result, address: "limit" in result.protocol and address.metric in ("srcc", "plcc"),
        20,
    ),
    ("lack 116 of the 1,495", lambda result, _: result.protocol.get("limit") == 1379, 14),
    (
        "and released replies",
        lambda result, address: result.dataset == "llvisionqa-dev" and address.metric in _OF_YES_AND_NO,
        80,
    ),
    ("Table 8", _in("Q-Bench (ICLR 2024), Table 8"), 49),
    ("prefers the good word", lambda _, address: address.metric == "positive_rate", 90),
)
"""Words of About -> the figures that they are about, and how many these are."""


COLUMNS: dict[Address | None, list[tuple[Board, Column]]] = {}
for _board in BOARDS:
    for _column in _board.columns:
        COLUMNS.setdefault(_column.find, []).append((_board, _column))


def _in_no_column(result: Result) -> Iterator[Address]:
    model = find_model(result.model)
    assert model is not None, result.model
    protocol = classed_protocol(result, model)
    for address, _ in figures(result):
        places = COLUMNS.get(address, [])
        if not any(board.admits(protocol, model) and column.takes(protocol) for board, column in places):
            yield address


def _reason(result: Result, address: Address) -> str:
    found = [words for words, applies, _ in REASONS if applies(result, address)]
    assert found, (result.source.cited, address)
    return found[0]


def test_what_stands_on_no_board_has_its_reason_on_about() -> None:
    results = [result for result in published().loaded.results if not result.dataset.startswith("demo-")]
    counted = Counter(_reason(result, address) for result in results for address in _in_no_column(result))
    assert counted == {words: number for words, _, number in REASONS}
    assert [words for words, _, _ in REASONS if words not in SOURCES] == []


AVERAGE = re.compile(r"(weighted-)?average-of-|mean-of-")


def test_every_printed_average_is_on_a_page() -> None:
    """In a cell, or among the row's sources where the cell has another source's."""
    on_pages = {
        (id(origin.record.result), column)
        for table in published().tables
        for row in table.rows.values()
        for origin in row.origins
        for column in (*origin.shown, *origin.passed_over)
    }
    printed = [
        (result, address)
        for result in published().loaded.results
        if AVERAGE.match(result.dataset)
        for address, estimate in figures(result)
        if estimate.value is not None
    ]
    assert len(printed) == 588
    missing = [
        (result.source.cited, address)
        for result, address in printed
        if not any((id(result), column.key) in on_pages for _, column in COLUMNS.get(address, []))
    ]
    assert missing == []
