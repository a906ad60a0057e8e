"""Charts of answer habits: `leaderboard.analysis` findings as figures."""

from __future__ import annotations

import math
from collections.abc import Sequence

from leaderboard.analysis import score_words, yes_no
from leaderboard.analysis.position import COIN_FLIP, ModelOnPairs, PositionFinding, PositionShares
from leaderboard.analysis.quarters import ModelByQuarter
from leaderboard.boards.qbench import QUESTION_ACCURACY, SRCC
from leaderboard.boards.twoafc import CONSISTENCY
from leaderboard.charts.chart import CHANCE, IN_TABLE, Chart
from leaderboard.charts.rows import Dot, DotGroup, RowAxes, dots, stacks
from leaderboard.charts.series import PALETTE, Look, assign_looks
from leaderboard.tables.cells import Cell
from leaderboard.tables.words import axis_title, percent

YES = Look(PALETTE[0][0], "solid", "circle")
NO = Look(PALETTE[3][0], "solid", "diamond-open")
FIRST, SECOND, TIE = "#0072b2", "#e69f00", "#9aa0aa"


def yes_no_chart(finding: yes_no.YesNoFinding) -> Chart:
    """Both accuracies of every model, best mean on top."""
    habits = finding.habits

    def answers(name: str, look: Look, figures: Sequence[Cell]) -> DotGroup:
        hovers = (
            f"{habit.model.name}, answer {name}: {percent(figure.value, 2)}"
            for habit, figure in zip(habits, figures, strict=True)
        )
        rows = enumerate(zip(figures, hovers, strict=True))
        return DotGroup(name, look, tuple(Dot(row, figure, hover) for row, (figure, hover) in rows), label=True)

    axes = RowAxes(
        rows=tuple(habit.model.name for habit in habits),
        axis=axis_title(QUESTION_ACCURACY),
        bounds=(0, 1),
        scale=100,
        chance=yes_no.GUESSING,
        chance_name="guessing",
    )
    groups = [
        answers("Yes", YES, [habit.yes for habit in habits]),
        answers("No", NO, [habit.no for habit in habits]),
    ]
    said = f"Accuracy on questions whose answer is Yes and whose answer is No, best mean first. {IN_TABLE}"
    return Chart(dots(axes, groups, joined=True), said)


def consistency_chart(finding: PositionFinding) -> Chart:
    """Share of pairs with the same answer in both orders: a row for each model, a dot for each set of pairs."""
    models = {cell.model.id: cell.model for cell in finding.cells}
    looks = assign_looks(models.values())
    cells_of = {name: [cell for cell in finding.cells if cell.model.id == name] for name in models}
    groups = [
        DotGroup(models[name].name, looks[name], tuple(_kept(row, cell) for cell in cells))
        for row, (name, cells) in enumerate(cells_of.items())
    ]
    rows = tuple(model.name for model in models.values())
    axes = RowAxes(rows, axis_title(CONSISTENCY), (0, 1), chance=COIN_FLIP, chance_name="two coin flips")
    said = f"Share of pairs where the same photo was chosen in both orders, by model. {IN_TABLE}"
    return Chart(dots(axes, groups), said)


def _kept(row: int, cell: ModelOnPairs) -> Dot:
    kept = cell.consistency.value
    return Dot(row, Cell(kept), f"{cell.model.name} on {cell.label}: {percent(kept, 1)}")


def chance_chart(finding: PositionFinding) -> Chart:
    """Correlations less the highest that coin flips get: a row for each model, a dot for each set of pairs.

    A dot is open where the answers behind it may be right no more often than a coin flip.
    """
    known = [cell for cell in finding.cells if cell.above_chance is not None]
    models = {cell.model.id: cell.model for cell in known}
    looks = assign_looks(models.values())
    groups = []
    for row, (name, model) in enumerate(models.items()):
        for guessed in (False, True):
            own = [cell for cell in known if cell.model.id == name and cell.may_be_guessed == guessed]
            marker = looks[name].marker.removesuffix("-open") + "-open" * guessed
            points = tuple(Dot(row, Cell(cell.above_chance or 0.0), _against_chance(cell)) for cell in own)
            groups.append(DotGroup(model.name, looks[name]._replace(marker=marker), points))
    values = [cell.above_chance or 0.0 for cell in known]
    axes = RowAxes(
        rows=tuple(model.name for model in models.values()),
        axis="Correlation ρ above coin flips, higher is better",
        bounds=(math.floor(min(values) * 10) / 10, math.ceil(max(values) * 10) / 10),
        chance=0.0,
        chance_name="coin flips",
    )
    return Chart(dots(axes, groups), f"Correlation of each model, and what coin flips reach. {IN_TABLE}")


def _against_chance(cell: ModelOnPairs) -> str:
    right = f", {percent(cell.right_of_consistent.value)} of the kept answers right" if cell.right_of_consistent else ""
    return f"{cell.model.name} on {cell.label}: {cell.correlation:.3f}, {cell.verdict} the range of coin flips{right}"


def position_shares_chart(found: Sequence[PositionShares]) -> Chart | None:
    """How often the first image was named, the second, and neither."""
    if not found:
        return None
    listed_shares: list[PositionShares | None] = []
    rows, heads, model = list[str](), list[int](), ""
    for shares in sorted(found, key=lambda shares: shares.model.name.casefold()):
        if shares.model.name != model:
            model = shares.model.name
            heads.append(len(rows))
            rows.append(model)
            listed_shares.append(None)
        rows.append(shares.pairs)
        listed_shares.append(shares)
    parts = [
        (
            name,
            colour,
            [None if shares is None else float(getattr(shares, name).value or 0) for shares in listed_shares],
        )
        for name, colour in (("first", FIRST), ("second", SECOND), ("tie", TIE))
    ]
    axes = RowAxes(
        tuple(rows),
        "Share of answers (%)",
        (0, 1),
        100,
        chance=COIN_FLIP,
        chance_name="no preference",
        heads=tuple(heads),
    )
    return Chart(stacks(axes, parts), f"Share of answers by position. {IN_TABLE}")


def score_words_chart(found: Sequence[score_words.WordHabit]) -> Chart:
    """Share of images where the good word is the likelier one: a row for each model, a dot for each dataset."""
    look, datasets = Look(PALETTE[0][0], "solid", "circle-open"), score_words.datasets_of(found)
    points = tuple(
        Dot(row, Cell(share.value), f"{habit.model.name} on {datasets[dataset]}: {percent(share.value, 1)}")
        for row, habit in enumerate(found)
        for dataset, share in habit.shares.items()
    )
    axes = RowAxes(
        rows=tuple(habit.model.name for habit in found),
        axis="Good word likelier (% of images)",
        bounds=(0, 1),
        scale=100,
        chance=score_words.NO_PREFERENCE,
        chance_name="no preference",
    )
    means = tuple(Dot(row, Cell(habit.mean), f"{habit.model.name}, mean") for row, habit in enumerate(found))
    groups = [DotGroup("datasets", look, points), DotGroup("mean", Look(CHANCE, "solid", "line-ns-open"), means)]
    said = f"Share of images where the good word is the likelier one, by model. {IN_TABLE}"
    return Chart(dots(axes, groups, joined=True), said)


def quarters_chart(models: Sequence[ModelByQuarter]) -> Chart:
    """SRCC in each quarter under each model, all asked in one way; a line marks what the narrower range leaves."""
    rows, heads = list[str](), list[int]()
    seen, expected = list[Dot](), list[Dot]()
    for each in models:
        heads.append(len(rows))
        rows.append(each.model.name)
        for quarter in each.quarters:
            told = f"{each.model.name}, {quarter.name} quarter: {quarter.srcc.value:.3f}, {quarter.against_range}"
            seen.append(Dot(len(rows), quarter.srcc, f"{told} ({quarter.expected:.3f})"))
            expected.append(Dot(len(rows), Cell(quarter.expected), f"{quarter.expected:.3f} by the range alone"))
            rows.append({"lowest": "lowest quarter", "highest": "highest quarter"}.get(quarter.name, quarter.name))
    ends = [end for dot in seen for end in (dot.figure.low, dot.figure.high, dot.figure.value) if end is not None]
    bounds = (min(0.0, math.floor(min(ends) * 10) / 10), math.ceil(max(ends) * 10) / 10)
    how = f"SRCC by {models[0].asked}, higher is better" if models[0].asked else axis_title(SRCC)
    axes = RowAxes(tuple(rows), how, bounds, chance=0.0, heads=tuple(heads))
    groups = [
        DotGroup("by the range alone", Look(CHANCE, "solid", "line-ns-open"), tuple(expected)),
        DotGroup("SRCC", Look(PALETTE[0][0], "solid", "circle"), tuple(seen)),
    ]
    return Chart(dots(axes, groups), f"SRCC by quarter of the people's scores. {IN_TABLE}")
