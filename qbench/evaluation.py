"""`run`: a model on a dataset, from the papers' prompts to a record, with every raw response kept.

The output folder holds `responses.jsonl` (all answers ever given: cache and resume), `raw/SHA.jsonl` (the answers
behind one record) and one JSON file a record, named by what was asked of whom and a digest of how.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any
from uuid import uuid4

from qbench import running, similarity_summary, summary
from qbench.cache import Cache, response_key, to_json
from qbench.comparison_results import comparison_results
from qbench.datasets import Dataset
from qbench.datasets.known import SYNTHETIC
from qbench.errors import UserError
from qbench.models import Model
from qbench.models.catalogue import find
from qbench.records import Estimate, Response, Result, Sample, Source, Want
from qbench.runner import Progress, Runner
from qbench.tasks import Ask, Outcome, Plan, assessment, comparison, description, perception, similarity
from qbench.tasks.assessment import WordPair

TASKS: Mapping[str, str] = {
    "perception": "A1: multiple-choice questions about how an image looks (Q-Bench)",
    "description": "A2: free descriptions, graded by a judge model (Q-Bench)",
    "assessment": "A3: quality scores against people's (Q-Bench)",
    "comparison": "2AFC: which of two images looks better, asked in both orders",
    "img-2afc": "which of two images is nearer to a reference image (UniSim-Bench)",
    "it-2afc": "which of two or more images fits a caption better (UniSim-Bench)",
    "text-2afc": "which of two captions fits an image better (UniSim-Bench)",
    "iqa-2afc": "which of two images has better quality (UniSim-Bench)",
    "attributes": "which of two images is brighter, more colorful, of more contrast or sharper (UniSim-Bench)",
    "odd-one-out": "which of three images does not belong (UniSim-Bench)",
    "retrieval": "images of the same thing found among many (UniSim-Bench)",
}
_WAYS: Mapping[str, Callable[[frozenset[Want]], str]] = {
    "perception": perception.choose_way,
    "description": description.choose_way,
    "assessment": assessment.choose_way,
    "comparison": comparison.choose_way,
}
HEEDED_BY: Mapping[str, Collection[str]] = {
    "judge": ("perception", "description"),
    "lexicon": ("description",),
    "mode": TASKS.keys() - {"description"},
    "pairing": ("comparison",),
    "rounds": ("comparison",),
    "schedule": ("comparison",),
    "seed": ("perception", "comparison"),
    "style": TASKS.keys() - {"description", "assessment", "retrieval"},
}
"""Option -> the tasks it means something to."""
Watch = Callable[[Progress, Estimate | None], None]


@dataclass(frozen=True)
class RunOptions:
    """What a person may choose about a run; what a task does not heed is refused."""

    mode: str | None = None
    rounds: int | None = None
    rule: str | None = None
    """How comparisons are paired; None is as the dataset says."""
    seed: int | None = None
    lexicon: bool = False
    style: str | None = None
    schedule: str = "random"


def evaluate(
    task: str,
    dataset: Dataset,
    model: Model,
    out: Path,
    *,
    judge: Model | None = None,
    options: RunOptions = RunOptions(),
    watch: Watch = lambda _progress, _metric: None,
    cancel: threading.Event | None = None,
) -> list[Result]:
    """Run one task and store its records.

    Raises:
        UserError: The model or dataset cannot do this task, or most prompts fail.
        Cancelled: On request; every answer so far is kept, and the same call goes on from there.
    """
    if not dataset.samples:
        raise UserError(f"{dataset.name} holds no samples")
    _refuse_unheeded(task, options, judged=judge is not None)
    options = replace(options, rule=options.rule or (dataset.facts.pairing if dataset.facts else "coarse"))
    plan = make_plan(task, dataset.samples, model, options, judged=judge is not None)
    preview = running.previews(task, dataset.samples, options.seed or 0)
    log: dict[tuple[str, str], tuple[Ask, Response]] = {}

    def seen(progress: Progress, answers: Sequence[tuple[Ask, Response]]) -> None:
        for ask, response in answers:
            answerer = judge if ask.of == "judge" and judge is not None else model
            log[ask.sample, response_key(answerer.identity, ask.prompt)] = (ask, response)
        watch(progress, preview(answers))

    outcome = Runner(model, Cache(out / "responses.jsonl"), judge=judge, watch=seen, cancel=cancel).run(plan)
    raw = _keep_raw(log, out)
    asked: dict[str, Any] = {"model": dict(model.identity), "list": dataset.revision[:12]}
    asked |= {"judge": dict(judge.identity)} if judge else {}
    asked |= {"limit": dataset.limit} if dataset.limit is not None else {}
    asked |= {"truth": SYNTHETIC} if dataset.facts and dataset.facts.truth == "construction" else {}
    base = Result(
        task=task,
        dataset=dataset.name,
        split=dataset.split,
        model=_model_name(model),
        metrics={},
        protocol={**outcome.protocol, **asked, **_usage({key: response for (_, key), (_, response) in log.items()})},
        status={"asked": len(log), "failed": sum(response.failure is not None for _, response in log.values())},
        source=Source(kind="live", reference=f"python -m qbench run --task {task}", at=_today()),
        raw=raw,
    )
    results = summarise(outcome, base, dataset.samples)
    how = hashlib.sha256(json.dumps([asdict(options), asked], sort_keys=True).encode()).hexdigest()
    for result in results:
        _store(result, out, how[:8])
    return results


def make_plan(task: str, samples: Sequence[Sample], model: Model, options: RunOptions, *, judged: bool) -> Plan:
    """The plan of a task for a model."""
    wants, mode = model.wants, options.mode
    if task == "perception":
        _need(samples, "options", lambda one: bool(one.options) and bool(one.images))
        chosen = perception.Perception(
            mode=_one_of(mode, perception.Mode),
            seed=options.seed or 0,
            judge=judged,
            style=_one_of(options.style, perception.Style) or "paper",
        )
        return perception.plan(samples, wants, chosen)
    if task == "description":
        _need(samples, "an image", lambda one: bool(one.images))
        return description.plan(samples, wants, description.Description(judged, options.lexicon))
    if task == "assessment":
        _need(samples, "a human score (gt_score)", lambda one: one.human is not None and bool(one.images))
        facts = find(model.name)
        words = WordPair(**facts.words) if facts else assessment.DEFAULT_WORDS
        return assessment.plan(samples, wants, assessment.Assessment(_one_of(mode, assessment.Mode), words))
    if task == "comparison":
        _need(samples, "an image", lambda one: bool(one.images))
        chosen_pairs = comparison.Comparison(
            rule=_one_of(options.rule, comparison.Rule) or "coarse",
            rounds=options.rounds,
            seed=comparison.Comparison.seed if options.seed is None else options.seed,
            mode=_one_of(mode, comparison.Mode),
            style=_one_of(options.style, comparison.Style) or "paper",
            schedule=_one_of(options.schedule, comparison.Schedule),
        )
        return comparison.plan(samples, wants, chosen_pairs)
    if task in similarity.TASKS:
        ways = similarity.Similarity(_one_of(mode, similarity.Mode), _one_of(options.style, similarity.Style))
        return similarity.plan(task, samples, wants, ways)
    raise UserError(f"no task is called {task!r}; there are {', '.join(TASKS)}")


def can_do(task: str, wants: frozenset[Want]) -> bool:
    """Whether there is a way to ask a model that offers this, of whatever samples."""
    try:
        if task in similarity.TASKS:
            similarity.choose_way(task, wants)
        else:
            _WAYS[task](wants)
    except UserError:
        return False
    return True


def summarise(outcome: Outcome, base: Result, samples: Sequence[Sample]) -> list[Result]:
    """Records of an outcome: one, or for comparisons one for each set of images."""
    if base.task == "comparison":
        return comparison_results(outcome, base, samples)
    if base.task == "assessment":
        return [_assessment_result(outcome, base, samples)]
    if base.task == "perception":
        return [_perception_result(outcome, base, samples)]
    if base.task == "retrieval":
        return [_retrieval_result(outcome, base)]
    if base.task in similarity.TASKS:
        return [_similarity_result(outcome, base)]
    return [_description_result(outcome, base)]


def _perception_result(outcome: Outcome, base: Result, samples: Sequence[Sample]) -> Result:
    scores = [score for score in outcome.scores["accuracy"] if score.truth is not None]
    if not scores:
        note = "the answers of this split are not public; the replies are kept for whoever has them"
        return replace(base, metrics={"accuracy": Estimate(None, n=0, note=note)})
    words = {sample.id: perception.shuffle_options(sample, _seed(base)).options for sample in samples}
    others = {name: summary.summarise_accuracy(list(one)) for name, one in outcome.scores.items() if name != "accuracy"}
    return replace(
        base,
        metrics={
            "accuracy": summary.summarise_accuracy(scores),
            **others,
            **summary.summarise_yes_no(scores, words),
        },
        groups=summary.accuracy_by_group(scores),
        unscored=summary.count_unscored(scores),
        protocol={**base.protocol, "unscored": "counted as not correct"},
    )


def _description_result(outcome: Outcome, base: Result) -> Result:
    metrics: dict[str, Estimate] = {name: Estimate(None, note=reason) for name, reason in outcome.absent.items()}
    metrics |= {name: summary.summarise_mean(scores) for name, scores in outcome.scores.items()}
    if all(name in outcome.scores for name in description.DIMENSIONS):
        metrics["sum"] = summary.summarise_sum([outcome.scores[name] for name in description.DIMENSIONS])
    groups = {
        name: {rating: {"share": summary.summarise_mean(scores)} for rating, scores in members.items()}
        for name, members in outcome.variants.items()
    }
    # A description that is missing lacks a score in every dimension, and is one sample all the same.
    every = {(one.sample, one.reason): one for scores in outcome.scores.values() for one in scores if one.value is None}
    return replace(base, metrics=metrics, groups=groups, unscored=summary.count_unscored(every.values()))


def _assessment_result(outcome: Outcome, base: Result, samples: Sequence[Sample]) -> Result:
    scores = outcome.scores["quality"]
    part = "part" if all("part" in sample.groups for sample in samples) else None
    return replace(
        base,
        metrics=summary.summarise_assessment(scores, part=part),
        groups=summary.summarise_quality_variants(outcome.variants, part),
        unscored=summary.count_unscored(scores),
        protocol={**base.protocol, **({"averaged_over": part} if part else {})},
    )


def _similarity_result(outcome: Outcome, base: Result) -> Result:
    shown = outcome.scores.get("accuracy_balanced", outcome.scores["accuracy"])
    return replace(
        base,
        metrics=similarity_summary.summarise_choices(outcome.scores),
        groups=similarity_summary.groups_of_choices(outcome.scores, outcome.variants),
        unscored=summary.count_unscored(score for score in shown if score.truth is not None),
        protocol={**base.protocol, "unscored": "counted as not correct"},
        status={**base.status, "presented": len(shown)},
    )


def _retrieval_result(outcome: Outcome, base: Result) -> Result:
    metrics = similarity_summary.summarise_retrieval(outcome.scores)
    return replace(base, metrics=metrics, unscored=summary.count_unscored(outcome.scores["embedded"]))


def _refuse_unheeded(task: str, options: RunOptions, *, judged: bool) -> None:
    """What a person chose must not seem to count where it does not."""
    given = {**vars(options), "pairing": options.rule, "judge": judged or None}
    usual = vars(RunOptions())
    chosen = [name for name in HEEDED_BY if given[name] != usual.get(name)]
    unheeded = [name for name in chosen if task in TASKS and task not in HEEDED_BY[name]]
    if unheeded:
        meant = ", ".join(one for one in TASKS if one in HEEDED_BY[unheeded[0]])
        raise UserError(f"--{unheeded[0]} changes nothing about {task}, only about {meant}; leave it out")


def _need(samples: Sequence[Sample], what: str, has: Callable[[Sample], bool]) -> None:
    without = [sample.id for sample in samples if not has(sample)]
    if without:
        raise UserError(f"{len(without):,} samples lack {what}, which this task needs; the first is {without[0]!r}")


def _one_of(value: str | None, choices: Any) -> Any:
    known = choices.__args__
    if value is not None and value not in known:
        raise UserError(f"{value!r} is no mode of this task; choose one of {', '.join(known)}")
    return value


def _seed(base: Result) -> int:
    return int(str(base.protocol["options"]).rsplit(" ", 1)[-1])


def _model_name(model: Model) -> str:
    facts = find(model.name)
    return facts.id if facts else model.name


def _usage(answers: Mapping[str, Response]) -> dict[str, dict[str, float]]:
    """Tokens and money that the answers took, when they were given, as far as these were counted."""
    spent: dict[str, float] = {}
    for response in answers.values():
        for name, amount in response.usage.items():
            spent[name] = spent.get(name, 0) + amount
    return {"usage": spent} if spent else {}


def _store(result: Result, out: Path, how: str) -> None:
    name = re.sub(r"[^\w.-]+", "_", f"{result.task}--{result.dataset}--{result.model}--{how}")
    _write(out / f"{name}.json", (json.dumps(result.to_json(), indent=1, ensure_ascii=False) + "\n").encode())


def _keep_raw(log: Mapping[tuple[str, str], tuple[Ask, Response]], out: Path) -> str:
    """Write the answers behind this run, one a line in a stable order; their digest names the file."""
    lines = [
        json.dumps({"sample": sample, "prompt": key, "of": ask.of, **to_json(response)}, ensure_ascii=False)
        for (sample, key), (ask, response) in sorted(log.items())
    ]
    content = ("\n".join(lines) + "\n").encode()
    digest = hashlib.sha256(content).hexdigest()
    _write(out / "raw" / f"{digest}.jsonl", content)
    return digest


def _write(path: Path, content: bytes) -> None:
    """Whole or not at all: a reader never sees half a file, and two runs that end together do not share one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f"{path.suffix}.{uuid4().hex}.part")
    part.write_bytes(content)
    part.replace(path)


def _today() -> str:
    return datetime.now(timezone.utc).date().isoformat()
