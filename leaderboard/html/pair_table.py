"""What several models, and you, say of the same two photos, as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from leaderboard.html import markup
from leaderboard.html.markup import Html, HtmlCell, HtmlRow
from leaderboard.live.pair import BothOrders, PairResult, PairScores
from leaderboard.live.person import YOU
from leaderboard.tables.words import count, listed, minus

_NAMES = {"A": "A", "B": "B", "tie": "neither", None: "no answer"}


def agreement_table(known: Sequence[PairResult], yours: str | None) -> Html:
    """Who prefers which photo, by how much, and whether the order mattered; `yours` is A, B, "tie" or None."""
    known = [result for result in known if result.answers or result.scores or result.fault]  # who has answered yet
    rows: list[HtmlRow] = [[YOU, _NAMES[yours], "asked once", ""]] if yours else []
    rows += [_row(result) for result in known]
    if len(rows) < 2:
        return markup.NOTHING
    caption = "Photo preferred, by model; each model has a scale of its own"
    return markup.join(
        markup.heading("Who prefers which"),
        markup.paragraph(_sentence(known, yours), "qb-finding"),
        markup.table(["", "Prefers", "In both orders", "By"], rows, caption, "Who prefers which"),
    )


def _sentence(known: Sequence[PairResult], yours: str | None) -> str:
    votes = Counter(result.prefers for result in known)
    said = [
        f"{votes[photo]} of {count(len(known), 'model')} {'prefers' if votes[photo] == 1 else 'prefer'} {photo}"
        for photo in "AB"
        if votes[photo]
    ]
    if not yours:
        return f"{listed(said)}." if said else "No model prefers one of them in both orders."
    alike = [result.model for result in known if result.prefers == yours]
    you = f"You agree with {listed(alike)}." if alike else "No model agrees with you."
    return f"{listed(said)}. {you}" if said else you


def _row(result: PairResult) -> HtmlRow:
    if result.fault:
        return [result.model, "not asked", "", result.fault]
    if result.scores:
        return [result.model, _NAMES[result.prefers], "scored alone", _gap(result.scores)]
    answer = result.answers[0]
    if answer.agrees:
        return [result.model, _NAMES[result.prefers], "the same", _share(answer, result.prefers)]
    if answer.agrees is None:
        return [result.model, "no answer", "", ""]
    first, second = (choice.choice for choice in answer.choices)
    habit = f"always the {first}" if first == second else "changes"
    return [result.model, "neither", habit, ""]


def _gap(scores: PairScores) -> HtmlCell | str:
    """The difference of the scores, and the scores."""
    first, second = (quality.value for quality in scores.qualities)
    if first is None or second is None:
        return ""
    return HtmlCell(f"{abs(first - second):.3g}", minus(f"A {first:.4g}, B {second:.4g}"), "wrap")


def _share(answer: BothOrders, photo: str | None) -> HtmlCell | str:
    """The mean probability of the preferred photo over both orders, where the model weighs the letters."""
    shares = [choice.probability for choice in answer.choices if choice.probability is not None]
    if photo not in ("A", "B") or len(shares) < len(answer.choices):
        return ""
    return HtmlCell(f"{sum(shares) / len(shares):.2f}", f"probability of {photo}", "wrap")
