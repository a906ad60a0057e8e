"""Two photos and which of them models prefer, as HTML: the verdict first, each asking, all models in a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from leaderboard.html import markup
from leaderboard.html.live import KEPT, TOO_CLOSE, stance, two_digits, verdict
from leaderboard.html.markup import Html, HtmlCell, HtmlRow, template
from leaderboard.live.pair import PHOTO_NAMES, BothOrders, OrderedChoice, PairResult, PairScores
from leaderboard.live.person import YOU
from leaderboard.live.quality import Quality
from leaderboard.tables.words import count, listed, minus
from qbench.records import Picture

TITLE = "Which of two photos do models prefer?"
INTRODUCTION = (
    "Models see the photos in both orders, which shows whether they keep their answer. If you want to choose before "
    f"they do, add “you” under “Other models”: their answers then appear after yours. {KEPT}"
)
YOUR_TURN = "Which photo looks better to you? You see the models' answers after yours."
EMPTY = "Choose two photos. The models compare them in both orders, and their answers appear here."
_MODES = {"side": "Side by side", "blink": "Blink", "slider": "Slider", "full": "Full size"}
_VIEWER = template("""
<div class="qb-viewer"><div class="qb-forms" role="radiogroup" aria-label="How to look">
{%- for key, label in modes.items() -%}
  <label><input type="radio" name="pair-mode" value="{{ key }}"{% if loop.first %} checked{% endif %}>
  {#- #}{{ label }}</label>
{%- endfor -%}
<input class="qb-cut" type="range" min="0" max="100" value="50" aria-label="Where photo B begins"></div>
<div class="qb-photos">
{%- for name, address in photos -%}
  <figure tabindex="0"><figcaption>{{ name }}</figcaption><img src="{{ address }}" alt="Photo {{ name }}"></figure>
{%- endfor -%}
</div></div>
""")
_VERDICT = template('<p class="qb-verdict">{{ text }}</p>', "text")
_ORDERS = template("""
<ul class="qb-turns">
{%- for order, choice, reply in orders %}<li>Asked {{ order }} → <b>{{ choice }}</b>{{ reply }}</li>{% endfor -%}
</ul>
""")
_PLACES = {"first": "the first", "second": "the second", "tie": "neither", None: "no answer"}
_SAID = {"A": "A", "B": "B", "tie": "neither", None: "no answer"}


def viewer(pictures: Sequence[Picture]) -> Html:
    """Both photos, with ways of looking at them."""
    photos = [(name, markup.file_address(picture.path)) for name, picture in zip(PHOTO_NAMES, pictures, strict=True)]
    return markup.page(_VIEWER(modes=_MODES, photos=photos))


def pair_results(result: PairResult, yours: str | None = None) -> Html:
    """Everything that is known so far; `yours` is which photo the visitor prefers, where they were asked."""
    table = agreement_table([result, *result.others], yours)
    if result.scores:
        return markup.page(_scored(result.scores, result.model), table)
    if not result.answers:
        return markup.NOTHING
    answer = result.answers[0]
    return markup.page(
        _VERDICT(orders_verdict(answer, result.model)),
        _ORDERS(orders=map(_answered, answer.choices)),
        markup.note(f"Form of the question: {answer.prompt.label}."),
        table,
        _every_prompt(result),
    )


def orders_verdict(answer: BothOrders, model: str) -> str:
    """What both orders come to, in words."""
    first, second = answer.choices
    if answer.agrees is None:
        missing = next(choice for choice in answer.choices if choice.choice is None)
        return f"No verdict: asked {', '.join(missing.order)}, {model} gave no usable answer."
    if answer.agrees and first.prefers == "tie":
        return f"{model} sees no difference, in either order."
    if answer.agrees:
        sure = answer.probability
        said = f"{model} names {first.prefers}" if sure is None else verdict(model, *PHOTO_NAMES, sure)
        return f"{said}, whichever comes first."
    if first.choice == second.choice:
        return f"Inconsistent: {model} prefers the photo that comes {first.choice}."
    return f"Inconsistent: {model} says {_PLACES[first.choice]} in one order and {_PLACES[second.choice]} in the other."


def _answered(choice: OrderedChoice) -> tuple[str, str, str]:
    """The order asked in, what was chosen, and the reply."""
    share = "" if choice.probability is None else f" {choice.probability:.2f}"
    photo = f" (photo {choice.prefers})" if choice.choice in ("first", "second") else ""
    reply = f" “{choice.reply}”" if choice.reply and choice.choice else f": {choice.reply}" if choice.reply else ""
    return ", ".join(choice.order), f"{_PLACES[choice.choice]}{photo}{share}", reply


def _every_prompt(result: PairResult) -> Html:
    """Each form of the question, and how often each place was named."""
    kept = {True: "kept", False: "changed", None: "–"}
    rows: list[HtmlRow] = [
        [
            answer.prompt.label,
            *(
                HtmlCell(_SAID[choice.prefers], "" if choice.probability is None else f"{choice.probability:.2f}")
                for choice in answer.choices
            ),
            kept[answer.agrees],
        ]
        for answer in result.answers
    ]
    first, second, tie = result.places
    answered = first + second + tie
    places = (
        f"In {answered} answers to {len(result.answers)} forms of the question, {result.model} named the first photo "
        f"{first} times, the second {second} times and neither {tie} times. A model without a position habit names "
        "both equally often."
    )
    table = markup.table(
        ["", "Asked A, B", "Asked B, A", "Answer"], rows, "Photo preferred, by form of the question", "Every form"
    )
    return markup.join(markup.heading("Position"), markup.finding(places), table)


def _scored(scores: PairScores, model: str) -> Html:
    first, second = map(_score, scores.qualities)
    alone = {"tie": "scores both alike", None: "has no score for one of them"}
    said, note = f"{model} {alone.get(scores.prefers, f'scores {scores.prefers} higher; it gives no probability')}", ""
    if scores.probability is not None:
        said = verdict(model, *PHOTO_NAMES, scores.probability)
        note = "± is a standard error; the probability assumes that the two errors are independent."
    return markup.join(
        _VERDICT(f"{said}."),
        markup.finding(f"It scores each photo alone, so the order cannot matter: A {first}, B {second}."),
        markup.note(note),
    )


def _score(quality: Quality) -> str:
    if quality.value is None:
        return "no score"
    if quality.error is None:
        return minus(f"{quality.value:.3g}")
    return minus(f"{quality.value:.1f}") + f" ± {quality.error:.1f}"


def agreement_table(known: Sequence[PairResult], yours: str | None) -> Html:
    """Who prefers which photo, by how much, and whether the order mattered; `yours` is A, B, "tie" or None."""
    known = [result for result in known if result.answers or result.scores or result.fault]  # who has answered yet
    rows: list[HtmlRow] = [[YOU, _SAID[yours], "asked once", ""]] if yours else []
    rows += [_row(result) for result in known]
    if len(rows) < 2:
        return markup.NOTHING
    rows = [[model, *(HtmlCell(str(said), weight="wrap") for said in words), by] for model, *words, by in rows]
    caption = "Photo preferred, by model; each model has a scale of its own"
    return markup.join(
        markup.heading("Who prefers which"),
        markup.finding(_sentence(known, yours)),
        markup.table(["", "Verdict", "In both orders", "By"], rows, caption, "Who prefers which"),
    )


def _sentence(known: Sequence[PairResult], yours: str | None) -> str:
    sides = {result.model: "tie" if _verdict_of(result) == TOO_CLOSE else result.prefers for result in known}
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


def _verdict_of(result: PairResult) -> str:
    """In words as firm as the probability, where the model keeps to one photo and tells how sure it is."""
    sure = _sure(result)
    return _SAID[result.prefers] if sure is None else stance(str(result.prefers), sure)


def _sure(result: PairResult) -> float | None:
    """The probability of the photo that is more probably better, where the model tells it."""
    if result.prefers not in ("A", "B") or result.probability is None:
        return None
    return result.probability if result.prefers == "A" else 1 - result.probability


def _row(result: PairResult) -> HtmlRow:
    if result.fault:
        return [result.model, "not asked", "", result.fault]
    if result.scores:
        return [
            result.model,
            _verdict_of(result),
            "scored alone",
            _share(result) if result.probability else _gap(result.scores),
        ]
    answer = result.answers[0]
    if answer.agrees:
        return [result.model, _verdict_of(result), "the same", _share(result)]
    if answer.agrees is None:
        return [result.model, "no answer", "", ""]
    first, second = (choice.choice for choice in answer.choices)
    habit = f"always the {first}" if first == second else "changes"
    return [result.model, "neither", habit, ""]


def _gap(scores: PairScores) -> HtmlCell | str:
    """The difference of the scores and, below it, the scores."""
    first, second = (quality.value for quality in scores.qualities)
    if first is None or second is None:
        return ""
    return HtmlCell(f"{abs(first - second):.3g}", minus(f"A {first:.3g}, B {second:.3g}"), "wrap")


def _share(result: PairResult) -> HtmlCell | str:
    sure = _sure(result)
    return "" if sure is None else HtmlCell(two_digits(sure), f"probability of {result.prefers}", "wrap")
