"""Every remark on a printed figure goes on to what follows from it."""

from __future__ import annotations

import pytest

from leaderboard.tables.remarks import with_consequence
from tests.leaderboard.published import published


@pytest.mark.parametrize(
    ("remark", "follows"),
    [
        ("35.01 % of 594 questions is no whole count.", "cannot come from 594 questions: a slip in printing"),
        ("No count of 548 questions gives 69.09 %; the overall implies 379.", "cannot come from 548 questions"),
        ("46.15 % of 521 questions is no whole count; of 520, by an older version of the labels, it is 240.", "older"),
        ("not the mean of the printed cells; rounded cells can explain the difference", "nothing is known to be wrong"),
        ("The cells by type average 1 %, those by concern 2 %; printed is 3 %.", "cannot both be right"),
        ("The logits the authors released give 0.246.", "files disagree"),
        ("undefined, printed as 0.000: no pair was answered consistently", "no measured correlation"),
        ("something that nobody foresaw", "The figure is shown and ranked as printed."),
    ],
)
def test_what_follows(remark: str, follows: str) -> None:
    told = with_consequence(remark)
    assert told.startswith(f"{remark.rstrip('.')}. ")
    assert follows in told.removeprefix(remark.rstrip("."))


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
