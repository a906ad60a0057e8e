"""Charts of answer habits: `leaderboard.bias` findings as figures."""

from __future__ import annotations

import math

from leaderboard.bias import score_words, yes_no
from leaderboard.bias.position import COIN_FLIP, Asked, Position, Shares
from leaderboard.boards.qbench import ACCURACY
from leaderboard.boards.twoafc import CONSISTENCY
from leaderboard.charts.chart import CHANCE, Chart
from leaderboard.charts.moves import Move, moves
from leaderboard.charts.rows import Dot, Frame, Kind, dots, stacks
from leaderboard.charts.series import PALETTE, Look, assign_looks
from leaderboard.differences import Figure
from leaderboard.words import between, listed, percent, reading

YES = Look(PALETTE[0][0], "solid", "circle")
NO = Look(PALETTE[3][0], "solid", "diamond-open")
FIRST, SECOND, TIE = "#0072b2", "#e69f00", "#9aa0aa"


def yes_and_no(finding: yes_no.YesNo) -> Chart:
    """Both accuracies of every model, best mean on top."""
    habits = finding.habits

    def kind(name: str, look: Look, attribute: str) -> Kind:
        figures = [getattr(one, attribute) for one in habits]
        hovers = [
            f"{one.model.name}, answer {name}: {percent(f.value, 2)}" for one, f in zip(habits, figures, strict=True)
        ]
        return Kind(
            name,
            look,
            tuple(Dot(row, f, h) for row, (f, h) in enumerate(zip(figures, hovers, strict=True))),
            label=True,
        )

    frame = Frame(
        rows=tuple(one.model.name for one in habits),
        axis=reading(ACCURACY),
        bounds=(0, 1),
        scale=100,
        chance=yes_no.GUESSING,
        chance_name="guessing",
    )
    chart = dots(frame, [kind("Yes", YES, "yes"), kind("No", NO, "no")], joined=True)
    return Chart(chart, f"Accuracy on questions answered Yes and No. {yes_no.describe(finding)}")


def rank_moves(finding: yes_no.YesNo) -> Chart | None:
    """From the rank by all questions to the rank by the mean of both kinds."""
    items = [Move(one.model.name, one.rank, one.rank_of_mean) for one in finding.habits if one.rank is not None]
    if not items:
        return None
    text = "; ".join(f"{one.name} from {one.before} to {one.after}" for one in sorted(items, key=lambda one: one.after))
    return Chart(moves(items, "all questions", "mean of Yes and No"), f"Rank by all questions and by the mean: {text}.")


def kept_answers(finding: Position) -> Chart:
    """Share of pairs with the same answer in both orders: a row for each model, a dot for each set of pairs."""
    names = list(dict.fromkeys(one.model.name for one in finding.asked))
    looks = assign_looks({one.model.id: one.model for one in finding.asked}.values())
    kinds = [
        Kind(
            name,
            next(looks[one.model.id] for one in finding.asked if one.model.name == name),
            tuple(
                Dot(row, Figure(one.kept.value), f"{one.model.name} on {one.label}: {percent(one.kept.value, 1)}")
                for one in finding.asked
                if one.model.name == name
            ),
        )
        for row, name in enumerate(names)
    ]
    frame = Frame(tuple(names), reading(CONSISTENCY), (0, 1), chance=COIN_FLIP, chance_name="two coin flips")
    spans = (f"{name} {between([one.kept.value for one in finding.asked if one.model.name == name])}" for name in names)
    return Chart(dots(frame, kinds), f"Share of pairs answered alike in both orders, by model. {listed(spans)}.")


def above_coin_flips(finding: Position) -> Chart:
    """Correlations less the highest that coin flips get: a row for each model, a dot for each set of pairs.

    A dot is open where the answers behind it may be right no more often than a coin flip.
    """
    known = [one for one in finding.asked if one.above_chance is not None]
    models = {one.model.id: one.model for one in known}
    looks = assign_looks(models.values())
    kinds = []
    for row, (name, model) in enumerate(models.items()):
        for guessed in (False, True):
            own = [one for one in known if one.model.id == name and one.guessed == guessed]
            marker = looks[name].marker.removesuffix("-open") + "-open" * guessed
            points = tuple(Dot(row, Figure(one.above_chance or 0.0), _against_chance(one)) for one in own)
            kinds.append(Kind(model.name, looks[name]._replace(marker=marker), points))
    values = [one.above_chance or 0.0 for one in known]
    frame = Frame(
        rows=tuple(model.name for model in models.values()),
        axis="ρ above coin flips, higher is better",
        bounds=(math.floor(min(values) * 10) / 10, math.ceil(max(values) * 10) / 10),
        chance=0.0,
        chance_name="coin flips",
    )
    text = "; ".join(_against_chance(one) for one in known)
    return Chart(dots(frame, kinds), f"Correlation less the highest that coin flips get, by model. {text}.")


def _against_chance(one: Asked) -> str:
    right = f", {percent(one.right.value)} of the kept answers right" if one.right else ""
    return f"{one.model.name} on {one.label}: {one.correlation:.3f}, {one.verdict} the range of coin flips{right}"


def named_positions(found: list[Shares]) -> Chart | None:
    """How often the first image was named, the second, and neither."""
    if not found:
        return None
    rows = tuple(f"{one.model.name}, {one.dataset}" for one in found)
    parts = [
        (name, colour, [float(getattr(one, name).value or 0) for one in found])
        for name, colour in (("first", FIRST), ("second", SECOND), ("tie", TIE))
    ]
    frame = Frame(rows, "Share of answers (%)", (0, 1), 100, chance=COIN_FLIP, chance_name="no preference")
    text = "; ".join(
        f"{row}: first {percent(parts[0][2][i])}, second {percent(parts[1][2][i])}, tie {percent(parts[2][2][i])}"
        for i, row in enumerate(rows)
    )
    return Chart(stacks(frame, parts), f"Share of answers by position. {text}.")


def good_words(finding: score_words.ScoreWords) -> Chart:
    """Share of images where the good word is the likelier one: a row for each model, a dot for each dataset."""
    look = Look(PALETTE[0][0], "solid", "circle-open")
    points = tuple(
        Dot(row, Figure(one.value), f"{habit.model.name} on {finding.datasets[dataset]}: {percent(one.value, 1)}")
        for row, habit in enumerate(finding.habits)
        for dataset, one in habit.shares.items()
    )
    frame = Frame(
        rows=tuple(one.model.name for one in finding.habits),
        axis="Good word likelier (% of images)",
        bounds=(0, 1),
        scale=100,
        chance=score_words.NO_PREFERENCE,
        chance_name="no preference",
    )
    means = tuple(Dot(row, Figure(one.mean), f"{one.model.name}, mean") for row, one in enumerate(finding.habits))
    kinds = [Kind("datasets", look, points), Kind("mean", Look(CHANCE, "solid", "line-ns-open"), means)]
    return Chart(dots(frame, kinds, joined=True), score_words.describe(finding))
