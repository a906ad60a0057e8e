"""The view that a link brings back, and what stands under a table."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.boards import all_boards
from leaderboard.snapshot import Snapshot
from leaderboard.store import Loaded, records_of
from leaderboard.store.submission import Entry, Status, Submission
from leaderboard.tables.models import group_by_model
from leaderboard.tables.unranked import MOST_LISTED, Unranked, find_unranked
from leaderboard.tables.view import PageView, from_query, link, to_query
from qbench.records import Result
from tests.leaderboard.handed_in import submission
from tests.leaderboard.made import board, find_model, result

BOARDS = (board(),)
TABS = ("overview", "leaderboard", "compare", "bias")
WORDS = st.text(st.characters(exclude_characters=",", exclude_categories=["Cs"]), min_size=1, max_size=30)
MONTHS = st.none() | st.dates().map(lambda day: f"{day:%Y-%m}".zfill(7))
SIZES = st.none() | st.integers(0, 9999).map(lambda n: n / 10)

VIEWS = st.builds(
    PageView,
    tab=st.sampled_from(TABS),
    board=st.sampled_from(["", "made"]),
    metric=st.sampled_from(["", "both", "srcc", "all"]),
    part=st.sampled_from(["all", "mean", "a"]),
    sort=st.text(max_size=30),
    reverse=st.booleans(),
    search=st.text(max_size=200),
    weights=st.sampled_from(["", "open", "closed"]),
    size=st.tuples(SIZES, SIZES),
    released=st.tuples(MONTHS, MONTHS),
    sources=st.lists(st.sampled_from(["paper", "live"]), unique=True).map(tuple),
    facets=st.dictionaries(WORDS, WORDS, max_size=3),
    untrained=st.booleans(),
    all_sources=st.booleans(),
    hidden=st.lists(WORDS, max_size=5).map(tuple),
    models=st.lists(WORDS, max_size=5).map(tuple),
)


@given(VIEWS)
def test_a_link_brings_the_view_back(view: PageView) -> None:
    assert from_query(to_query(view), BOARDS, TABS) == view


def test_a_link_is_encoded() -> None:
    assert link(PageView(tab="bias", search="a & b", hidden=("x", "y")), "/") == "/?tab=bias&q=a+%26+b&hide=x%2Cy"


@given(
    st.dictionaries(
        st.sampled_from(
            [
                *to_query(PageView(tab="bias")),
                "board",
                "metric",
                "part",
                "size",
                "released",
                "source",
                "q",
                "hide",
                "models",
                "f.",
                "f.kind",
                "order",
            ]
        ),
        st.text(),
    )
)
def test_no_query_is_an_error(query: dict[str, str]) -> None:
    view = from_query(query, BOARDS, TABS)
    assert from_query(to_query(view), BOARDS, TABS) == view


@pytest.mark.parametrize(
    "query",
    [
        {"board": "../../etc/passwd"},
        {"metric": "<script>"},
        {"part": "nowhere"},
        {"tab": "admin"},
        {"weights": "both"},
        {"size": "nan..inf"},
        {"size": "-1.."},
        {"released": "2023-13..soon"},
        {"source": "rumour"},
        {"f.": "x"},
        {"unheard": "of"},
    ],
)
def test_what_is_not_understood_is_ignored(query: dict[str, str]) -> None:
    assert from_query(query, BOARDS, TABS) == PageView()


def test_long_and_many_are_cut() -> None:
    view = from_query({"q": "x" * 10_000, "models": ",".join(str(n) for n in range(10_000))}, BOARDS, TABS)
    assert len(view.search) == 200
    assert len(view.models) == 100


def test_a_choice_is_checked_against_its_own_board() -> None:
    boards = all_boards()
    assert from_query({"board": "assessment", "metric": "srcc", "part": "spaq"}, boards).part == "spaq"
    assert from_query({"board": "description", "metric": "srcc", "part": "spaq"}, boards) == replace(
        PageView(), tab="leaderboard", board="description"
    )


@pytest.mark.parametrize(
    ("query", "tab"),
    [
        ({}, "overview"),
        ({"tab": "overview", "board": "made"}, "overview"),
        ({"tab": "leaderboard"}, "leaderboard"),
        ({"board": "made"}, "leaderboard"),
        ({"q": "llava"}, "leaderboard"),
        ({"tab": "admin", "weights": "open"}, "leaderboard"),
        ({"tab": "bias"}, "bias"),
    ],
)
def test_a_link_from_before_there_was_an_overview_opens_the_board(query: dict[str, str], tab: str) -> None:
    assert from_query(query, BOARDS, TABS).tab == tab


BOARD = board(protocol={"limit": (), "strategy": ("softmax",)})


def part(model: str = "Alpha (7B)", srcc: float = 0.5, at: str = "2026-01-01", **protocol: Any) -> Result:
    made = result(model, "a", srcc, kind="rescored", at=at, protocol={"limit": 12, **protocol})
    return replace(made, status={"scored": 12, "missing": 10_061})


def entry(made: Submission, status: Status = "pending") -> Entry:
    return Entry(made, made.digest, status)


def unranked(*results: Result, entry: Entry | None = None, entries: tuple[Entry, ...] = ()) -> Unranked:
    loaded = Loaded(records_of(results, entry), (), "abc1234", entries)
    return find_unranked(group_by_model(loaded.records, find_model), loaded.pending, BOARD, find_model)


def test_a_result_on_a_part_is_listed_with_its_coverage_and_never_in_the_table() -> None:
    results = (part(), result("beta", "a", 0.4))
    [one] = unranked(*results).partial
    assert (one.model, one.covers, one.figures) == ("Alpha", "12 of 10,073", {"a/srcc": 0.5})
    table = Snapshot(Loaded(records_of(results), (), "abc1234"), (BOARD,), find_model).table("made")
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


def test_what_no_board_takes_even_when_whole_is_left_out() -> None:
    elsewhere = replace(part(), dataset="nowhere")
    people = replace(part(), model="people")
    assert unranked(part(strategy="argmax"), elsewhere, people).partial == ()


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
                },
            }
        ],
    }
