"""Figures that were computed elsewhere and are reported: records of this tool, and lmms-eval's results."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from qbench.archives import is_workbook
from qbench.datasets.known import find_dataset
from qbench.errors import DataError
from qbench.formats.reading import READABLE, FormatDescription
from qbench.records import Estimate, Result, Source
from qbench.rows import File, Row, finite, read_rows, shorten
from qbench.stats.intervals import wilson
from qbench.tasks import TASKS, read_stored_result

DESCRIPTIONS = (
    FormatDescription(
        "A record of this tool", "`schema` and `metrics`; its figures are taken as self-reported", ("result.json",)
    ),
    FormatDescription(
        "lmms-eval results",
        "`results` with `configs`; taken as self-reported",
        ("20260101_120000_results.json",),
    ),
)
_LARGEST = 64 * 1024
"""Characters of a record; those of this tool have 10,000. Whoever opens a board loads what its records say."""
_LMMS_EVAL_TASKS: Mapping[str, tuple[str, str]] = {
    "qbench_dev": ("llvisionqa-dev", "qbench_acc,none"),
    "qbench2_dev": ("q-bench2-dev", "qbench_acc,none"),
    "abench_dev": ("a-bench-dev", "abench_acc,none"),
}
_CORRELATIONS = ("srcc", "plcc", "mean", "krcc", "plcc_fitted", "correlation", "correlation_rising", "position_bias")
_SHARES = (
    *("accuracy", "accuracy_joint", "accuracy_consistent", "accuracy_balanced", "consistency", "task_mean", "share"),
    *("yes_accuracy", "no_accuracy", "debiased_accuracy", "first_rate", "second_rate", "tie_rate", "positive_rate"),
    *("retrieval_map", "map_easy", "map_medium", "map_hard", "p0", "p1", "p2"),
    *("where_f1", "where_precision", "where_recall", "where_miou", "what_accuracy", "how_accuracy"),
    *("video_score", "video_grade"),
)
RANGES: Mapping[str, tuple[float, float]] = {
    **dict.fromkeys(_CORRELATIONS, (-1.0, 1.0)),
    **dict.fromkeys(_SHARES, (0.0, 1.0)),
    **dict.fromkeys(("completeness", "precision", "relevance"), (0.0, 2.0)),
    "sum": (0.0, 6.0),
}
"""Metric -> the least and the most it can be, as stored."""
_ROUNDING = 0.001
"""Figures are printed with three decimals."""


@dataclass(frozen=True)
class ReportedResults:
    """Results as somebody reports them."""

    kind: str
    results: tuple[Result, ...]
    said: Mapping[str, str]
    """What the file says of the model, as far as it does: `model`, `link` and `trained_on`."""


def read_reported(file: File, model: str, most: int) -> ReportedResults | None:
    """The results that a file of at most so many reports; None where it holds something else.

    Raises:
        DataError: A record that is malformed or impossible, by its number.
    """
    if is_workbook(file.content):
        return None
    rows = read_rows(file, most, READABLE)
    first = next(rows)
    if isinstance(first.data.get("results"), dict) and ("configs" in first.data or "lmms_eval_version" in first.data):
        return ReportedResults("lmms-eval results", tuple(_of_lmms_eval(first, file, model)), _said(first.data))
    if not {"schema", "metrics"} <= first.data.keys():
        return None
    every = (first, *rows)
    results = tuple(_read_record(row, file, model) for row in every)
    said = _said(first.data) if len({row.data["model"] for row in every}) == 1 else {}
    return ReportedResults("results", results, said)


def _said(data: Mapping[str, Any]) -> dict[str, str]:
    protocol, source = (part if isinstance(part := data.get(name), dict) else {} for name in ("protocol", "source"))
    trained = protocol.get("training_data")
    said = {
        "model": data.get("model", data.get("model_name")),
        "link": source.get("url"),
        "trained_on": ", ".join(map(str, trained)) if isinstance(trained, list) else None,
    }
    return {name: text for name, text in said.items() if isinstance(text, str) and text}


def _read_record(row: Row, file: File, model: str) -> Result:
    size = len(json.dumps(row.data))
    if size > _LARGEST:
        most = f"{_LARGEST >> 10} kB"
        raise DataError(f"{file.name}: {row.place} has {size / 1024:,.0f} kB; a record of figures has {most} at most")
    try:
        result = read_stored_result(row.data)
    except ValueError as fault:
        raise DataError(f"{file.name}: {row.place}: {fault}") from None
    facts = find_dataset(result.dataset)
    # Comparisons rest on pairs, and other tasks draw as many as they like from a dataset's images.
    items = facts.items if facts and facts.task == result.task and not TASKS[result.task].compares_pairs else None
    every = [result.metrics, *(metrics for groups in result.groups.values() for metrics in groups.values())]
    for metrics in every:
        for name, estimate in metrics.items():
            _check(name, estimate, f"{file.name}: {row.place}")
            if items is not None and estimate.n is not None and estimate.n > items:
                said = f"{name} rests on {estimate.n:,} items, and {result.dataset} has {items:,}"
                raise DataError(f"{file.name}: {row.place}: {said}")
    source = Source(kind="self-reported", reference=file.name)
    return replace(result, model=model or result.model, source=source)


def _check(name: str, estimate: Estimate, where: str) -> None:
    """Refuse what the metric cannot be, such as a percentage where a share is meant."""
    least, most = RANGES.get(name, (-math.inf, math.inf))
    for value in (estimate.value, estimate.low, estimate.high):
        if value is not None and not least <= value <= most:
            hint = f"; write {value:g} % as {value / 100:g}" if most == 1 < value <= 100 else ""
            raise DataError(f"{where}: {name} is {value:g}, outside {least:g} to {most:g}{hint}")
    value, low, high = estimate.value, estimate.low, estimate.high
    below = value is not None and low is not None and value < low - _ROUNDING
    above = value is not None and high is not None and value > high + _ROUNDING
    if name in _SHARES and (below or above):
        raise DataError(f"{where}: {name} is {value:g}, outside its own interval")


def _of_lmms_eval(row: Row, file: File, model: str) -> list[Result]:
    found = [name for name in _LMMS_EVAL_TASKS if isinstance(row.data["results"].get(name), dict)]
    if not found:
        held = shorten(sorted(map(str, row.data["results"])))
        raise DataError(f"{file.name} holds results of {held}; those of {', '.join(_LMMS_EVAL_TASKS)} are read here")
    return [_task_result(name, row.data["results"][name], file, model, row) for name in found]


def _task_result(task: str, said: Mapping[str, Any], file: File, model: str, row: Row) -> Result:
    dataset, metric = _LMMS_EVAL_TASKS[task]
    facts = find_dataset(dataset)
    assert facts is not None
    if metric not in said:
        raise DataError(f"{file.name}: {task} has no {metric}; its fields are {shorten(sorted(said))}")
    value = finite(said[metric], f"{file.name}: {task}'s {metric}")
    samples = said.get("samples")
    n = samples if type(samples) is int and 0 < samples < 10**6 else None
    estimate = Estimate(
        value, n=n, method="reported by lmms-eval", note=None if n else "the file does not say of how many"
    )
    _check("accuracy", estimate, f"{file.name}: {task}")
    if n:
        made = wilson(value * n, n)
        estimate = replace(estimate, low=made.low, high=made.high, method="wilson, from lmms-eval's accuracy")
    version = row.data.get("lmms_eval_version")
    protocol = {"graded_by": f"lmms-eval {version}"[:60] if isinstance(version, str) else "lmms-eval"}
    return Result(
        task=facts.task,
        dataset=dataset,
        split=facts.split,
        model=model,
        metrics={"accuracy": estimate},
        protocol=protocol,
        source=Source(kind="self-reported", reference=file.name),
    )
