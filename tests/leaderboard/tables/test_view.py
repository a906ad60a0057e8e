from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.boards import all_boards
from leaderboard.tables.view import PageView, from_query, link, to_query
from tests.leaderboard.made import board

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
