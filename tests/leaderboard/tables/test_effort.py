"""Tokens and prices of the answers behind a row."""

from __future__ import annotations

from dataclasses import replace

from leaderboard.store import records_of
from leaderboard.tables.columns import EVERYTHING
from leaderboard.tables.models import group_by_model
from leaderboard.tables.payload import answer
from leaderboard.tables.table import Table, build_table
from qbench.records import Result
from tests.leaderboard.made import board, find_model, result

USAGE = {"prompt_tokens": 900, "completion_tokens": 100, "cost": 0.5}


def run(model: str, dataset: str, raw: str, asked: int, **usage: float) -> Result:
    made = result(model, dataset, 0.5, protocol={"usage": usage} if usage else {})
    return replace(made, raw=raw, status={"asked": asked})


def table(*results: Result) -> Table:
    made = board()
    return build_table(group_by_model(records_of(results), find_model), made, made.choose(EVERYTHING))


def test_prompts_of_a_run_with_several_records_count_once_and_what_one_record_does_not_say_nobody_knows() -> None:
    """Alpha's one run: 1,000 tokens and 0.50 for 100 prompts. Beta's second record says nothing. Gamma's two runs:
    1,000 + 2,000 tokens for 100 + 50 prompts; only one of them has a price."""
    told = answer(
        table(
            run("alpha", "a", "one", 100, **USAGE),
            run("alpha", "b", "one", 100, **USAGE),
            run("beta", "a", "two", 100, **USAGE),
            run("beta", "b", "three", 100),
            run("gamma", "a", "four", 100, **USAGE),
            run("gamma", "b", "five", 50, prompt_tokens=2000),
        ),
        "abc1234",
    )
    found = {row["model"]: [row["figures"][f"effort/{name}"] for name in ("tokens", "cost")] for row in told["rows"]}
    assert {name: [figure["value"] for figure in both] for name, both in found.items()} == {
        "alpha": [10.0, 5.0],
        "beta": [None, None],
        "gamma": [20.0, None],
    }
    assert found["gamma"][0]["note"] == "150 prompts: 2,900 tokens read, 100 written"
