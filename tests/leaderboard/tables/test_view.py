"""Addresses of views, and what stands under a table."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from leaderboard.look import address, board_address
from leaderboard.store import Loaded, records_of
from leaderboard.store.submission import Entry, Status, Submission
from leaderboard.tables.models import group_by_model
from leaderboard.tables.unranked import MOST_LISTED, Unranked, find_unranked
from qbench.records import Result
from tests.leaderboard.handed_in import submission
from tests.leaderboard.made import board, find_model, result, snapshot


def part(model: str = "Alpha (7B)", srcc: float = 0.5, at: str = "2026-01-01", **protocol: Any) -> Result:
    made = result(model, "a", srcc, kind="rescored", at=at, protocol={"limit": 12, **protocol})
    return replace(made, status={"scored": 12, "missing": 10_061})


def test_addresses_are_encoded_and_say_nothing_of_what_is_empty() -> None:
    assert address("bias", search="a & b", chart="") == "?tab=bias&search=a+%26+b"
    assert board_address("made", "é") == "?tab=leaderboard&board=made&q=%C3%A9"


BOARD = board(protocol={"limit": (), "strategy": ("softmax",)})


def entry(made: Submission, status: Status = "pending") -> Entry:
    return Entry(made, made.digest, status)


def unranked(*results: Result, entry: Entry | None = None, entries: tuple[Entry, ...] = ()) -> Unranked:
    loaded = Loaded(records_of(results, entry), (), "abc1234", entries)
    return find_unranked(group_by_model(loaded.records, find_model), loaded.pending, BOARD, find_model)


def test_a_result_on_a_part_is_listed_with_its_coverage_and_never_in_the_table() -> None:
    results = (part(), result("beta", "a", 0.4))
    [one] = unranked(*results).partial
    assert (one.model, one.covers, one.figures) == ("Alpha", "12 of 10,073", {"a/srcc": 0.5})
    table = snapshot(results, BOARD).table("made")
    assert list(table.ranked) == ["beta"]


@pytest.mark.parametrize(
    ("protocol", "covers"), [({"rounds": 3}, "3 rounds"), ({"rounds": 3.67, "limit": 12}, "12 images, 3.67 rounds")]
)
def test_fewer_rounds_are_a_part_too_and_all_of_them_are_not(protocol: dict[str, Any], covers: str) -> None:
    made = board(protocol={"limit": (), "rounds": (12,)})
    few, all_of_them = (result("alpha", "a", 0.5, protocol=made) for made in (protocol, {"rounds": 12}))
    models = group_by_model(records_of((few, all_of_them)), find_model)
    [one] = find_unranked(models, (), made, find_model).partial
    assert (one.record.result, one.covers) == (few, covers)


def test_the_newest_part_stands_first_and_what_no_board_takes_even_when_whole_is_left_out() -> None:
    days = ("2026-02-01", "2026-03-01", "2026-01-01")
    parts = [part(srcc=0.5 + place / 10, at=day) for place, day in enumerate(days)]
    elsewhere = (part(strategy="argmax"), replace(part(), dataset="nowhere"), replace(part(), model="people"))
    told = unranked(*parts, *elsewhere).partial
    assert [found.origin["at"] for found in told] == ["2026-03-01", "2026-02-01", "2026-01-01"]


def test_what_waits_is_listed_where_it_would_stand_whole_or_part() -> None:
    whole, some = entry(submission("whole")), entry(submission("some", results=(part("some"),)))
    other = entry(submission("other", results=(replace(part("other"), task="perception"),)))
    decided = [entry(submission(name), name) for name in ("accepted", "withdrawn", "superseded")]  # type: ignore[arg-type]
    assert unranked(entries=(whole, some, other, *decided)).pending == (whole, some)


def test_of_what_waits_only_the_count_is_told() -> None:
    waiting = tuple(entry(submission(f"m{number}", value=number / 100)) for number in range(MOST_LISTED + 5))
    told = json.loads(json.dumps(unranked(part(), entries=waiting).to_json()))
    assert told["pending"] == 25
    assert told["partial"] == {
        "count": 1,
        "newest": [
            {
                "model": "Alpha",
                "covers": "12 of 10,073",
                "figures": {"a/srcc": 0.5},
                "origin": {
                    "kind": "rescored",
                    "reference": "Table 1",
                    "url": "https://example.org/paper",
                    "at": "2026-01-01",
                    "protocol": ["limit: 12"],
                    "place": "Table 1",
                },
            }
        ],
    }
