"""Evaluation results as the Hub shows them: `.eval_results/` in model repositories, `eval.yaml` in the benchmark's.

https://huggingface.co/docs/hub/eval-results; a task there has one value, so each dataset and metric is a task.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from leaderboard.cells import FindModel
from leaderboard.columns import Metric
from leaderboard.exports import slug
from qbench.records import Result


def eval_results(
    results: Iterable[Result], metrics: Mapping[str, Metric], find_model: FindModel, benchmark: str
) -> dict[str, str]:
    """Files for the repositories of the models that are on the Hub, by `owner/name/path`.

    Args:
        results: Records.
        metrics: What is exported, by name in the records.
        find_model: What is known of a model.
        benchmark: `owner/name` of the dataset that holds `eval.yaml`.
    """
    rows: dict[str, list[dict[str, Any]]] = {}
    for result in results:
        facts = find_model(result.model)
        if facts is None or facts.hub is None:
            continue
        for key, estimate in result.metrics.items():
            if key in metrics and estimate.value is not None:
                row: dict[str, Any] = {
                    "dataset": {"id": benchmark, "task_id": task_id(result, key)},
                    "value": round(estimate.value * metrics[key].scale, 6),
                }
                if result.source.at:
                    row["date"] = result.source.at[:10]
                if result.source.url:
                    row["source"] = {"url": result.source.url, "name": result.source.reference or result.source.kind}
                row["notes"] = _notes(result, metrics[key])
                rows.setdefault(facts.hub, []).append(row)
    name = slug(benchmark.rsplit("/", 1)[-1])
    return {f"{_repo(hub)}/.eval_results/{name}.yaml": to_yaml(found) for hub, found in sorted(rows.items())}


def eval_yaml(
    results: Iterable[Result], metrics: Mapping[str, Metric], name: str, description: str, framework: str
) -> str:
    """The `eval.yaml` of the benchmark's repository.

    Args:
        results: Records: each dataset and metric that one of them fills is a task.
        metrics: What is exported, by name in the records.
        name: What the benchmark is called.
        description: One sentence.
        framework: A name from the Hub's list of evaluation frameworks; it refuses others.
    """
    tasks = sorted(
        {
            task_id(result, key)
            for result in results
            for key, estimate in result.metrics.items()
            if key in metrics and estimate.value is not None
        }
    )
    return to_yaml(
        {
            "name": name,
            "description": description,
            "evaluation_framework": framework,
            "tasks": [{"id": one} for one in tasks],
        }
    )


def task_id(result: Result, metric: str) -> str:
    """Names one value, e.g. `koniq-10k_srcc`."""
    return slug("_".join([*([result.task] if result.task != result.dataset else []), result.dataset, metric]))


def to_yaml(data: Any, indent: int = 0) -> str:
    """YAML of what JSON can hold, with every text quoted: none is taken for a number, a date or a truth value."""
    pad = " " * indent
    if isinstance(data, Mapping):
        return "".join(f"{pad}{key}:{_value(value, indent)}" for key, value in data.items())
    return "".join(f"{pad}- {to_yaml(one, indent + 2).lstrip()}" for one in data)


def _value(value: Any, indent: int) -> str:
    if isinstance(value, (Mapping, list)):
        return "\n" + to_yaml(value, indent + 2) if value else " []\n"
    return f" {json.dumps(value, ensure_ascii=False)}\n"


def _notes(result: Result, metric: Metric) -> str:
    unit = f" in {metric.unit}" if metric.unit else ""
    return f"{metric.label}{unit}; {result.source.kind}: {result.source.reference}".rstrip(": ")


def _repo(hub: str) -> str:
    return "/".join(slug(part) for part in hub.split("/"))
