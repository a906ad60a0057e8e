"""`average`: UniSim-Bench's means over the datasets of a task, then over the tasks, core and others apart.

UniSim, Tables 1 and 2, https://arxiv.org/abs/2412.10594. The records are those that `run` leaves in its folder; what
one of them lacks, its averages lack.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from qbench.commands.text import records_text
from qbench.datasets.known import benchmark_datasets
from qbench.errors import UserError
from qbench.records import Estimate, Result, Source
from qbench.results.answers import read_records
from qbench.results.means import mean_of_all
from qbench.tasks import MEAN_OF_TASKS, TASKS

_TASKS: Mapping[str, tuple[str, ...]] = {
    "core": ("img-2afc", "it-2afc", "text-2afc", "iqa-2afc"),
    "ood": ("attributes", "odd-one-out", "retrieval"),
}
"""Scope -> tasks."""


def add_arguments(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    parser.description = (
        "Average each model's records over the datasets of every task, and over the tasks. Runs of a part (--limit) do "
        "not count, and where a dataset is missing there is no average."
    )
    parser.add_argument("records", nargs="+", type=Path, metavar="FILE|FOLDER", help="records of runs, or their folder")
    parser.set_defaults(run=_average)
    return [parser]


def _average(options: argparse.Namespace) -> tuple[list[dict[str, Any]], str]:
    results = average(whole_records(options.records))
    return [result.to_json() for result in results], records_text(results)


@cache
def averaged_datasets() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Scope -> task -> datasets, by the names that records carry."""
    listed = benchmark_datasets()
    return {
        scope: {task: tuple(facts.record_name for facts in listed[task]) for task in tasks}
        for scope, tasks in _TASKS.items()
    }


def whole_records(places: Sequence[Path]) -> list[tuple[Path, Result]]:
    """The records of whole datasets of the benchmark in these files, and in the files of these folders."""
    listed = {(task, name) for tasks in averaged_datasets().values() for task, names in tasks.items() for name in names}
    found = [
        (file, result)
        for place in places
        for file in (sorted(place.glob("*.json")) if place.is_dir() else [place])
        for result in read_records(file)
        if (result.task, result.dataset) in listed and "limit" not in result.protocol
    ]
    if not found:
        where = ", ".join(map(str, places))
        raise UserError(f"{where} holds no record of a whole dataset of UniSim-Bench; run one, such as nights, first")
    return found


def average(found: Iterable[tuple[Path, Result]]) -> list[Result]:
    """A record for each mean of a scope that a model has a dataset of; absent where it lacks another.

    Raises:
        UserError: Two records of one model on one dataset.
    """
    of_model: dict[str, dict[tuple[str, str], tuple[Path, Result]]] = {}
    for file, result in found:
        mine, key = of_model.setdefault(result.model, {}), (result.task, result.dataset)
        if key in mine:
            both = f"{mine[key][0]} and {file}"
            raise UserError(f"{both} are both {result.model} on {result.dataset}; name the files that are to count")
        mine[key] = file, result
    return [
        mean
        for model, files in of_model.items()
        for tasks in averaged_datasets().values()
        for mean in _means(model, {key: result for key, (_, result) in files.items() if key[0] in tasks}, tasks)
    ]


def _means(
    model: str, results: Mapping[tuple[str, str], Result], tasks: Mapping[str, tuple[str, ...]]
) -> Iterable[Result]:
    if not results:
        return
    values = {key: result.metrics.get(TASKS[result.task].metric) for key, result in results.items()}
    means = {
        task: mean_of_all({name: values.get((task, name)) for name in datasets}) for task, datasets in tasks.items()
    }
    for task, datasets in tasks.items():
        mine = [result for result in results.values() if result.task == task]
        yield _record(task, f"mean-of-{len(datasets)}", model, {TASKS[task].metric: means[task]}, datasets, mine)
    overall = {"task_mean": mean_of_all(means)}
    yield _record(MEAN_OF_TASKS, f"mean-of-{len(tasks)}-tasks", model, overall, tuple(tasks), list(results.values()))


def _record(
    task: str, name: str, model: str, metrics: Mapping[str, Estimate], parts: Sequence[str], results: Sequence[Result]
) -> Result:
    prompts = {str(result.protocol["prompt"]) for result in results if result.protocol.get("prompt", "none") != "none"}
    kinds = {result.source.kind for result in results}
    return Result(
        task,
        name,
        model,
        metrics,
        Source(kinds.pop() if len(kinds) == 1 else "self-reported", reference="python -m qbench average"),
        protocol={"average_of": list(parts), "prompt": " and ".join(sorted(prompts)) or "none"},
    )
