"""What a person who compares photos sees: the panel to answer in, and afterwards what the answers come to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from leaderboard.html import markup
from leaderboard.html.habits import share_with_interval
from leaderboard.html.markup import NO_FIGURE, Html, HtmlCell, HtmlRow, template
from leaderboard.live.person import TRUTH, YOU, Agreement, PersonAnswers, photos_key
from leaderboard.live.tournament import Tournament
from leaderboard.tables.words import count, minus, percent
from qbench.commands.rank import describe_left_out
from qbench.records import Estimate, Picture
from qbench.stats.pairwise import Comparisons, count_votes, paired_orders

_PANEL = template('<div class="qb qb-person" data-person="{{ data }}"></div>')
_SECONDS = 2.0
"""What one answer takes about; told so that nobody begins what takes too long."""


def panel(pictures: Mapping[str, Picture], given: PersonAnswers) -> Html:
    """The place of the panel, which assets/board/person.js fills, and what it has to know."""
    photos = [{"name": name, "url": markup.file_address(picture.path)} for name, picture in pictures.items()]
    data = {"key": photos_key(pictures), "photos": photos, "rounds": given.rounds, "seed": given.seed}
    return markup.page(_PANEL(data=json.dumps(data)))


def begun(given: PersonAnswers) -> Html:
    """What is said while a person compares."""
    minutes = max(1, round(given.most * _SECONDS / 60))
    return markup.sentence(
        f"You compare the photos: at most {count(given.most, 'question')}, about {count(minutes, 'minute')}. "
        "Each pair comes twice, once in each order, separated by other pairs. Your answers stay in this tab."
    )


def habits(known: Tournament) -> Html:
    """How consistent a person was, whether a place was preferred, and which answers rank nothing."""
    if not known.presented:
        return markup.NOTHING
    comparisons = Comparisons.of_presented(known.presented, known.names)
    kept, bias = known.figures["consistency"], known.figures["position_bias"]
    first, second, tie = (known.figures[name].value or 0.0 for name in ("first_rate", "second_rate", "tie_rate"))
    lines = [
        f"You chose the left (or upper) photo in {percent(first)} of your answers, the right (or lower) one in "
        f"{percent(second)} and neither in {percent(tie)}. {_place_habit(bias)}"
    ]
    if kept.value is not None:
        lines.insert(
            0,
            f"Asked in both orders, you preferred the same photo twice in {share_with_interval(kept)} of "
            f"{count(len(paired_orders(comparisons).first), 'pair')}; two coin flips would in {percent(0.5)}.",
        )
    left_out = count_votes(comparisons, known.pairs).left_out
    note = f"Of your answers, {describe_left_out(len(known.presented), left_out)}." if left_out else ""
    return markup.page(
        markup.heading("Your habits"),
        *map(markup.finding, lines),
        markup.note(note),
    )


def agreement(found: Sequence[Agreement], sides: Sequence[str]) -> Html:
    """How far you, the models and the truth agree: a sentence for each beside you, and all of them in a table."""
    lines = [agree_sentence(pair) for pair in found if YOU in pair.sides]
    shares = {frozenset(pair.sides): pair for pair in found}
    rows: list[HtmlRow] = [[one, *(_cell(shares.get(frozenset((one, other)))) for other in sides)] for one in sides]
    caption = "Of the pairs in which both prefer a photo, the share in which they prefer the same; coin flips give 50 %"
    return markup.page(
        markup.heading("How far you agree"),
        *map(markup.finding, lines),
        markup.table(["", *sides], rows, caption, "Agreement", "qb-figures") if len(sides) > 1 else markup.NOTHING,
    )


def agree_sentence(agreement: Agreement) -> str:
    """How far you agree with another side."""
    other = next(name for name in agreement.sides if name != YOU)
    if not agreement.pairs:
        return f"You and {other}: {agreement.share.note}."
    alike = f"{agreement.alike} of {count(agreement.pairs, 'pair')}, {share_with_interval(agreement.share)}"
    if other == TRUTH:
        return f"You preferred the less damaged photo in {alike}."
    return f"You and {other} preferred the same photo in {alike}."


def _cell(agreement: Agreement | None) -> HtmlCell:
    if agreement is None or agreement.share.value is None:
        return NO_FIGURE
    return HtmlCell(percent(agreement.share.value), f"{agreement.alike} of {agreement.pairs}")


def _place_habit(bias: Estimate) -> str:
    if bias.value is None or bias.low is None or bias.high is None:
        return ""
    value, low, high = (minus(f"{end * 100:+.0f}") for end in (bias.value, bias.low, bias.high))
    points = f"The difference of left and right is {value} points (95 % interval {low} to {high})"
    if bias.low <= 0 <= bias.high:
        return f"{points}: this may be chance."
    return f"{points}: you lean to the {'left' if bias.value > 0 else 'right'}."
