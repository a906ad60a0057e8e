"""What is found of answer habits, in a sentence or two each; and as plain data for scripts, sentences included."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from leaderboard.analysis.findings import Findings, JudgeOnModel, ModelByQuarter, SourceFinding
from leaderboard.analysis.habits import COIN_FLIP, PositionFinding, WordHabit, YesNoFinding, kept_shares
from leaderboard.tables.cells import Cell
from leaderboard.tables.table import is_reference
from leaderboard.tables.words import between, count, figure, listed, ordinal, percent, shorten_name
from qbench.records import Estimate, Metrics


def how_many_lean(finding: YesNoFinding) -> str:
    """How many lean to Yes."""
    every, leaning = len(finding.habits), sum(of.yes_accuracy.value > of.no_accuracy.value for of in finding.habits)
    how_many = f"All {every}" if leaning == every else f"{leaning} of {every}"
    return f"{how_many} models do better on questions whose answer is Yes than on those whose answer is No."


def on_yes_no(finding: YesNoFinding) -> str:
    """How many lean to Yes, who most, and whose rank moves most where both kinds of question count alike."""
    habits = finding.habits
    worst = max(habits, key=lambda habit: abs(habit.yes_accuracy.value - habit.no_accuracy.value))
    first = (
        f"{how_many_lean(finding)} {worst.model.name} is the most one-sided: {percent(worst.yes_accuracy.value)} right "
        f"where the answer is Yes, {percent(worst.no_accuracy.value)} where it is No; guessing gives "
        f"{percent(COIN_FLIP)} on both."
    )
    moved = [(habit.rank_debiased - habit.rank, habit) for habit in habits if habit.rank is not None]
    if not any(move for move, _ in moved):
        return first
    _, habit = max(moved, key=lambda item: (abs(item[0]), item[1].model.name))
    places = ordinal(habit.rank or 0), ordinal(habit.rank_debiased)
    return (
        f"{first} {habit.model.name} is {places[0]} by accuracy on all questions, and {places[1]} by the mean of Yes "
        "and No."
    )


def yes_no_remarks(finding: YesNoFinding) -> list[str]:
    """From how many questions d' and the criterion come, and what is known to be wrong with the figures."""
    habits, table = finding.habits, finding.table
    detected = [(habit.yes_accuracy.n, habit.no_accuracy.n) for habit in habits if habit.dprime]
    counted = sorted({(yes, no) for yes, no in detected if yes and no})
    remarks = [
        "We compute d′ and the criterion from the accuracies, with "
        + listed(f"{yes:,} questions whose answer is Yes and {no:,} whose answer is No" for yes, no in counted)
        + "."
    ] * bool(counted)
    without = [habit.model.name for habit in habits if not habit.dprime]
    if without:
        remarks.append(f"No d′ for {listed(without)}: the results do not say how many questions there were.")
    remarks += [
        f"{row.model.name}, {column.label.lower()}: {cell.note.text}"
        for row in table.rows.values()
        for column in table.columns
        if (cell := row.cells.get(column.key)) and cell.note and cell.note.kind == "flag"
    ]
    return remarks


def on_consistency(finding: PositionFinding) -> str:
    """Models that keep fewer answers than coin flips on every set, those that keep more on every set, and the rest."""
    shares_of = kept_shares(finding)
    fewer = {name: shares for name, shares in shares_of.items() if max(shares) < COIN_FLIP}
    more = {name: shares for name, shares in shares_of.items() if min(shares) > COIN_FLIP}
    rest = {name: shares for name, shares in shares_of.items() if name not in fewer and name not in more}
    parts = [
        f"{count(len(group), 'model')} {'does' if len(group) == 1 else 'do'} so {how} "
        f"({between([share for shares in group.values() for share in shares])}): "
        f"{listed(group)}."
        for group, how in (
            (fewer, "less often"),
            (more, "more often"),
            (rest, "more often on some image sets, and not on others"),
        )
        if group
    ]
    flips = (
        "Each pair is asked in both orders; coin flips would choose the same photo twice for "
        f"{percent(COIN_FLIP)} of the pairs."
    )
    return " ".join([flips, *parts]) if parts else ""


def on_correlation(finding: PositionFinding) -> str:
    """How many correlations coin flips reach too, and how many others rest on doubtful or wrong answers."""
    known = [cell for cell in finding.cells if cell.verdict and not is_reference(cell.model)]
    if not known:
        return ""
    levels = [cell.chance.value for cell in known if cell.chance.value is not None]
    low = sum(cell.verdict != "above" for cell in known)
    guessed = sum(cell.may_be_guessed for cell in known)
    sentence = (
        "Before each correlation, a curve is fitted between the model's ranking and people's scores. It may rise or "
        "fall, so even a reversed ranking gets a positive correlation. On these datasets coin flips reach "
        f"{min(levels):.2f} to {max(levels):.2f} on average. The fewer images a dataset has, the higher this value. "
        f"{low} of the {len(known)} correlations {'is' if low == 1 else 'are'} no better than coin flips."
    )
    if guessed:
        better = len(known) - low
        sentence = sentence[:-1] + (
            f"; the other {better} are better. But {guessed} of these {better} {'is' if guessed == 1 else 'are'} "
            "doubtful: among the pairs where the model chose the same photo in both orders, the share of right "
            "answers is not clearly above one half."
        )
    backwards: dict[str, list[str]] = {}
    for cell in known:
        if cell.runs_backwards:
            backwards.setdefault(cell.model.name, []).append(cell.label)
    if not backwards:
        return sentence
    named = listed(f"{name} on {listed(places)}" for name, places in backwards.items())
    return f"{sentence} The kept answers of {named} are mostly wrong, so these rankings are probably reversed."


def how_many_prefer_good(habits: Sequence[WordHabit]) -> str:
    """How many find the good word likelier, whatever the photo; no full stop."""
    always = [habit for habit in habits if min(share.value for share in habit.shares.values()) > COIN_FLIP]
    return (
        f"{len(always)} of {count(len(habits), 'model')} find the good word likelier than the bad one for most images "
        "of every dataset"
    )


def on_score_words(habits: Sequence[WordHabit]) -> str:
    """The same, and who prefers it most and least."""
    if not habits:
        return ""
    extreme = [habit for habit in habits if habit.mean > 0.95]
    rarely = [habit for habit in habits if habit.mean < COIN_FLIP]
    sentence = how_many_prefer_good(habits)
    if extreme:
        sentence += f"; {len(extreme)} of them for more than 95 % of all images"
    if rarely:
        means = between([habit.mean for habit in rarely])
        sentence += (
            f". Only {listed(habit.model.name for habit in rarely)} {'leans' if len(rarely) == 1 else 'lean'} to the "
            f"bad word, choosing the good one for {means} of the images on average"
        )
    return f"{sentence}. Naming the likelier word would say little about an image; A3 scores how far apart the two are."


def on_judge(models: Sequence[JudgeOnModel]) -> str:
    """How often a judge agrees with itself."""
    if not models:
        return ""
    first, last = models[0], models[-1]
    return (
        f"A judge graded each description five times. All five grades are the same for {percent(last.mean)} "
        f"({last.model.name}) to {percent(first.mean)} ({first.model.name}) of a model's descriptions."
    )


def on_quarters(models: Sequence[ModelByQuarter]) -> str:
    """For each way of asking, how many fall behind among the best photos, and how many are better there."""
    said = [
        "In the best quarter of the images, people's scores span a narrower range, which alone makes ranking harder."
    ]
    for asked in sorted({each.asked for each in models}):
        best = [each.quarters[-1].against_range for each in models if each.asked == asked]
        worse, better = (best.count(side) for side in ("below", "above"))
        rank, also = ("ranks" if number == 1 else "rank" for number in (worse, better))
        where = f"When the scores of models come from {asked}," if asked else "Here"
        said.append(
            f"{where} {worse or 'none'} of the {len(best)} models {rank} these images worse than this effect "
            f"predicts, and {better or 'none'} {also} them better."
        )
    return " ".join(said)


def on_sources(found: SourceFinding) -> str:
    """How many figures several sources give alike, and the widest gaps."""
    if not found.compared:
        return ""
    said = (
        f"Of {found.compared} figures that several sources give, {found.compared - len(found.apart)} are the same; "
        "many are copies."
    )
    if not found.apart:
        return said
    widest = [next(spreads) for _, spreads in groupby(found.apart, key=lambda spread: spread.column.metric.key)]
    named = listed(
        f"{figure(spread.width, spread.column.metric)} {'points of' if spread.column.metric.unit == '%' else 'of'} "
        f"{spread.column.metric.label} ({shorten_name(spread.model.name)}, {spread.board.title})"
        for spread in widest[:2]
    )
    return f"{said} The widest gaps: {named}."


def share_with_interval(share: Estimate) -> str:
    """A share with its interval, where it has one."""
    if share.low is None or share.high is None:
        return percent(share.value or 0.0)
    return f"{percent(share.value or 0.0)} (95 % interval {share.low * 100:.0f} to {percent(share.high)})"


def kept_sentence(kept: Estimate) -> str:
    """How often a model kept its answer in both orders."""
    return (
        f"Asked in both orders, it kept its answer for {share_with_interval(kept)} of the pairs; two coin flips would "
        f"agree in {percent(COIN_FLIP)}."
    )


def places_sentence(metrics: Metrics, what: str = "") -> str:
    """How often a model named the first place, the second, and neither."""
    shares = (metrics.get(name) for name in ("first_rate", "second_rate", "tie_rate"))
    first, second, tie = (percent((share and share.value) or 0.0) for share in shares)
    return f"It named the first{what} in {first} of its answers, the second in {second} and neither in {tie}."


def findings_json(found: Findings) -> dict[str, Any]:
    """Findings as plain data, the sentences included."""
    shares = ("yes_accuracy", "no_accuracy", "debiased_accuracy")
    return {
        "schema": 1,
        "revision": found.revision,
        "yes_no": [
            {
                "questions": finding.questions.label,
                "finding": on_yes_no(finding),
                "remarks": yes_no_remarks(finding),
                "models": _told(finding.habits, "rank", "rank_debiased", "accuracy", *shares, "dprime", "criterion"),
            }
            for finding in found.yes_no
        ],
        "position": {
            kind: {
                "board": finding.board.key,
                "finding": on_consistency(finding),
                "finding_on_correlation": on_correlation(finding),
                "cells": [
                    {
                        "model": cell.model.id,
                        "pairs": cell.key,
                        "images": cell.images,
                        "consistency": cell.consistency.value,
                        "right_of_consistent": _plain(cell.right_of_consistent),
                        "correlation": cell.correlation and cell.correlation.value,
                        "chance": _plain(cell.chance),
                        "against_chance": cell.verdict,
                    }
                    for cell in finding.cells
                ],
            }
            for kind, finding in found.position.items()
        },
        "shares": _told(found.shares, "dataset", "first", "second", "tie"),
        "score_words": {
            "finding": on_score_words(found.score_words),
            "models": _told(found.score_words, "words", "mean", "shares"),
        },
        "judge": {"finding": on_judge(found.judge), "models": _told(found.judge, "same", "mean", "deviation")},
        "quarters": [
            {
                "dataset": dataset,
                "finding": on_quarters(models),
                "models": [
                    {
                        "model": each.model.id,
                        "asked": each.asked,
                        "quarters": {
                            of.name: {**of.srcc.figure(), "expected": of.expected.value} for of in each.quarters
                        },
                    }
                    for each in models
                ],
            }
            for dataset, models in found.quarters.items()
        ],
        "sources": {
            "compared": found.sources.compared,
            "finding": on_sources(found.sources),
            "models": [
                {
                    "model": spread.model.id,
                    "board": spread.board.key,
                    "column": spread.column.key,
                    "figures": [{"value": value, "source": place} for value, place in spread.figures],
                }
                for spread in found.sources.apart
            ],
        },
    }


def _told(items: Iterable[Any], *names: str) -> list[dict[str, Any]]:
    """The model of each item, and some of its fields."""
    return [{"model": item.model.id} | {name: _plain(getattr(item, name)) for name in names} for item in items]


def _plain(value: Any) -> Any:
    if isinstance(value, Cell):
        return value.figure()
    if isinstance(value, Estimate):
        return value.to_json()
    return {key: _plain(each) for key, each in value.items()} if isinstance(value, dict) else value
