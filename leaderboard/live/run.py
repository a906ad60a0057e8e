"""A run: a model on a dataset, for the Run page, and what lies behind it once it is through.

`qbench.commands.evaluate` does the work, as for the command line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from leaderboard.analysis.compare import Profile, best_models, compare_models
from leaderboard.live.datasets import available_datasets
from leaderboard.live.run_files import RunRecords, take_answers
from leaderboard.live.run_request import RunRequest
from leaderboard.live.service.jobs import Job, JobState, Publish
from leaderboard.live.service.limits import Work
from leaderboard.snapshot import Snapshot
from leaderboard.store import records_of
from leaderboard.submissions.preview import Placing, find_placings
from qbench.cache import ANSWERS, Cache
from qbench.commands.evaluate import run_task, write_run
from qbench.datasets import Dataset, open_dataset
from qbench.datasets.demo import describe_damage
from qbench.errors import UserError
from qbench.models import Model
from qbench.records import Estimate, Sample, Score
from qbench.runner import Progress
from qbench.stats.correlation import average_ranks
from qbench.stats.pairwise import Comparisons, paired_orders
from qbench.tasks import TASKS, Outcome, RunOptions
from qbench.tasks.assessment import human_score
from qbench.tasks.choice import Shape
from qbench.tasks.perception import shuffle_options


@dataclass(frozen=True)
class FinishedRun:
    """A run that is through."""

    records: RunRecords
    dataset: Dataset
    outcome: Outcome | None
    """Sample by sample; None for a record whose answers were asked for in another way than here."""
    cached: bool
    """Whether every answer was known and nobody was asked."""


RunState: TypeAlias = JobState[Estimate, FinishedRun]
"""How far a run is; what is known before its end is the figure that the answers so far come to."""


def to_json(state: RunState) -> dict[str, Any]:
    progress, finished = state.progress, state.result
    return {
        "doing": state.doing or "waiting to begin",
        "done": progress.done if progress else None,
        "of": progress.total if progress else None,
        "failed": progress.failed if progress else None,
        "running": state.known.to_json() if state.known else None,
        "ended": "stopped" if state.cancelled else state.failure,
        "cached": finished.cached if finished else None,
        "results": [result.to_json() for result in finished.records.results.values()] if finished else None,
    }


def run_job(
    request: RunRequest,
    lend: Callable[[str, Work], Model],
    folder: Path,
    earlier: Sequence[Path] = (),
    *,
    anew: bool = False,
) -> Job[FinishedRun]:
    """The job of running; stopped, the same run goes on from there, and what others have asked is not asked again.

    Args:
        request: What to run.
        lend: Gives a model by its name.
        folder: The run's own: answers, records, and what it has of an earlier try.
        earlier: Folders of runs that may have answers to some of the questions, the newest first.
        anew: Ask everything that this run has not asked itself, whatever others know.
    """

    def job(work: Work, publish: Publish) -> FinishedRun:
        check_request(request)
        publish(doing="making the dataset ready")
        dataset = open_requested(request)
        work.check()
        publish(doing="opening the model")
        model = lend(request.model, work)
        judge = lend(request.judge, work) if request.judge else None
        if not anew:
            take_answers(folder, earlier)
        known = True

        def watch(progress: Progress, metric: Estimate | None) -> None:
            nonlocal known
            known = known and progress.cached == progress.total
            publish(doing="asking the model", progress=progress, **({} if metric is None else {"known": metric}))

        publish(doing="asking the model")
        run = run_task(
            request.task,
            dataset,
            model,
            Cache(folder / ANSWERS),
            judge=judge,
            options=request.options,
            watch=watch,
            cancel=work.cancel,
        )
        write_run(run, folder)
        return FinishedRun(RunRecords(folder, run.results), dataset, run.outcome, cached=known)

    return job


def open_requested(request: RunRequest) -> Dataset:
    """The dataset of a request, as the command line opens it."""
    return open_dataset(request.dataset, limit=request.limit, task=request.task, allow_missing=request.allow_missing)


def check_request(request: RunRequest) -> None:
    """Refuse what is not offered in a UserError."""
    if request.task not in TASKS or request.dataset not in {dataset.name for dataset in available_datasets()}:
        raise UserError(f"{request.task} on {request.dataset} cannot be run here; choose what the page offers")
    if request.limit is not None and request.limit < 1:
        raise UserError(f"{request.limit} samples cannot be run; give a number from 1, or leave it out for all")


MOST = 12


class Misplaced(NamedTuple):
    """The places of a picture, 1 the best, among so many of the dataset or of one part of it."""

    by_model: int
    by_truth: int
    of: int
    part: str = ""


class Wrong(NamedTuple):
    """The options, or alternatives of a shape, that were chosen and that would be right."""

    sample: Sample
    chosen: int
    right: int
    shape: Shape | None = None


@dataclass(frozen=True)
class Disagreement:
    """One sample, or pair, and who says what of it; of a pair, the first picture was preferred wrongly."""

    images: tuple[str, ...]
    about: Misplaced | Wrong | None
    gap: float | None = None
    """How far apart they are; None where an answer is only right or wrong."""
    damage: tuple[str, ...] = ()
    """What was done to each picture; empty where nobody knows."""


@dataclass(frozen=True)
class Missing:
    """Samples without a usable answer for one reason."""

    reason: str
    samples: tuple[str, ...]


def find_worst(outcome: Outcome, task: str, dataset: Dataset, most: int = MOST) -> list[Disagreement]:
    """The worst disagreements, the widest gap first; none for descriptions and retrieval, which have none by sample."""
    samples, choice = {sample.id: sample for sample in dataset.samples}, TASKS[task].choice
    found: list[Disagreement] = []
    match TASKS[task].result:
        case "quality":
            found = _misplaced(outcome.scores["quality"], samples)
        case "comparisons":
            found = _preferred(outcome, samples)
        case "questions":
            seed = RunOptions().seed or 0
            shuffled = {name: shuffle_options(sample, seed) for name, sample in samples.items()}
            found = _wrong(outcome, shuffled)
        case "choices" if choice is not None:
            found = _wrong(outcome, samples, choice.shape)
    worst = sorted(found, key=lambda disagreement: -(disagreement.gap or 0.0))[:most]
    if dataset.facts is None or dataset.facts.truth != "construction":
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


def _misplaced(scores: Sequence[Score], samples: Mapping[str, Sample]) -> list[Disagreement]:
    """Distance between both places of a picture among those it is measured with."""
    parts: dict[str, list[Score]] = {}
    whole = any("part" not in score.groups for score in scores)
    for score in scores:
        if score.value is not None and score.truth is not None:
            parts.setdefault("" if whole else score.groups["part"], []).append(score)
    found = []
    for part, members in parts.items():
        by_model = average_ranks([-(member.rank_value or 0.0) for member in members])
        by_truth = average_ranks([-(member.truth or 0.0) for member in members])
        found += [
            Disagreement(
                samples[score.sample].images,
                Misplaced(round(own), round(true), len(members), part),
                abs(own - true) / len(members),
            )
            for score, own, true in zip(members, by_model.tolist(), by_truth.tolist(), strict=True)
            if own != true
        ]
    return found


def _preferred(outcome: Outcome, samples: Mapping[str, Sample]) -> list[Disagreement]:
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
            found[won.id, lost.id] = Disagreement((*won.images, *lost.images), None, other - own)
    return list(found.values())


def _wrong(outcome: Outcome, samples: Mapping[str, Sample], shape: Shape | None = None) -> list[Disagreement]:
    return [
        Disagreement(samples[score.sample].images, Wrong(samples[score.sample], score.chosen, score.right, shape))
        for score in outcome.scores["accuracy"]
        if score.value == 0 and score.chosen is not None and score.right is not None
    ]


NoPosition = Literal["demo set", "part of a dataset", "no column"]
"""Why a result stands on no board."""


@dataclass(frozen=True)
class BoardPosition:
    """The result on a board."""

    placings: tuple[Placing, ...]
    profile: Profile


def position_on_boards(finished: FinishedRun, snapshot: Snapshot) -> BoardPosition | NoPosition:
    """The result among the models of the first board that takes it, or why there is none."""
    results = list(finished.records.results.values())
    if finished.dataset.facts and finished.dataset.facts.truth == "construction":
        return "demo set"
    if finished.dataset.limit is not None:
        return "part of a dataset"
    present = [record for record in snapshot.loaded.records if record.result.raw != results[0].raw]
    loaded = replace(snapshot.loaded, records=tuple(present))
    if len(present) < len(snapshot.loaded.records):
        snapshot = Snapshot(loaded, snapshot.boards, snapshot.find_model)
    placings = find_placings(snapshot, results)
    if not placings:
        return "no column"
    loaded = replace(loaded, records=(*present, *records_of(results)))
    extended = Snapshot(loaded, snapshot.boards, snapshot.find_model)
    board = placings[0].board.key
    others = [name for name in best_models(snapshot, board) if name != results[0].model]
    return BoardPosition(tuple(placings), compare_models(extended, board, [results[0].model, *others]))
