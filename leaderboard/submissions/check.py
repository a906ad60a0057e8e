"""An upload and the name of its model -> a report whose results can be kept as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from leaderboard.store.submission import Metadata
from leaderboard.submissions.report import Report, UploadProblem
from leaderboard.submissions.scoring import ScoringOptions, explain_fault, score_upload
from leaderboard.tables.table import is_reference
from qbench.errors import UserError
from qbench.models import catalogue
from qbench.records import Result
from qbench.rows import shorten

ScoreUpload = Callable[[Path, ScoringOptions], Report]


def check(path: Path, model: str, options: ScoringOptions, score: ScoreUpload = score_upload) -> Report:
    """Read and score an upload; whatever it holds, the answer is a report.

    Args:
        path: What was uploaded.
        model: What its author calls the model; the catalogue says by which words a known one is scored.
        options: What else is needed to score it.
        score: What scores it, or has done so before.
    """
    try:
        _check_name(model)
    except UserError as fault:
        return Report(problems=(explain_fault(path.name, fault),))
    facts = catalogue.find_model(model)
    report = score(path, replace(options, words=facts.words if facts else None))
    results = tuple(replace(result, model=facts.id if facts else model) for result in report.results)
    return replace(report, results=results, problems=(*report.problems, *_repeated(path.name, results)))


def _check_name(model: str) -> None:
    """Refuse what could not be kept, or would stand for people or random guess."""
    found = catalogue.find_model(model)
    if is_reference(found):
        raise UserError(f"{shorten(model)} is the name of a reference, not of a model; give the model's own name")
    try:
        Metadata(model=model)
    except ValueError as fault:
        raise UserError(str(fault)) from fault


def _repeated(name: str, results: Iterable[Result]) -> Iterable[UploadProblem]:
    """Several files about one dataset: nobody could tell which of them counts."""
    seen: set[tuple[str, str, str | None]] = set()
    for result in results:
        place = (result.task, result.dataset, result.split)
        if place in seen:
            yield UploadProblem(name, f"there are two results of {result.model} on {result.dataset}; keep one of them")
            return
        seen.add(place)
