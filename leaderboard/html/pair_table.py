"""What several models, and you, say of the same two photos, as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from leaderboard.html import markup
from leaderboard.html.markup import Html, HtmlCell, HtmlRow
from leaderboard.html.verdict import TOO_CLOSE, stance, two_digits
from leaderboard.live.pair import PairResult
from leaderboard.live.person import YOU
from leaderboard.tables.words import count, listed, minus

_SAID = {"A": "A", "B": "B", "tie": "neither", None: "no answer"}


def agreement_table(known: Sequence[PairResult], yours: str | None) -> Html:
    """Who prefers which photo, by how much, and whether the order mattered; `yours` is A, B, "tie" or None."""
    known = [result for result in known if result.answers or result.scores or result.fault]  # who has answered yet
    rows: list[HtmlRow] = [[YOU, _SAID[yours], "asked once", ""]] if yours else []
    rows += [_row(result) for result in known]
    if len(rows) < 2:
        return markup.NOTHING
    caption = "Photo preferred, by model; each model has a scale of its own"
    return markup.join(
        markup.heading("Who prefers which"),
        markup.paragraph(_sentence(known, yours), "qb-finding"),
        markup.table(["", "Verdict", "In both orders", "By"], rows, caption, "Who prefers which"),
    )


def _sentence(known: Sequence[PairResult], yours: str | None) -> str:
    sides = {result.model: _side(result) for result in known}
    votes = Counter(sides.values())
    said = [
        f"{votes[photo]} of {count(len(known), 'model')} {'chooses' if votes[photo] == 1 else 'choose'} {photo}"
        for photo in "AB"
        if votes[photo]
    ]
    if not yours:
        return f"{listed(said)}." if said else "No model chooses one of them."
    alike = [model for model, side in sides.items() if side == yours]
    you = f"You agree with {listed(alike)}." if alike else "No model agrees with you."
    return f"{listed(said)}. {you}" if said else you


def _side(result: PairResult) -> str | None:
    """The photo that a model chooses; "tie" also where it is too close to call, and None where it keeps to none."""
    return "tie" if _verdict(result) == TOO_CLOSE else result.prefers


def _verdict(result: PairResult) -> str:
    """In words as firm as the probability, where the model keeps to one photo and tells how sure it is."""
    if result.prefers not in ("A", "B") or result.probability is None:
        return _SAID[result.prefers]
    return stance(result.prefers, result.probability if result.prefers == "A" else 1 - result.probability)


def _row(result: PairResult) -> HtmlRow:
    if result.fault:
        return [result.model, "not asked", "", result.fault]
    if result.scores:
        return [result.model, _verdict(result), "scored alone", _gap(result)]
    answer = result.answers[0]
    if answer.agrees:
        return [result.model, _verdict(result), "the same", _share(result)]
    if answer.agrees is None:
        return [result.model, "no answer", "", ""]
    first, second = (choice.choice for choice in answer.choices)
    habit = f"always the {first}" if first == second else "changes"
    return [result.model, "neither", habit, ""]


def _gap(result: PairResult) -> HtmlCell | str:
    """The difference of the scores and, below it, the scores; the probability in its place where there is one."""
    first, second = (quality.value for quality in result.scores.qualities) if result.scores else (None, None)
    if first is None or second is None:
        return ""
    if result.probability is not None:
        return _share(result)
    return HtmlCell(f"{abs(first - second):.3g}", minus(f"A {first:.3g}, B {second:.3g}"), "wrap")


def _share(result: PairResult) -> HtmlCell | str:
    """The probability of the photo that is more probably better, where the model tells it."""
    if result.prefers not in ("A", "B") or result.probability is None:
        return ""
    share = result.probability if result.prefers == "A" else 1 - result.probability
    return HtmlCell(two_digits(share), f"probability of {result.prefers}", "wrap")
