"""Figures that somebody else computed: records of our own, and lmms-eval's results. They are taken as claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from qbench.errors import DataError
from qbench.formats.sheets import is_workbook
from qbench.records import Estimate, Result, Source
from qbench.rows import Row, finite, read_rows, shorten
from qbench.stats.intervals import wilson

KIND = "results"
LMMS_EVAL = "lmms-eval results"
EXAMPLE = (
    '{"schema": 1, "task": "perception", "dataset": "llvisionqa-dev", "split": "dev", "model": "my-model", '
    '"metrics": {"accuracy": {"value": 0.61, "n": 1495}}, "source": {"kind": "self-reported"}}'
)
_TASKS: Mapping[str, tuple[str, str]] = {
    "qbench_dev": ("llvisionqa-dev", "qbench_acc,none"),
    "qbench2_dev": ("q-bench2-dev", "qbench_acc,none"),
    "abench_dev": ("a-bench-dev", "abench_acc,none"),
}
_BOUNDED = {"srcc": -1.0, "plcc": -1.0, "krcc": -1.0, "plcc_fitted": -1.0, "correlation": -1.0, "accuracy": 0.0}
_BOUNDED |= {"accuracy_joint": 0.0, "accuracy_consistent": 0.0, "consistency": 0.0, "retrieval_map": 0.0}
"""Metric -> the least it can be; none of these exceeds 1."""


@dataclass(frozen=True)
class Claims:
    """Results as somebody reports them."""

    kind: str
    results: tuple[Result, ...]


def read_claims(path: Path, model: str, most: int) -> Claims | None:
    """The claims in a file of at most so many; None where it holds something else.

    Raises:
        DataError: A record that is malformed or impossible, by its number.
    """
    if is_workbook(path):
        return None
    rows = read_rows(path, most)
    first = next(rows)
    if isinstance(first.data.get("results"), dict) and ("configs" in first.data or "lmms_eval_version" in first.data):
        return Claims(LMMS_EVAL, tuple(_of_lmms_eval(first, path, model)))
    if not {"schema", "metrics"} <= first.data.keys():
        return None
    return Claims(KIND, tuple(_claimed(row, path, model) for row in (first, *rows)))


def _claimed(row: Row, path: Path, model: str) -> Result:
    try:
        result = Result.from_json(row.data)
    except ValueError as fault:
        raise DataError(f"{path.name}: {row.place}: {fault}") from None
    every = [result.metrics, *(metrics for groups in result.groups.values() for metrics in groups.values())]
    for metrics in every:
        for name, estimate in metrics.items():
            _check(name, estimate, f"{path.name}: {row.place}")
    source = Source(kind="self-reported", reference=path.name)
    return replace(result, model=model or result.model, source=source)


def _check(name: str, estimate: Estimate, where: str) -> None:
    """Refuse what the metric cannot be, such as a percentage where a share is meant."""
    least = _BOUNDED.get(name)
    for value in (estimate.value, estimate.low, estimate.high):
        if least is not None and value is not None and not least <= value <= 1:
            hint = f"; write {value:g} % as {value / 100:g}" if 1 < value <= 100 else ""
            raise DataError(f"{where}: {name} is {value:g}, outside {least:g} to 1{hint}")


def _of_lmms_eval(row: Row, path: Path, model: str) -> list[Result]:
    found = [name for name in _TASKS if isinstance(row.data["results"].get(name), dict)]
    if not found:
        held = shorten(sorted(map(str, row.data["results"])))
        raise DataError(f"{path.name} holds results of {held}; those of {', '.join(_TASKS)} are read here")
    return [_task_result(name, row.data["results"][name], path, model, row) for name in found]


def _task_result(task: str, said: Mapping[str, Any], path: Path, model: str, row: Row) -> Result:
    dataset, metric = _TASKS[task]
    if metric not in said:
        raise DataError(f"{path.name}: {task} has no {metric}; its fields are {shorten(sorted(said))}")
    value = finite(said[metric], f"{path.name}: {task}'s {metric}")
    samples = said.get("samples")
    n = samples if type(samples) is int and 0 < samples < 10**6 else None
    estimate = Estimate(
        value, n=n, method="reported by lmms-eval", note=None if n else "the file does not say of how many"
    )
    _check("accuracy", estimate, f"{path.name}: {task}")
    if n:
        made = wilson(value * n, n)
        estimate = replace(estimate, low=made.low, high=made.high, method="wilson, from lmms-eval's accuracy")
    version = row.data.get("lmms_eval_version")
    protocol = {"graded_by": f"lmms-eval {version}"[:60] if isinstance(version, str) else "lmms-eval"}
    return Result(
        task="perception",
        dataset=dataset,
        split="dev",
        model=model,
        metrics={"accuracy": estimate},
        protocol=protocol,
        source=Source(kind="self-reported", reference=path.name),
    )
