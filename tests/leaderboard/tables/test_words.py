"""Figures, sources and remarks in words; every remark goes on to what follows from it."""

from __future__ import annotations

import json

from leaderboard.tables import words
from leaderboard.tables.columns import Metric
from tests.leaderboard.published import published

SHARE = Metric("accuracy", "Accuracy", "", unit="%", decimals=2)
SRCC = Metric("srcc", "SRCC", "")


def test_figures_gaps_and_times_are_in_their_units() -> None:
    """With true minus signs and no negative zero."""
    figures = {0.7336: "73.36", -0.05: "−5.00", -0.00001: "0.00", 1: "100.00"}
    assert {value: words.figure(value, SHARE) for value in figures} == figures
    assert (words.gap_text(0.0111, SHARE), words.gap_text(0.02, SRCC)) == ("1.11 points", "0.020")
    assert [words.duration(seconds) for seconds in (119.4, 120, 3600)] == ["119\xa0s", "2\xa0min", "60\xa0min"]
    assert words.shorten_name("Wide name", 6) == "Wide…"
    assert words.shorten_name("Wide name", 9) == "Wide name"


def test_half_an_interval_is_written_alike_on_every_page() -> None:
    """GPT-4V's 73.36 % of A1, Wilson's interval of 1494 questions: half of 71.07 to 75.54 is 2.235; (.62 - .58) / 2."""
    assert words.half_interval(0.71067, 0.75540, SHARE) == "±2.2"
    assert words.half_interval(0.58, 0.62, SRCC) == "±0.020"
    assert words.half_interval(None, 0.62, SHARE) == ""
    columns = json.loads(published().payload("perception-test"))["columns"]
    assert {column["half_decimals"] for column in columns} == {1}  # by which the board in the browser writes it


def test_every_mark_on_a_board_says_what_follows() -> None:
    snapshot = published()
    flags = {
        cell.note.text
        for board in snapshot.boards
        for row in snapshot.table(board.key, "all").rows.values()
        for cell in row.cells.values()
        if cell.note and cell.note.kind == "flag"
    }
    assert len(flags) > 300
    assert [text for text in flags if not ("So " in text or text.endswith("shown and ranked as printed."))] == []
