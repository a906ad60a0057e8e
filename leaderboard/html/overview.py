"""The overview as the browser gets it: sentences with their links, and each chart with its words, table and rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from leaderboard.analysis.overview import (
    BYTES_A_PARAMETER,
    CARD,
    LARGEST_ON_CARD,
    MARGIN,
    SMALL,
    BoardOverview,
    Choice,
    OpenAndClosed,
    Scored,
)
from leaderboard.charts.overview import size_text
from leaderboard.html import markup
from leaderboard.html.markup import Html
from leaderboard.html.timeline import timeline_block, verdict
from leaderboard.tables.columns import Board, Column
from leaderboard.tables.differences import ModelDifference
from leaderboard.tables.view import LEADERBOARD, PageView, link, model_address
from leaderboard.tables.words import count, figure_with_unit, gap_text, listed, percent

ON_CARD = (
    f"Counted with {BYTES_A_PARAMETER} bytes a parameter and {percent(MARGIN)} more for images, prompt and answer: "
    f"at most {LARGEST_ON_CARD:.3g} billion parameters in {CARD} GB. Parameters are nominal, as in a model's name."
)

_SENTENCES = markup.template("""
<ul class="qb-sentences">
{% for sentence in sentences %}<li>{{ sentence }}</li>{% endfor %}
</ul>
""")
_BEST_OPEN = markup.template("""
<a href="{{ address }}">The best open model</a>
{% if tip %}that <span class="qb-term" tabindex="0" data-tip="{{ tip }}">{{ kind }}</span>
{% else %}{{ kind }}
{% endif %}
on {{ board }} is {{ model }} ({{ size }}): {{ value }}.{{ rest }}
{% if compare %} <a href="{{ compare }}">Compare them</a>{% endif %}
""")
_NO_OPEN = markup.template("No open model on {{ board }} is known to fit one 24 GB card{{ why }}.")
_OPEN_AND_CLOSED = markup.template("""
<a href="{{ address }}">The best open model</a> on {{ board }}, {{ open }} ({{ value }}), {{ verdict }} the best
closed one, {{ closed }} ({{ other }}). <a href="{{ compare }}">Compare them</a>
""")
_OWN_PHOTOS = markup.template("""
<p class="qb-own">With your own photos: <a href="?tab=probe">score one</a>, <a href="?tab=pair">compare two</a> or
<a href="?tab=tournament">rank many</a>.</p>
""")
_MODEL = markup.template('<a class="qb-name" href="{{ address }}"><b>{{ name }}</b></a>')


def own_photos() -> Html:
    """Where a visitor's own photos are looked at."""
    return _OWN_PHOTOS()


def board_json(found: BoardOverview, as_of: str) -> dict[str, Any]:
    """What the page shows of one board; `as_of` says which data."""
    return {
        "board": found.timeline.board.key,
        "sentences": sentences(found),
        "charts": [timeline_block(found.timeline, found.with_people, as_of)] if found.timeline.best else [],
        "empty": "" if found.timeline.best else found.timeline.board.empty,
    }


def sentences(found: BoardOverview) -> Html:
    """What to take from a board, computed from its figures, each with a link to the view that shows it."""
    board, column = found.timeline.board, found.timeline.column
    told = [
        _best_open(board, column, found.on_card, LARGEST_ON_CARD, ON_CARD)
        if found.on_card.best
        else _no_open(board, found.on_card),
        _best_open(board, column, found.small, SMALL, "") if found.small.best else "",
        _open_and_closed(board, column, found.open_and_closed),
    ]
    return _SENTENCES(sentences=[sentence for sentence in told if sentence])


def _no_open(board: Board, choice: Choice) -> Html:
    without = f": of {count(choice.unknown, 'open model')} nobody states the size" if choice.unknown else ""
    return _NO_OPEN(board=board.title, why=without)


def _best_open(board: Board, column: Column, choice: Choice, most: float, tip: str) -> Html:
    """The best of a size; with a tip, those that fit a card, else those of up to 8B with the distance to the next."""
    first, others = choice.best[0], choice.best[1:]
    apart = "" if tip or not others else f" {_apart(others, choice.differences, column)}"
    return _BEST_OPEN(
        address=link(PageView(tab=LEADERBOARD, board=board.key, weights="open", size=(None, most)), ""),
        tip=tip,
        kind=f"fits one {CARD} GB card" if tip else f"of up to {int(most)}B",
        board=board.title,
        model=_model(first),
        size=size_text(first.model),
        value=figure_with_unit(first.figure.value, column.metric),
        rest=apart,
        compare=_compare(board, choice.best) if apart else "",
    )


def _apart(others: Sequence[Scored], pairs: Sequence[ModelDifference], column: Column) -> str:
    """Each of the next best with its distance, those alike in verdict together."""
    groups: dict[str, list[str]] = {}
    for scored, pair in zip(others, pairs, strict=True):
        ahead = f"{scored.model.name} by {gap_text(pair.value, column.metric)}"
        groups.setdefault(verdict(pair), []).append(ahead)
    return "It leads " + "; and ".join(f"{listed(names)}, {words}" for words, names in groups.items()) + "."


def _open_and_closed(board: Board, column: Column, found: OpenAndClosed | None) -> Html:
    if found is None:
        return Html()
    by = gap_text(found.difference.value, column.metric)
    ahead = found.difference.leader == found.open.model.id
    return _OPEN_AND_CLOSED(
        address=link(PageView(tab=LEADERBOARD, board=board.key, weights="open"), ""),
        board=board.title,
        open=_model(found.open),
        value=figure_with_unit(found.open.figure.value, column.metric),
        closed=_model(found.closed),
        other=figure_with_unit(found.closed.figure.value, column.metric),
        verdict=f"is {by} {'ahead of' if ahead else 'behind'} ({verdict(found.difference)})",
        compare=_compare(board, (found.open, found.closed)),
    )


def _model(scored: Scored) -> Html:
    return _MODEL(address=model_address(scored.model.id), name=scored.model.name)


def _compare(board: Board, models: Iterable[Scored]) -> str:
    names = tuple(scored.model.id for scored in models)
    return link(PageView(tab="compare", board=board.key, models=names), "")
