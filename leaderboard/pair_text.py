"""Two photos and which of them a model prefers, as HTML: the verdict first, then each asking."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from leaderboard import markup
from leaderboard.live.pair import NAMES, Asked, Compared, Scored, Turn
from leaderboard.markup import Cell, Row
from leaderboard.words import minus
from qbench.records import Picture

INTRODUCTION = "Which of two photos does a model prefer, and does it keep its answer when they change places?"
EMPTY = "Choose two photos: the model is asked in both orders, and its answers will appear here."
_MODES = {"side": "Side by side", "blink": "Blink", "slider": "Slider", "full": "Full size"}
_PLACES = {"first": "the first", "second": "the second", "tie": "neither", None: "no answer"}


def viewer(pictures: Sequence[Picture]) -> str:
    """Both photos, with ways of looking at them."""
    modes = "".join(
        f'<label><input type="radio" name="pair-mode" value="{key}"{checked}>{label}</label>'
        for (key, label), checked in zip(_MODES.items(), (" checked", "", "", ""), strict=True)
    )
    photos = "".join(
        f'<figure tabindex="0"><figcaption>{name}</figcaption><img src="{markup.file_address(picture.path)}" '
        f'alt="Photo {name}"></figure>'
        for name, picture in zip(NAMES, pictures, strict=True)
    )
    cut = '<input class="qb-cut" type="range" min="0" max="100" value="50" aria-label="Where photo B begins">'
    return markup.page(
        f'<div class="qb-viewer"><div class="qb-modes" role="radiogroup" aria-label="How to look">{modes}{cut}</div>'
        f'<div class="qb-photos">{photos}</div></div>'
    )


def found(compared: Compared, status: str = "") -> str:
    """Everything that is known so far; `status` says what is going on."""
    parts = [markup.paragraph(status, "qb-note")]
    if compared.scored:
        parts.append(_scored(compared.scored, compared.model))
    if compared.asked:
        parts += [_verdict(compared.asked[0], compared.model), _every(compared)]
    return markup.page(*parts)


def verdict(asked: Asked, model: str) -> str:
    """What both orders come to, in words."""
    one, two = asked.turns
    if asked.agrees is None:
        missing = next(turn for turn in asked.turns if turn.choice is None)
        return f"No verdict: asked {_order(missing)}, {model} gave no usable answer."
    if asked.agrees:
        return (
            f"{model} sees no difference, in either order."
            if one.prefers == "tie"
            else f"{model} prefers {one.prefers}, whichever comes first."
        )
    if one.choice == two.choice:
        return f"Inconsistent: {model} prefers whichever comes {one.choice}."
    return f"Inconsistent: {model} says {_PLACES[one.choice]} in one order and {_PLACES[two.choice]} in the other."


def _verdict(asked: Asked, model: str) -> str:
    lines = "".join(f"<li>{_line(turn)}</li>" for turn in asked.turns)
    return (
        markup.heading("Verdict")
        + f'<p class="qb-verdict">{escape(verdict(asked, model))}</p><ul class="qb-turns">{lines}</ul>'
        + markup.paragraph(f"Form of the question: {asked.way.label}.", "qb-note")
    )


def _line(turn: Turn) -> str:
    share = "" if turn.probability is None else f" {turn.probability:.4f}"
    photo = f" (photo {turn.prefers})" if turn.choice in ("first", "second") else ""
    said = f" “{turn.said}”" if turn.said and turn.choice else f": {turn.said}" if turn.said else ""
    return f"Asked {_order(turn)} → <b>{_PLACES[turn.choice]}{photo}{share}</b>{escape(said)}"


def _order(turn: Turn) -> str:
    return ", ".join(turn.order)


def _every(compared: Compared) -> str:
    """Each way of asking, and how often each place was named."""
    rows: list[Row] = [
        [one.way.label, *(_cell(turn) for turn in one.turns), {True: "kept", False: "changed", None: "–"}[one.agrees]]
        for one in compared.asked
    ]
    first, second, tie = compared.places
    answered = first + second + tie
    said = (
        f"In {answered} answers to {len(compared.asked)} forms of the question, {compared.model} named the first photo "
        f"in {first}, the second in {second} and neither in {tie}. Half and half is no preference for a place."
    )
    table = markup.table(
        ["", "Asked A, B", "Asked B, A", "Answer"], rows, "Photo preferred, by form of the question", "Every form"
    )
    return markup.heading("Position") + markup.paragraph(said, "qb-finding") + table


def _cell(turn: Turn) -> Cell:
    photo = {"tie": "neither", None: "no answer"}.get(turn.prefers, turn.prefers)
    return Cell(str(photo), "" if turn.probability is None else f"{turn.probability:.4f}")


def _scored(scored: Scored, model: str) -> str:
    said = {"tie": "scores both alike", None: "has no score for one of them"}.get(
        scored.prefers, f"prefers {scored.prefers}"
    )
    scores = ["no score" if one.value is None else minus(f"{one.value:.4f}") for one in scored.qualities]
    return (
        markup.heading("Verdict")
        + f'<p class="qb-verdict">{escape(f"{model} {said}.")}</p>'
        + markup.paragraph(
            f"It scores each photo by itself, so their order cannot matter: A {scores[0]}, B {scores[1]}.", "qb-finding"
        )
    )
