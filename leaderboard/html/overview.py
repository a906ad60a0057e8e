"""The first page: what the boards are about, one real question, the best models of three boards; each board by date."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from leaderboard.analysis.overview import BoardSummary, PeopleLevel, Scored
from leaderboard.charts.overview import size_text, timeline_chart, weights_text
from leaderboard.html import markup
from leaderboard.html.markup import Html
from leaderboard.look import board_address, model_address
from leaderboard.tables.columns import Column, Metric
from leaderboard.tables.words import cite, count, figure_with_unit, gap_text, listed, minus
from qbench.datasets.demo import read_demo_set

LISTS = (
    ("Which model sees best?", "Questions about one photo (dev half), answered right.", "perception-dev"),
    (
        "Which trained scorer does best on new photos?",
        "Rank correlation with people's scores, on photos that the model was not trained on.",
        "assessment-trained",
    ),
    ("Which model compares two photos best?", "Questions about two photos, answered right.", "perception-pairs-test"),
)
"""Question, what the figures are, and the board that answers."""
TOP = 5
"""Models of a list of the best."""
ASKED = "perception-test"
"""The board that people were asked on, whose questions are like the example."""
SHOWN = frozenset({ASKED, *(key for _, _, key in LISTS)})
QUESTION = "Can multimodal models see blur, noise and bad exposure the way people do?"
EXAMPLE = "raccoon--overexposure--4.png 2"
"""A question of the demo set; assets/board/example.jpg is its picture."""

_OPENING = markup.template("""
<div class="qb qb-page qb-first" data-revision="{{ revision }}">
<header class="qb-opening">
<h1>{{ question }}</h1>
<p>{{ models }} on {{ boards }}. The figures come from papers, from raw answers that we scored again, and from runs of
this tool. Every figure shows its source and, where it is known, its 95&nbsp;% interval. Data as of
<span>{{ as_of }}</span>.</p>
{% if in_app %}
<p class="qb-bar">
<a class="qb-button" href="?tab=probe">Score one photo</a> <a class="qb-button" href="?tab=pair">Compare two photos</a>
<a class="qb-button" href="?tab=tournament">Rank many</a>
<a class="qb-button" href="?tab=leaderboard">See all boards</a></p>
<p>You can also <a href="?tab=run#own">test a model on your own photos and scores</a>, or
<a href="?tab=submit">hand in results</a>.</p>
{% endif %}
</header>
<section class="qb-example" aria-label="A question that models are asked">
<img src="{{ picture }}" width="512" height="384" alt="A raccoon among leaves. The photo is far too bright.">
<div><p class="qb-note">A question that models are asked</p>
<p class="qb-question">{{ example.question }}</p>
<ul>
{% for option in example.options %}
<li{% if loop.index0 == example.answer %} class="qb-right"{% endif %}>{{ "ABCD"[loop.index0] }}. {{ option }}
{%- if loop.index0 == example.answer %} <span aria-label="the right one">✓</span>{% endif %}</li>
{% endfor %}
</ul>
{% if asked %}
<p>The questions come in two halves, dev and test, and have two to four options. On the {{ questions }} test questions
{{ people }} get <b>{{ of_people }}</b> right and the best model <b>{{ of_best }}</b>; guessing would get
{{ of_chance }}.</p>
{% endif %}
<p class="qb-note">In other tasks models score a photo, say which of two looks better, or describe what is wrong.
<a href="?tab=about">What is asked, and how it is measured</a></p></div>
</section>
<div class="qb-lists">
{% for list in lists %}<section>{{ list }}</section>{% endfor %}
</div>
</div>
""")
_VERDICTS = {
    True: "more than chance explains",
    False: "which chance alone may explain",
    None: "and the records do not say whether chance explains it",
}
"""Whether two models are apart."""
_LIST = markup.template("""
<h2>{{ question }}</h2><p class="qb-note">{{ what }}</p>
<ol>
{% for row in rows %}
<li><i>{{ loop.index }}</i> <a href="{{ row.address }}"><bdi>{{ row.name }}</bdi></a> <small>{{ row.facts }}</small>
<b>{{ row.figure }}</b>{% if row.interval %}<span class="qb-sr">, {{ row.interval }}</span>{% endif %}
{{ row.bar }}</li>
{% endfor %}
</ol>
<p class="qb-note">{{ ends }}</p>
<p class="qb-note">{{ sure }} <a href="{{ address }}">All {{ models }}</a></p>
""")


def opening(index: Mapping[str, Any], tops: Mapping[str, BoardSummary], picture: str, *, in_app: bool = True) -> Html:
    """The first screen.

    Args:
        index: How much there is, as `Snapshot.index` says.
        tops: The boards of `SHOWN`, by their keys, where there are such.
        picture: Address of the example's picture.
        in_app: Whether there are pages for visitors' own photos.
    """
    return _OPENING(
        question=QUESTION,
        revision=index["revision"],
        models=count(index["models"], "model"),
        boards=count(sum(not board["empty"] for board in index["boards"]), "board"),
        as_of=index["as_of"],
        in_app=in_app,
        picture=picture,
        example=next(sample for sample in read_demo_set("demo-perception")[0] if sample.id == EXAMPLE),
        **_asked(tops.get(ASKED)),
        lists=[_list(question, what, tops[key]) for question, what, key in LISTS if key in tops and tops[key].ranked],
    )


def _asked(found: BoardSummary | None) -> dict[str, object]:
    """What people, the best model and guessing get on questions like the example; nothing where that is not known."""
    if not (found and found.ranked and found.people and found.chance is not None):
        return {"asked": False}
    metric, best, people = found.column.metric, found.ranked[0], found.people[-1]
    return {
        "asked": True,
        "questions": f"{best.figure.n or 0:,}",
        "people": "experienced people" if people.model.id == "human-senior" else "people",
        "of_people": _short(people.figure.value, metric, 0),
        "of_best": _short(best.figure.value, metric, 0),
        "of_chance": _short(found.chance, metric, 0),
    }


def _list(question: str, what: str, found: BoardSummary) -> Html:
    metric = found.column.metric
    levels = [("qb-chance", "guessing" if metric.proportion else "no relation", found.chance)]
    levels += [("qb-people", best.model.name, best.figure.value) for best in found.people[-1:]]
    known = [(kind, name, value) for kind, name, value in levels if value is not None]
    return _LIST(
        question=question,
        what=what,
        rows=[_row(scored, metric, [(kind, value) for kind, _, value in known]) for scored in found.ranked[:TOP]],
        ends=" · ".join(
            f"{'╎' if kind == 'qb-chance' else '┃'} {name} {_short(value, metric)}" for kind, name, value in known
        ),
        sure=_sure(found),
        address=board_address(found.table.board.key),
        models=count(len(found.ranked), "model"),
    )


def _row(scored: Scored, metric: Metric, levels: list[tuple[str, float]]) -> dict[str, str]:
    model, low, high = scored.model, scored.figure.low, scored.figure.high
    facts = ["open" if model.open else "", size_text(model) if model.parameters else ""]
    span = "" if low is None or high is None else f"95 % interval {_short(low, metric)} to {_short(high, metric)}"
    return {
        "name": model.name,
        "facts": ", ".join(filter(None, facts)),
        "address": model_address(model.id),
        "figure": _short(scored.figure.value, metric),
        "bar": markup.range_bar(scored.figure.value, low, high, levels),
        "interval": span,
    }


def _sure(found: BoardSummary) -> str:
    if found.may_be_first is None:
        return "The sources give no intervals."
    if found.may_be_first == 1:
        return f"{found.ranked[0].model.name} leads clearly."
    return f"The lead may be chance: any of {found.may_be_first} models could be the best."


def _short(value: float, metric: Metric, decimals: int = 1) -> str:
    """A figure in three digits, or two, with its unit."""
    if metric.unit == "%":
        return f"{value * metric.scale:.{decimals}f}\u00a0%"
    return minus(f"{value:.3f}")


KEY = (
    "● open weights  ◇ closed weights  □ unknown. A larger mark is a model with more parameters; the smallest are "
    "models of unknown size."
)
LEVEL_QUESTION = "is the field at people's level?"
BEST_QUESTION = "who was best, and when?"


def timeline_json(found: BoardSummary, as_of: str) -> dict[str, Any]:
    """One board's models by release month, as the browser gets them; `as_of` says which data."""
    if not found.ranked:
        return {"charts": [], "empty": found.table.board.empty}
    metric = found.column.metric
    unit = f"{metric.label} ({metric.unit})" if metric.unit else metric.label
    records = {scored.model.id for scored in found.records}
    header = ["Model", "Released", "Parameters (billions)", "Weights", unit, "95 % from", "95 % to", "Record"]
    rows = [
        [
            scored.model.name,
            scored.model.released or "",
            "" if scored.model.parameters is None else f"{scored.model.parameters:g}",
            weights_text(scored.model),
            *(
                "" if value is None else f"{value * metric.scale:.{metric.decimals}f}"
                for value in (scored.figure.value, scored.figure.low, scored.figure.high)
            ),
            "best so far" if scored.model.id in records else "",
        ]
        for scored in (*found.dated, *found.undated)
    ]
    shown = [
        [name, *(minus(text) or "–" for text in figures), *(text or "–" for text in (released, size, weights)), record]
        for name, released, size, weights, *figures, record in rows
    ]
    heads = [header[0], *header[4:7], *header[1:4], header[7]]  # on a phone the figure is seen without scrolling
    undated = listed(scored.model.name for scored in found.undated)
    block = markup.chart_block(
        key="released",
        name=f"{found.table.board.title}: {LEVEL_QUESTION if found.people else BEST_QUESTION}",
        said=people_sentence(found),
        chart=timeline_chart(found) if found.dated else None,
        rows=[header, *rows],
        under=markup.join(
            markup.note(KEY if found.dated else ""),
            markup.note(undated and f"Not in the chart, because their release month is unknown: {undated}."),
            markup.source_line(cite(found.sources, as_of)),
            markup.figures_below(heads, shown, "By release month", found.table.board.title),
        ),
    )
    return {"charts": [block], "empty": ""}


def people_sentence(found: BoardSummary) -> str:
    """Whether the field is at people's level, and who was the first."""
    column = found.column
    if found.people:
        return " ".join(_people(level, column, found.ranked[0]) for level in found.levels)
    best = found.ranked[0]
    return f"The best so far is {best.model.name} with {figure_with_unit(best.figure.value, column.metric)}."


def _people(level: PeopleLevel, column: Column, best: Scored) -> str:
    people = f"{level.people.model.name} ({figure_with_unit(level.people.figure.value, column.metric)})"
    if level.first:
        return (
            f"{level.first.model.name}, released {level.first.model.released}, was the first to be level with {people}."
        )
    if level.nearest:
        behind = f"{gap_text(level.nearest.value, column.metric)} behind, {_VERDICTS[level.nearest.apart]}"
        return f"No model is level with {people} yet: {best.model.name} is {behind}."
    return f"Only models without a known release month are level with {people}."
