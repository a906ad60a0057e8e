"""What the Tournament page says: where it is, the ranked pictures, the model's habits, the five methods."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any
from urllib.parse import quote

from leaderboard import markup
from leaderboard.live.tournament import FEWEST, MOST, STOPPED, Standing
from leaderboard.markup import Cell, Row
from leaderboard.words import count, minus, percent, shorten
from qbench.records import Estimate, Picture

INTRODUCTION = (
    f"Which of {FEWEST} to {MOST} pictures looks best to a model? It compares them two by two, each pair in both "
    "orders; the ranking rests on the pairs it answers alike."
)
EMPTY = "The ranked pictures appear here as the answers come, each with its score and 95 % interval."
METHODS = {
    "map": "MAP",
    "mle": "MLE",
    "perron": "Perron rank",
    "trueskill": "TrueSkill",
    "bt": "Bradley–Terry",
}


def status(now: Standing, model: str) -> str:
    """Where the tournament is, in one line that screen readers are told."""
    return markup.page(f'<p class="qb-finding" role="status">{escape(_status(now, model))}</p>')


def _status(now: Standing, model: str) -> str:
    done = f"{len(now.presented)} of {count(now.total, 'comparison')}"
    if now.ended == STOPPED:
        return f"Stopped after {done}; the ranking rests on these."
    if now.ended == "all rounds":
        return f"All rounds are through: {count(now.total, 'comparison')} by {model} in {now.seconds:.0f} s."
    if now.ended:
        return f"Ended after {done}, and the ranking rests on these: {now.ended}"
    if now.ahead:
        return f"Waiting for {model}: {now.ahead} before you. {done} so far."
    if not now.presented and now.by_scores and now.seen:
        return f"{model} scores each picture by itself: {now.seen.done} of {now.seen.total}."
    if not now.presented:
        return f"Opening {model} and asking the first comparisons, {now.seconds:.0f} s so far."
    rate = len(now.presented) / now.seconds if now.seconds else 0.0
    left = "" if now.seconds_left is None else f", about {now.seconds_left:.0f} s left"
    return f"{done}, {rate:.1f} a second{left}."


def ranked(now: Standing, pictures: Mapping[str, Picture]) -> str:
    """The pictures, best first, with score and interval; as given while there is no ranking."""
    note = f"No ranking yet: {now.note}." if now.ranking is None else "MAP scores; 0 is the mean. Bars: 95 % interval."
    rows = "".join(_picture(now, pictures, rank, place) for rank, place in enumerate(now.order, start=1))
    return markup.page(markup.paragraph(note, "qb-note"), f'<ol class="qb-ranked">{rows}</ol>')


def _picture(now: Standing, pictures: Mapping[str, Picture], rank: int, place: int) -> str:
    name = now.names[place]
    address = escape(f"gradio_api/file={quote(pictures[name].path)}")
    shown = (
        f'<a href="{address}" target="_blank" rel="noopener"><img src="{address}" alt="" loading="lazy" width="64" '
        f'height="48"></a><bdi title="{escape(name)}">{escape(shorten(name, 30))}</bdi>'
    )
    ranking = now.ranking
    if ranking is None or ranking.low is None or ranking.high is None:
        return f"<li><b>–</b>{shown}</li>"
    least, most = float(ranking.low.min()), float(ranking.high.max())
    low, at, high = (
        float((end[place] - least) / (most - least)) for end in (ranking.low, ranking.scores, ranking.high)
    )
    score = minus(f"{ranking.scores[place]:.2f}")
    interval = minus(f"{ranking.low[place]:.2f} to {ranking.high[place]:.2f}")
    return (
        f"<li><b>{rank}</b>{shown}"
        f'<i title="95 % interval {interval}" style="--low:{low:.3f};--at:{at:.3f};--high:{high:.3f}"></i>'
        f"<strong>{score}</strong></li>"
    )


def habits(now: Standing) -> str:
    """Whether the order mattered."""
    if now.by_scores:
        return markup.page(
            markup.heading("Habits"),
            markup.paragraph("The model scores each picture by itself, so the order cannot matter.", "qb-finding"),
        )
    unusable = sum(one.choice is None for one in now.presented)
    lost = f"{count(unusable, 'answer')} could not be used and rank nothing." if unusable else ""
    kept = now.figures.get("consistency")
    if kept is None or kept.value is None:
        return markup.page(markup.heading("Habits"), markup.paragraph(lost, "qb-finding")) if lost else ""
    first, second, tie = (now.figures[name].value or 0.0 for name in ("first_rate", "second_rate", "tie_rate"))
    said = (
        f"Asked in both orders, it kept its answer for {_share(kept)} of the pairs; two coin flips would agree in "
        f"{percent(0.5)}."
    )
    named = (
        f"It named the first picture in {percent(first)} of its answers, the second in {percent(second)} and neither "
        f"in {percent(tie)}."
    )
    bar = (
        f'<div class="qb-positions" role="img" aria-label="{escape(named)}">'
        f'<i style="--share:{first:.4f}">first</i><i style="--share:{tie:.4f}"></i>'
        f'<i style="--share:{second:.4f}">second</i></div>'
    )
    return markup.page(
        markup.heading("Habits"),
        markup.paragraph(said, "qb-finding"),
        markup.paragraph(named, "qb-finding"),
        bar,
        markup.paragraph(lost, "qb-note"),
    )


def _share(one: Estimate) -> str:
    if one.low is None or one.high is None:
        return percent(one.value or 0.0)
    return f"{percent(one.value or 0.0)} (95 % interval {one.low * 100:.0f} to {percent(one.high)})"


def methods(rankings: Mapping[str, dict[str, Any] | str]) -> str:
    """Five methods side by side, as in the 2AFC paper's Table V: rank and score of every picture."""
    made = {name: one["scores"] for name, one in rankings.items() if not isinstance(one, str)}
    reasons = [f"{METHODS[name]}: {one}." for name, one in rankings.items() if isinstance(one, str)]
    notes = [markup.paragraph(one, "qb-note") for one in reasons]
    if not made:
        return markup.page(markup.heading("Methods"), *notes)
    ranks = {name: {item: rank for rank, item in enumerate(scores, start=1)} for name, scores in made.items()}
    rows: list[Row] = [
        [
            item,
            *(
                Cell(str(ranks[name][item]), minus(f"{made[name][item]:.2f}")) if name in made else "–"
                for name in METHODS
            ),
        ]
        for item in next(iter(made.values()))
    ]
    caption = "Rank by five methods from the same comparisons; small: the score, on each method's own scale"
    table = markup.table(["", *METHODS.values()], rows, caption, "Methods", "qb-figures")
    return markup.page(markup.heading("The same comparisons by five methods"), table, *notes)
