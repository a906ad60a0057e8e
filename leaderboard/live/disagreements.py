"""Where a model and the truth are farthest apart, sample by sample; and what it gave no usable answer to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from leaderboard.tables.words import ordinal
from qbench.datasets import Dataset
from qbench.datasets.demo.damage import describe_damage
from qbench.records import Sample, Score
from qbench.stats.correlation import average_ranks
from qbench.stats.pairwise import Comparisons, paired_orders
from qbench.tasks import TASKS, Outcome, RunOptions, Task
from qbench.tasks.assessment import human_score
from qbench.tasks.choice import Shape
from qbench.tasks.perception import shuffle_options
from qbench.tasks.task import ResultKind

MOST = 12


@dataclass(frozen=True)
class Disagreement:
    """One sample, or pair, and who says what of it."""

    images: tuple[str, ...]
    said: str
    gap: float | None = None
    """How far apart they are; None where an answer is only right or wrong."""
    damage: tuple[str, ...] = ()
    """What was done to each picture; empty where nobody knows."""


@dataclass(frozen=True)
class Missing:
    """Samples without a usable answer for one reason."""

    reason: str
    samples: tuple[str, ...]


def truth_of(dataset: Dataset) -> str:
    """Whose word counts as right."""
    return "construction" if dataset.facts and dataset.facts.truth == "construction" else "people"


def find_worst(outcome: Outcome, task: str, dataset: Dataset, most: int = MOST) -> list[Disagreement]:
    """The worst disagreements, the widest gap first; none for tasks without right and wrong for each sample."""
    find = _FINDERS.get(TASKS[task].result)
    samples = {sample.id: sample for sample in dataset.samples}
    found = find(outcome, TASKS[task], samples, truth_of(dataset)) if find else []
    worst = sorted(found, key=lambda disagreement: -(disagreement.gap or 0.0))[:most]
    if truth_of(dataset) == "people":
        return worst
    return [replace(shown, damage=tuple(map(describe_damage, shown.images))) for shown in worst]


def find_missing(outcome: Outcome) -> list[Missing]:
    """Reasons for which samples have no score, the commonest first."""
    by_reason: dict[str, dict[str, None]] = {}
    for scores in outcome.scores.values():
        for score in scores:
            if score.value is None and score.reason:
                by_reason.setdefault(score.reason, {})[score.sample] = None
    for shown in outcome.presented:
        if shown.choice is None:
            by_reason.setdefault("no usable answer", {})[f"{shown.first} and {shown.second}"] = None
    found = [Missing(reason, tuple(names)) for reason, names in by_reason.items()]
    return sorted(found, key=lambda missing: -len(missing.samples))


def _misplaced(outcome: Outcome, _task: Task, samples: Mapping[str, Sample], truth: str) -> list[Disagreement]:
    """Distance between both places of a picture among those it is measured with."""
    scores = outcome.scores["quality"]
    parts: dict[str, list[Score]] = {}
    whole = any("part" not in score.groups for score in scores)
    for score in scores:
        if score.value is not None and score.truth is not None:
            parts.setdefault("" if whole else score.groups["part"], []).append(score)
    found = []
    for members in parts.values():
        by_model = average_ranks([-(member.rank_value or 0.0) for member in members])
        by_truth = average_ranks([-(member.truth or 0.0) for member in members])
        found += [
            Disagreement(
                samples[score.sample].images,
                f"{ordinal(round(own))} of {len(members)} for the model, {ordinal(round(true))} by {truth}",
                abs(own - true) / len(members),
            )
            for score, own, true in zip(members, by_model.tolist(), by_truth.tolist(), strict=True)
            if own != true
        ]
    return found


def _preferred(outcome: Outcome, _task: Task, samples: Mapping[str, Sample], truth: str) -> list[Disagreement]:
    """Pairs where both orders prefer the worse picture."""
    comparisons = Comparisons.of_presented(outcome.presented)
    items, pairs = comparisons.items, paired_orders(comparisons)
    found = {}
    for first, second, winner in zip(pairs.first, pairs.second, pairs.winner, strict=True):
        if winner < 0:
            continue
        won, lost = samples[items[winner]], samples[items[first + second - winner]]
        own, other = human_score(won), human_score(lost)
        if own is not None and other is not None and own < other:
            said = f"Preferred the left, which is worse by {other - own:.3g} points by {truth}"
            found[won.id, lost.id] = Disagreement((*won.images, *lost.images), said, other - own)
    return list(found.values())


def _wrong(
    scores: Sequence[Score], samples: Mapping[str, Sample], about: Callable[[Sample, int, int], str]
) -> list[Disagreement]:
    return [
        Disagreement(samples[score.sample].images, about(samples[score.sample], int(score.order), int(score.truth)))
        for score in scores
        if score.value == 0 and score.order is not None and score.truth is not None
    ]


def _wrong_answers(outcome: Outcome, _task: Task, samples: Mapping[str, Sample], _truth: str) -> list[Disagreement]:
    seed = RunOptions().seed or 0
    shuffled = {name: shuffle_options(sample, seed) for name, sample in samples.items()}
    return _wrong(outcome.scores["accuracy"], shuffled, _about_question)


def _wrong_choices(outcome: Outcome, task: Task, samples: Mapping[str, Sample], _truth: str) -> list[Disagreement]:
    assert task.choice is not None
    return _wrong(outcome.scores["accuracy"], samples, partial(_about_choice, task.choice.shape))


def _about_question(sample: Sample, chosen: int, right: int) -> str:
    return f"{sample.question} It said “{sample.options[chosen]}”; right is “{sample.options[right]}”"


def _about_choice(shape: Shape, sample: Sample, chosen: int, right: int) -> str:
    if shape.texts:
        return f"It chose “{sample.texts[chosen]}”; right is “{sample.texts[right]}”"
    asked = f"“{sample.texts[0]}”: " if sample.texts else f"{sample.groups.get('attribute', '')}: ".removeprefix(": ")
    beside = " beside the reference on the left" if shape.against == "image" else ""
    return f"{asked}it chose picture {chosen + 1}{beside}; right is picture {right + 1}"


_FINDERS: Mapping[ResultKind, Callable[[Outcome, Task, Mapping[str, Sample], str], list[Disagreement]]] = {
    "quality": _misplaced,
    "questions": _wrong_answers,
    "comparisons": _preferred,
    "choices": _wrong_choices,
}
"""How disagreements are found, by what a task's results are; descriptions and retrieval have none by sample."""
