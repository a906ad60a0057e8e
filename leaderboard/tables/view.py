"""The state of the pages, as a dataclass and as the query of a link. `assets/board/view.js` is the same in the browser.

Links come from anywhere: what a query says that no page understands is ignored, never an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar, get_args
from urllib.parse import urlencode

from leaderboard.tables.columns import EVERYTHING, Board
from qbench.errors import UserError
from qbench.records import SourceKind

OVERVIEW = "overview"
"""The tab of a query that says nothing."""
LEADERBOARD = "leaderboard"
"""The tab of a query that describes a view and names none, as links did before there was an overview."""
LONGEST_TEXT = 200
MOST_QUERY_ITEMS = 100

BoundT = TypeVar("BoundT")


@dataclass(frozen=True)
class PageView:
    """One state of the pages; defaults show everything."""

    tab: str = OVERVIEW
    board: str = ""
    """Key of a board; empty for the first."""
    metric: str = ""
    """Key of one of the board's metric views; empty for its default."""
    part: str = EVERYTHING
    sort: str = ""
    """`rank` (empty), `model`, `size`, `released` or the key of a column."""
    reverse: bool = False
    """Worst first, Z to A, smallest first."""
    search: str = ""
    weights: str = ""
    """`open`, `closed` or empty for both."""
    size: tuple[float | None, float | None] = (None, None)
    """Billions of parameters, from and to."""
    released: tuple[str | None, str | None] = (None, None)
    """Months as YYYY-MM, from and to."""
    sources: tuple[str, ...] = ()
    """Kinds of source to show; empty for all."""
    facets: Mapping[str, str] = field(default_factory=dict)
    """Model fact -> value to show; also `class`, `asked` and `reporter` (see leaderboard/tables/classes.py)."""
    untrained: bool = False
    """Without models that were trained on the data shown."""
    all_sources: bool = False
    """A row for each source of a model's figures, below the row that ranks."""
    hidden: tuple[str, ...] = ()
    """Keys of columns taken away."""
    models: tuple[str, ...] = ()
    """Ids of the models to compare."""


def from_query(
    query: Mapping[str, str], boards: Sequence[Board], tabs: Collection[str] = (OVERVIEW, LEADERBOARD)
) -> PageView:
    """The view a link asks for, as far as it can be understood; `tabs` are the keys of those that there are."""
    board = next((known for known in boards if known.key == query.get("board")), None)
    metric, part = _choice(board or boards[0], query) if boards else ("", EVERYTHING)
    weights = query.get("weights", "")
    facets = {name[2:]: _text(value) for name, value in list(query.items())[:MOST_QUERY_ITEMS] if name.startswith("f.")}
    view = PageView(
        tab=LEADERBOARD,
        board=board.key if board else "",
        metric=metric,
        part=part,
        sort=_text(query.get("sort", "")),
        reverse=query.get("order") == "reverse",
        search=_text(query.get("q", "")),
        weights=weights if weights in ("open", "closed") else "",
        size=_range(query.get("size", ""), _number),
        released=_range(query.get("released", ""), _month),
        sources=tuple(kind for kind in _items(query.get("source", "")) if kind in get_args(SourceKind)),
        facets={name: value for name, value in facets.items() if name and value},
        untrained=query.get("untrained") == "1",
        all_sources=query.get("rows") == "all",
        hidden=_items(query.get("hide", "")),
        models=_items(query.get("models", "")),
    )
    if query.get("tab") in tabs:
        return replace(view, tab=query["tab"])
    return PageView() if view == PageView(tab=LEADERBOARD) else view


def to_query(view: PageView) -> dict[str, str]:
    """The shortest query that brings the view back; the default view has none."""
    query = {
        "tab": "" if view == PageView() else view.tab,
        "board": view.board,
        "metric": view.metric,
        "part": view.part if view.part != EVERYTHING else "",
        "sort": view.sort,
        "order": "reverse" if view.reverse else "",
        "q": view.search,
        "weights": view.weights,
        "size": _span(view.size),
        "released": _span(view.released),
        "source": ",".join(view.sources),
        **{f"f.{name}": value for name, value in view.facets.items()},
        "untrained": "1" if view.untrained else "",
        "rows": "all" if view.all_sources else "",
        "hide": ",".join(view.hidden),
        "models": ",".join(view.models),
    }
    return {name: value for name, value in query.items() if value}


def link(view: PageView, base: str) -> str:
    """Address of a view on the page at `base`."""
    query = urlencode(to_query(view))
    return f"{base}?{query}" if query else base


def model_address(model: str) -> str:
    """Address of the page of one model, by its id."""
    return f"?{urlencode({'tab': 'model', 'model': model})}"


def _choice(board: Board, query: Mapping[str, str]) -> tuple[str, str]:
    metric, part = query.get("metric", ""), query.get("part", EVERYTHING)
    try:
        board.choose(metric)
    except UserError:
        metric = ""
    try:
        board.choose(metric, part)
    except UserError:
        part = EVERYTHING
    return metric, part


def _text(value: str) -> str:
    return value[:LONGEST_TEXT]


def _items(value: str) -> tuple[str, ...]:
    return tuple(item for item in value.split(",")[:MOST_QUERY_ITEMS] if item and len(item) <= LONGEST_TEXT)


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\d{1,6}(\.\d{1,6})?", text, re.ASCII) else None


def _month(text: str) -> str | None:
    return text if re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", text, re.ASCII) else None


def _range(text: str, read: Callable[[str], BoundT | None]) -> tuple[BoundT | None, BoundT | None]:
    low, _, high = text.partition("..")
    return read(low), read(high)


def _span(bounds: tuple[float | str | None, float | str | None]) -> str:
    low, high = ("" if bound is None else f"{bound:.12g}" if isinstance(bound, float) else bound for bound in bounds)
    return f"{low}..{high}" if low or high else ""
