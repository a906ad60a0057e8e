from __future__ import annotations

import re

from leaderboard.analysis.position import ModelOnPairs, PositionFinding
from leaderboard.analysis.yes_no import find_yes_no
from leaderboard.html.bias import correlation_table, yes_no_table
from leaderboard.store import records_of
from leaderboard.tables.cells import Cell
from qbench.models.catalogue import ModelFacts
from qbench.records import Estimate
from tests.leaderboard.analysis.test_bias import answers
from tests.leaderboard.made import board


def cells(html: str) -> list[list[str]]:
    """What stands in each row of a table."""
    rows = [re.findall("<t[hd].*?</t[hd]>", row, re.DOTALL) for row in re.findall("<tr.*?</tr>", html, re.DOTALL)]
    return [[" ".join(re.sub("<[^>]+>", " ", cell).split()) for cell in row] for row in rows[1:]]


def test_a_model_moves_up_where_its_rank_by_the_mean_is_better() -> None:
    """Right in 100 of 120 questions but half of those with No; in 91 but 75 and 80 % of each kind."""
    results = [answers("says-yes", (90, 100), (10, 20)), answers("fair", (75, 100), (16, 20))]
    [finding] = find_yes_no(records_of(results), lambda _name: None)
    ranks = {row[0]: (row[5], row[6]) for row in cells(yes_no_table(finding))}
    assert ranks == {"fair": ("2", "1 up 1"), "says-yes": ("1", "2 down 1")}


def test_a_star_marks_what_coin_flips_reach() -> None:
    def on_pairs(key: str, correlation: float) -> ModelOnPairs:
        chance = Estimate(0.2, 0.0, 0.5)
        return ModelOnPairs(ModelFacts("m", "M", "model"), key, key, 30, Cell(0.5), None, correlation, chance)

    found = (on_pairs("above", 0.6), on_pairs("within", 0.3), on_pairs("below", -0.1))
    rows = cells(correlation_table(PositionFinding(board(), found, "", "", ())))
    assert [re.search(r"\d(\**) ", row[-1])[1] for row in rows] == ["", "*", "*"]  # type: ignore[index]
