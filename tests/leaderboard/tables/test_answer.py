from __future__ import annotations

import json
from typing import Any

from leaderboard.store import records_of
from leaderboard.store.submission import Entry
from leaderboard.tables.columns import ColumnChoice
from leaderboard.tables.models import group_by_model
from leaderboard.tables.payload import answer
from leaderboard.tables.table import build_table
from qbench.records import Estimate, Result
from tests.leaderboard.handed_in import submission
from tests.leaderboard.made import board, find_model, result


def answer_of(*results: Result) -> dict[str, Any]:
    made = board()
    table = build_table(group_by_model(records_of(results), find_model), made, made.choose("srcc"))
    return json.loads(json.dumps(answer(table, "abc1234"), allow_nan=False))


def test_rows_carry_ranks_figures_and_sources() -> None:
    said = answer_of(
        result("alpha", "a", Estimate(0.7, 0.6, 0.8)),
        result("alpha", "b", 0.5),
        result("beta", "a", 0.1),
        result("people", "a", 0.9),
    )
    first, second = said["rows"]
    assert (first["model"], first["rank"], first["open"], first["parameters"]) == ("alpha", 1, True, 7.0)
    assert first["figures"]["a/srcc"] == {"value": 0.7, "low": 0.6, "high": 0.8}
    assert first["sources"] == [
        {"kind": "paper", "reference": "Table 1", "columns": ["a/srcc"]},
        {"kind": "paper", "reference": "Table 1", "columns": ["b/srcc"]},
    ]
    assert second["rank"] is None
    assert second["figures"]["b/srcc"] == {"value": None, "low": None, "high": None}
    assert second["figures"]["mean/srcc"]["note"] == "no average, because there is no figure for B"
    assert [row["model"] for row in said["references"]] == ["people"]
    assert said["references"][0]["rank"] is None


def test_what_was_handed_in_names_its_submission_and_what_its_author_said() -> None:
    made = submission()
    records = records_of(made.results, Entry(made, made.digest, "accepted"))
    said = answer(build_table(group_by_model(records, find_model), board(), ColumnChoice()), "abc1234")
    [source] = said["rows"][0]["sources"]
    assert (source["submission"], source["prompts"], source["trained_on"]) == (made.digest, "", ["KonIQ-10k"])
