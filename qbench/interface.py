"""What `import qbench` offers: figures of one's own numbers, rankings, runs, and records as a table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

from qbench.commands.evaluate import evaluate as run
from qbench.commands.rank import rank_comparisons
from qbench.commands.text import metric_lines, records_text, tell
from qbench.datasets import Dataset, open_dataset
from qbench.datasets.manifest import read_manifest
from qbench.errors import UserError
from qbench.models import ModelOptions
from qbench.models.own import open_any
from qbench.records import Estimate, Presented, Result, Sample, Score
from qbench.results.answers import read_records
from qbench.results.quality import summarise_assessment
from qbench.rows import File
from qbench.stats.pairwise import Comparisons
from qbench.tasks import RunOptions


class _InNotebooks:
    """What a notebook shows as it prints."""

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>"


class Figures(_InNotebooks, dict[str, Estimate]):
    """Name of a figure -> estimate; prints as a table."""

    def __repr__(self) -> str:
        return "\n".join(metric_lines(self))


def score(
    predictions: Sequence[float | None] | Mapping[str, float | None],
    truth: Sequence[float] | Mapping[str, float],
    *,
    lower_is_better: bool = False,
) -> Figures:
    """SRCC, PLCC, fitted PLCC, KRCC and RMSE of quality scores against human scores, with 95 % intervals.

    Args:
        predictions: One a photo, in the order of `truth`, or by name. None is a photo without a score.
        truth: Human scores.
        lower_is_better: Whether human scores are DMOS.

    Raises:
        UserError: They are not about the same photos.
    """
    if isinstance(predictions, Mapping) != isinstance(truth, Mapping):
        raise UserError("give predictions and truth both in one order, or both by name")
    if not isinstance(truth, Mapping) and len(predictions) != len(truth):
        raise UserError(f"there are {len(predictions):,} predictions and {len(truth):,} human scores")
    given, rated = _by_name(predictions), _by_name(truth)
    strange = [name for name in given if name not in rated]
    if strange:
        raise UserError(f"{len(strange):,} predictions have no human score, such as {strange[0]!r}")
    sign = -1 if lower_is_better else 1
    values = {name: None if each is None or math.isnan(each) else float(each) for name, each in given.items()}
    return Figures(
        summarise_assessment(Score(name, values.get(name), sign * float(each)) for name, each in rated.items())
    )


def _by_name(numbers: Any) -> dict[str, Any]:
    return dict(numbers) if isinstance(numbers, Mapping) else {str(at): each for at, each in enumerate(numbers)}


class Ranking(_InNotebooks, dict[str, float]):
    """Item -> score, best first; prints as a table."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        super().__init__(found["scores"])
        self.found = dict(found)
        """Ranks, intervals, what was left out and why, as `python -m qbench rank --json` prints them."""

    def __repr__(self) -> str:
        spans, ranks = self.found["intervals"] or {}, self.found["ranks"]
        shown = {item: f"{spans[item][0]:.3f} to {spans[item][1]:.3f}" if item in spans else "" for item in self}
        return "\n".join(f"{ranks[item]:>4}  {self[item]:>8.3f}  {shown[item]:>18}  {item}" for item in self)


def rank(comparisons: Iterable[Any], *, method: str = "map", pairs: str | None = None) -> Ranking:
    """One score an item from comparisons of two.

    Args:
        comparisons: `(first, second, choice)` with choice "first", "second", "tie" or None; mappings or records with
            these fields; or a DataFrame with these columns.
        method: map, mle, mle-bounded, perron, trueskill, bt or bt-bounded.
        pairs: "consistent" counts only pairs answered alike in both orders, "all" every presentation.

    Raises:
        UndefinedError: The method has no scores for these comparisons.
    """
    rows = comparisons.to_dict("records") if hasattr(comparisons, "to_dict") else comparisons
    return Ranking(rank_comparisons(Comparisons.of(map(_comparison, rows)), method=method, pairs=pairs))


def _comparison(row: Any) -> tuple[str, str, str | None]:
    if isinstance(row, Presented):
        return row.first, row.second, row.choice
    if isinstance(row, Mapping):
        return row["first"], row["second"], row["choice"]
    first, second, choice = row
    return first, second, choice


class Results(_InNotebooks, list[Result]):
    """Records; prints as `python -m qbench score` prints them."""

    def __repr__(self) -> str:
        return records_text(self)


def evaluate(
    model: Any,
    dataset: Any,
    *,
    task: str | None = None,
    images: str | Path | None = None,
    limit: int | None = None,
    judge: Any = None,
    out: str | Path = "results",
    endpoint: str | None = None,
    **options: Any,
) -> Results:
    """Ask a model all that a task asks of a dataset; every answer is kept, and the same call goes on from there.

    Args:
        model: A name, a Hub id, a folder, `FILE.py:NAME`, or any object or function that takes a prompt; see
            `qbench.models.own`.
        dataset: A name, a manifest, a folder, or a DataFrame with the columns of a manifest.
        task: One of `python -m qbench tasks`; by default the dataset's own.
        images: Folder that image paths start from.
        limit: Only the first so many samples.
        judge: A model that grades, named as `model` is.
        out: Folder for answers and records.
        endpoint: URL of an OpenAI-compatible server that has the model.
        options: Those of `RunOptions`, such as `mode="levels"` or `seed=1`; and those of `ModelOptions`, such as
            `device="cuda"`, or of a server `workers`, `retries`, `timeout` and `price=(2.5, 10)`. To give a judge
            others, open it with `open_any`.

    Raises:
        UserError: One sentence that says what is wrong and what to do.
    """
    opened = _dataset(dataset, images, limit, task)
    asked = task or (opened.facts.task if opened.facts else _task_of(opened.samples))
    of_model = {name: options.pop(name) for name in [*options] if name in ModelOptions.__dataclass_fields__}
    how = ModelOptions(**{"watch": tell, **({"endpoints": (endpoint,)} if endpoint else {}), **of_model})
    grader = None if judge is None else open_any(judge, ModelOptions(device=how.device, watch=tell))
    return Results(run(asked, opened, open_any(model, how), Path(out), judge=grader, options=RunOptions(**options)))


def _dataset(dataset: Any, images: str | Path | None, limit: int | None, task: str | None) -> Dataset:
    folder = Path(images) if images is not None else None
    if not hasattr(dataset, "to_json"):
        return open_dataset(str(dataset), images=folder, limit=limit, task=task)
    file = File("dataframe.json", dataset.to_json(orient="records", double_precision=15).encode())
    samples = [
        replace(each, images=tuple(str((folder or Path()) / name) for name in each.images))
        for each in read_manifest(file)
    ]
    part = limit if limit is not None and limit < len(samples) else None
    return Dataset("dataframe", tuple(samples[:limit]), file.sha256, limit=part)


def _task_of(samples: Sequence[Sample]) -> str:
    if all(sample.human is not None for sample in samples):
        return "assessment"
    if all(sample.options for sample in samples):
        return "perception"
    raise UserError("the dataset does not say what is asked about it; name a task, such as task='assessment'")


def load(place: str | Path) -> Any:
    """Stored records of a file or of a folder and those below it as a DataFrame: a row a figure.

    Raises:
        UserError: There are none.
    """
    import pandas as pd

    top = Path(place)
    paths = sorted(top.rglob("*--*.json")) if top.is_dir() else [top]
    rows: list[dict[str, Any]] = []
    for path in paths:
        for record in read_records(path):
            about = {"task": record.task, "dataset": record.dataset, "split": record.split, "model": record.model}
            for name, each in record.metrics.items():
                figure = {"value": each.value, "low": each.low, "high": each.high, "n": each.n}
                rows.append({**about, "metric": name, **figure})
    if not rows:
        raise UserError(f"{place} holds no records; they are what python -m qbench run and score --json write")
    return pd.DataFrame(rows)
