"""A model on a dataset, from the papers' prompts to a record, with every raw response kept.

The output folder holds `responses.jsonl` (all answers ever given: cache and resume), `raw/SHA.jsonl` (the answers
behind one record), one JSON file a record, named by what was asked of whom and a digest of how, `items/` with what
single items add to its figures, and `chance/` with what judges who flip coins reach on a pairing, whoever is asked.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from qbench.atomic import write_whole
from qbench.cache import ANSWERS, Cache, asked_by_one, response_key, to_json
from qbench.commands.parts import Shard, part_of_plan
from qbench.commands.preview import Preview, running_metric
from qbench.datasets import Dataset
from qbench.datasets.known import SYNTHETIC
from qbench.errors import UserError
from qbench.models import Model
from qbench.models.catalogue import find_model
from qbench.records import Estimate, Prompt, Response, Result, Sample, Source
from qbench.results import build_results
from qbench.results.items import items_lines, items_path
from qbench.runner import Progress, Runner
from qbench.stats.chance import Drawn
from qbench.tasks import NO_OPTIONS, OPTIONS, TASKS, Ask, Chosen, Outcome, Plan, RunOptions, find_task

_LATER = ("unread", "words", "prefill")
"""Options that are younger than the names of records."""
WatchMetric = Callable[[Progress, Estimate | None], None]


@dataclass(frozen=True)
class TaskRun:
    """What a run comes to, in memory."""

    results: Mapping[str, Result]
    """Records by the names of their files: one, or for comparisons one for each set of images."""
    outcome: Outcome
    answers: bytes
    """All that the records rest on, one a line in a stable order; `raw` of each record is the digest of these."""


def evaluate(
    task: str,
    dataset: Dataset,
    model: Model,
    out: Path,
    *,
    judge: Model | None = None,
    options: RunOptions = NO_OPTIONS,
    watch: WatchMetric = lambda _progress, _metric: None,
) -> list[Result]:
    """Run one task and store its records; see `run_task`.

    Raises:
        UserError: Also where another run asks the same now and keeps it in the same folder.
    """
    with asked_by_one(out, [task, dataset.name, model.name, judge.name if judge else None]):
        cache = Cache(out / ANSWERS)
        run = run_task(task, dataset, model, cache, judge=judge, options=options, watch=watch)
        write_run(run, out)
    return list(run.results.values())


def run_task(
    task: str,
    dataset: Dataset,
    model: Model,
    cache: Cache,
    *,
    judge: Model | None = None,
    options: RunOptions = NO_OPTIONS,
    watch: WatchMetric = lambda _progress, _metric: None,
    cancel: threading.Event | None = None,
) -> TaskRun:
    """Ask a model all that a task asks of a dataset, and make the records.

    A judge grades, where the task has answers graded; `watch` is told after every batch how far the run is, and what
    the answers so far come to; setting `cancel` stops it.

    Raises:
        UserError: The model or dataset cannot do this task, or most prompts fail.
        Cancelled: On request; every answer so far is kept, and the same call goes on from there.
    """
    options, plan, preview = _prepare(task, dataset, model, options, judged=judge is not None)
    given: dict[tuple[str, str], tuple[Ask, Response]] = {}

    def follow(progress: Progress, answers: Sequence[tuple[Ask, Response]]) -> None:
        for ask, response in answers:
            answerer = judge if ask.of == "judge" and judge is not None else model
            given[ask.sample, response_key(answerer.identity, ask.prompt)] = ask, response
        watch(progress, preview(answers))

    outcome = Runner(model, cache, judge=judge, watch=follow, cancel=cancel).run(plan)
    outcome = replace(outcome, keep=partial(kept_flips, cache.path.parent / "chance"))
    rows = [
        {"sample": sample, "prompt": key, "of": given[sample, key][0].of, **to_json(given[sample, key][1])}
        for sample, key in sorted(given)
    ]
    raw = ("\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n").encode()
    asked = _asked(dataset, model, judge)
    paid = {name: who.price for name, who in (("price", model), ("judge_price", judge)) if who and who.price}
    told = {name: f"{price[0]:g}/{price[1]:g}" for name, price in paid.items() if any(price)}
    spent = _spent({key: given[sample, key] for sample, key in sorted(given)}.values(), model, judge)
    base = Result(
        task=task,
        dataset=dataset.name,
        split=dataset.split,
        model=facts.id if (facts := find_model(model.name)) else model.name,
        metrics={},
        protocol={**outcome.protocol, **asked, **told, **({"usage": spent} if spent else {})},
        status={"asked": len(given), "failed": sum(row.get("failure") is not None for row in rows)},
        source=Source(
            kind="live",
            reference=f"python -m qbench run --task {task}",
            at=datetime.now(timezone.utc).date().isoformat(),
        ),
        raw=hashlib.sha256(raw).hexdigest(),
    )
    how = _digest(options, asked)
    results = {
        re.sub(r"[^\w.-]+", "_", f"{each.task}--{each.dataset}--{each.model}--{how[:8]}.json"): each
        for each in build_results(outcome, base, dataset.samples)
    }
    return TaskRun(results, outcome, raw)


def _spent(answers: Iterable[tuple[Ask, Response]], model: Model, judge: Model | None) -> dict[str, float]:
    """Tokens of all answers, and what they cost where the server or a price tells it of each."""
    spent: Counter[str] = Counter()
    costs: list[float | None] = []
    for ask, response in answers:
        usage = response.usage
        spent.update({name: count for name, count in usage.items() if name != "cost"})
        price = judge.price if ask.of == "judge" and judge else model.price
        if usage and ("cost" in usage or price is None):
            costs.append(usage.get("cost"))
        elif usage and price:
            tokens = usage.get("prompt_tokens", 0) * price[0] + usage.get("completion_tokens", 0) * price[1]
            costs.append(tokens / 1e6)
    known = [cost for cost in costs if cost is not None]
    takes_money = any(who.price is None or any(who.price) for who in (model, judge) if who)
    whole = takes_money and known and len(known) == len(costs)
    return {**spent, **({"cost": math.fsum(known)} if whole else {})}


def run_shard(
    task: str,
    dataset: Dataset,
    model: Model,
    out: Path,
    shard: Shard,
    *,
    judge: Model | None = None,
    options: RunOptions = NO_OPTIONS,
    watch: WatchMetric = lambda _progress, _metric: None,
) -> tuple[int, int]:
    """Ask one part of what `evaluate` asks, and keep the answers; gives how many were asked, and how many failed."""
    options, plan, preview = _prepare(task, dataset, model, options, judged=judge is not None)
    failed: dict[Prompt, bool] = {}

    def follow(progress: Progress, answers: Sequence[tuple[Ask, Response]]) -> None:
        failed.update((ask.prompt, response.failure is not None) for ask, response in answers)
        watch(progress, preview(answers))

    with asked_by_one(out, [task, dataset.name, model.name, judge.name if judge else None, str(shard)]):
        Runner(model, Cache(out / ANSWERS), judge=judge, watch=follow).run(part_of_plan(plan, shard))
    (out / ANSWERS).touch()  # a part may hold no prompt
    return len(failed), sum(failed.values())


def _prepare(
    task: str, dataset: Dataset, model: Model, options: RunOptions, *, judged: bool
) -> tuple[RunOptions, Plan, Preview]:
    """Options made complete, the plan, and what the answers so far come to; refuses options that change nothing."""
    if not dataset.samples:
        raise UserError(f"{dataset.name} holds no samples")
    found = find_task(task)
    given, usual = {**vars(options), "pairing": options.rule, "judge": judged or None}, vars(NO_OPTIONS)
    if unused := [name for name in OPTIONS if given[name] != usual.get(name) and name not in found.options]:
        meant = ", ".join(name for name, its in TASKS.items() if unused[0] in its.options)
        raise UserError(f"--{unused[0]} changes nothing about {task}, only about {meant}; leave it out")
    options = resolve(options, dataset)
    found.check(dataset.samples)
    chosen = choose(task, model, options, judged=judged)
    return options, found.plan(dataset.samples, chosen), running_metric(found, dataset.samples, chosen)


def kept_flips(folder: Path, name: str, compute: Callable[[], Drawn]) -> Drawn:
    """What judges who flip coins said of a pairing, as a folder keeps it; computed where it is not there."""
    path = folder / f"{name}.json"
    try:
        kept = json.loads(path.read_bytes())
        return {key: {what: np.array(values, float) for what, values in each.items()} for key, each in kept.items()}
    except (OSError, ValueError, AttributeError):
        drawn = compute()
    told = {key: {what: values.tolist() for what, values in each.items()} for key, each in drawn.items()}
    write_whole(path, json.dumps(told).encode())
    return drawn


def write_run(run: TaskRun, out: Path) -> None:
    """Write the records into a folder, and the answers behind them below it."""
    write_whole(out / "raw" / f"{hashlib.sha256(run.answers).hexdigest()}.jsonl", run.answers)
    for name, result in run.results.items():
        write_whole(out / name, (json.dumps(result.to_json(), indent=1, ensure_ascii=False) + "\n").encode())
        if lines := items_lines(result):
            write_whole(items_path(out / name), lines)


def resolve(options: RunOptions, dataset: Dataset) -> RunOptions:
    """What was chosen, with the rule of pairing that the dataset has where none was."""
    return replace(options, rule=options.rule or (dataset.facts.pairing if dataset.facts else "coarse"))


def _digest(options: RunOptions, asked: Mapping[str, Any]) -> str:
    # What is usual is left out of later options, and one that is gone stays: so runs of today and before have one name.
    usual = vars(NO_OPTIONS)
    chosen = {name: value for name, value in asdict(options).items() if name not in _LATER or value != usual[name]}
    chosen["lexicon"] = False
    return hashlib.sha256(json.dumps([chosen, asked], sort_keys=True).encode()).hexdigest()


def make_plan(task: str, samples: Sequence[Sample], model: Model, options: RunOptions, *, judged: bool) -> Plan:
    """The plan of a task for a model; UserError where the model or the samples cannot do it."""
    found = find_task(task)
    found.check(samples)
    return found.plan(samples, choose(task, model, options, judged=judged))


def choose(task: str, model: Model, options: RunOptions = NO_OPTIONS, *, judged: bool = False) -> Chosen:
    """How a task asks this model; see `Task.choose`."""
    facts = find_model(model.name)
    return find_task(task).choose(model.wants, options, judged=judged, own=facts.words if facts else None)


def _asked(dataset: Dataset, model: Model, judge: Model | None) -> dict[str, Any]:
    """What a record says about who was asked about what, as it is read back: JSON has lists where Python has tuples."""
    asked: dict[str, Any] = {"model": dict(model.identity), "list": dataset.revision[:12]}
    asked |= {"judge": dict(judge.identity)} if judge else {}
    asked |= {"limit": dataset.limit} if dataset.limit is not None else {}
    asked |= {"coverage": dict(dataset.coverage)} if dataset.coverage else {}
    asked |= {"note": dataset.note} if dataset.note else {}
    asked |= {"truth": SYNTHETIC} if dataset.facts and dataset.facts.truth == "construction" else {}
    told: dict[str, Any] = json.loads(json.dumps(asked))
    return told
