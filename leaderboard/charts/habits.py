"""Charts of answer habits: `leaderboard.analysis` findings as figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

from leaderboard.analysis.findings import ModelByQuarter
from leaderboard.analysis.habits import (
    COIN_FLIP,
    ModelOnPairs,
    PositionFinding,
    PositionShares,
    WordHabit,
    YesNoFinding,
    datasets_of,
)
from leaderboard.boards.comparing import CONSISTENCY, CORRELATION
from leaderboard.boards.questions import QUESTION_ACCURACY
from leaderboard.boards.scoring import SRCC
from leaderboard.charts.chart import CHANCE, IN_TABLE, PALETTE, Chart, Look, assign_looks
from leaderboard.charts.rows import Dot, DotGroup, RowAxes, dots, stacks
from leaderboard.tables.cells import Cell
from leaderboard.tables.words import axis_title, figure, percent

YES = Look(PALETTE[0][0], "solid", "circle")
NO = Look(PALETTE[3][0], "solid", "diamond-open")
FIRST, SECOND, TIE = "#0072b2", "#e69f00", "#9aa0aa"


def yes_no_chart(finding: YesNoFinding) -> Chart:
    """Both accuracies of every model, best mean on top."""
    habits = finding.habits
    axes = RowAxes(
        rows=[habit.model.name for habit in habits],
        axis=axis_title(QUESTION_ACCURACY),
        bounds=(0, 1),
        scale=100,
        chance=COIN_FLIP,
        chance_name="guessing",
    )
    groups = [
        DotGroup(
            name,
            look,
            [
                Dot(row, cell, f"{habits[row].model.name}, answer {name}: {percent(cell.value, 2)}")
                for row, cell in enumerate(cells)
            ],
            label=True,
        )
        for name, look, cells in (
            ("Yes", YES, [habit.yes_accuracy for habit in habits]),
            ("No", NO, [habit.no_accuracy for habit in habits]),
        )
    ]
    said = f"Accuracy on questions whose answer is Yes and whose answer is No, best mean first. {IN_TABLE}"
    return Chart(dots(axes, groups, joined=True), said)


def consistency_chart(finding: PositionFinding) -> Chart:
    """Share of pairs with the same answer in both orders: a row for each model, a dot for each set of pairs."""
    models = {cell.model.id: cell.model for cell in finding.cells}
    looks, groups = assign_looks(models.values()), []
    for row, (name, model) in enumerate(models.items()):
        kept = [(cell.label, cell.consistency.value) for cell in finding.cells if cell.model.id == name]
        points = [Dot(row, Cell(share), f"{model.name} on {label}: {percent(share, 1)}") for label, share in kept]
        groups.append(DotGroup(model.name, looks[name], points))
    rows = [model.name for model in models.values()]
    axes = RowAxes(rows, axis_title(CONSISTENCY), (0, 1), chance=COIN_FLIP, chance_name="two coin flips")
    said = f"Share of pairs where the same photo was chosen in both orders, by model. {IN_TABLE}"
    return Chart(dots(axes, groups), said)


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
            points = [Dot(row, Cell(cell.above_chance or 0.0), _against_chance(cell)) for cell in own]
            groups.append(DotGroup(model.name, looks[name]._replace(marker=marker), points))
    values = [cell.above_chance or 0.0 for cell in known]
    axes = RowAxes(
        rows=[model.name for model in models.values()],
        axis="Correlation ρ above coin flips, higher is better",
        bounds=(math.floor(min(values) * 10) / 10, math.ceil(max(values) * 10) / 10),
        chance=0.0,
        chance_name="coin flips",
    )
    return Chart(dots(axes, groups), f"Correlation of each model, and what coin flips reach. {IN_TABLE}")


def _against_chance(cell: ModelOnPairs) -> str:
    assert cell.correlation is not None
    right = f", {percent(cell.right_of_consistent.value)} of the kept answers right" if cell.right_of_consistent else ""
    shown = figure(cell.correlation.value, CORRELATION)
    return f"{cell.model.name} on {cell.label}: {shown}, {cell.verdict} the range of coin flips{right}"


def position_shares_chart(found: Sequence[PositionShares]) -> Chart | None:
    """How often the first image was named, the second, and neither."""
    if not found:
        return None
    in_order = sorted(found, key=lambda shares: shares.model.name.casefold())
    rows: list[tuple[str, PositionShares | None]] = []
    for name, of_model in groupby(in_order, key=lambda shares: shares.model.name):
        rows += [(name, None), *((shares.pairs, shares) for shares in of_model)]
    parts = [
        (name, colour, [None if shares is None else getattr(shares, name).value or 0.0 for _, shares in rows])
        for name, colour in (("first", FIRST), ("second", SECOND), ("tie", TIE))
    ]
    axes = RowAxes(
        [name for name, _ in rows],
        "Share of answers (%)",
        (0, 1),
        100,
        chance=COIN_FLIP,
        chance_name="no preference",
        heads=[place for place, (_, shares) in enumerate(rows) if shares is None],
    )
    return Chart(stacks(axes, parts), f"Share of answers by position. {IN_TABLE}")


def score_words_chart(found: Sequence[WordHabit]) -> Chart:
    """Share of images where the good word is the likelier one: a row for each model, a dot for each dataset."""
    look, datasets = Look(PALETTE[0][0], "solid", "circle-open"), datasets_of(found)
    points = [
        Dot(row, Cell(share.value), f"{habit.model.name} on {datasets[dataset]}: {percent(share.value, 1)}")
        for row, habit in enumerate(found)
        for dataset, share in habit.shares.items()
    ]
    axes = RowAxes(
        rows=[habit.model.name for habit in found],
        axis="Good word likelier (% of images)",
        bounds=(0, 1),
        scale=100,
        chance=COIN_FLIP,
        chance_name="no preference",
    )
    means = [Dot(row, Cell(habit.mean), f"{habit.model.name}, mean") for row, habit in enumerate(found)]
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
            seen.append(Dot(len(rows), quarter.srcc, f"{told} ({quarter.expected.value:.3f})"))
            expected.append(Dot(len(rows), quarter.expected, f"{quarter.expected.value:.3f} by the range alone"))
            rows.append({"lowest": "lowest quarter", "highest": "highest quarter"}.get(quarter.name, quarter.name))
    ends = [end for dot in seen for end in (dot.figure.low, dot.figure.high, dot.figure.value) if end is not None]
    bounds = (min(0.0, math.floor(min(ends) * 10) / 10), math.ceil(max(ends) * 10) / 10)
    how = f"SRCC by {models[0].asked}, higher is better" if models[0].asked else axis_title(SRCC)
    axes = RowAxes(rows, how, bounds, chance=0.0, heads=heads)
    groups = [
        DotGroup("by the range alone", Look(CHANCE, "solid", "line-ns-open"), expected),
        DotGroup("SRCC", Look(PALETTE[0][0], "solid", "circle"), seen),
    ]
    return Chart(dots(axes, groups), f"SRCC by quarter of the people's scores. {IN_TABLE}")
