"""An upload and the name of its model -> a report whose results can be kept as they are.

A few are checked at once, of one network one, so that nobody's files keep everybody waiting; each file is scored once,
though it is checked before it is handed in.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from leaderboard.account import Account
from leaderboard.store.submission import Metadata
from leaderboard.submissions.report import Report, UploadProblem
from leaderboard.submissions.scoring import AnswerKeys, ScoringOptions, explain_fault, score_upload
from leaderboard.submissions.scoring_process import score_apart
from leaderboard.tables.table import is_reference
from qbench.errors import UserError
from qbench.models import catalogue
from qbench.records import Result
from qbench.rows import digest, shorten
from qbench.tasks.words import DEFAULT_WORDS, WordPair

ScoreUpload = Callable[[Path, ScoringOptions], Report]

AT_ONCE = 2
"""A check may take a few hundred megabytes."""
MOST_HELD = 10
"""Reports; one has 200 results of 64 kB at most."""


def check(path: Path, model: str, options: ScoringOptions, score: ScoreUpload = score_upload) -> Report:
    """Read and score an upload; whatever it holds, the answer is a report.

    The catalogue says by which words a known model is scored.
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


class Checks:
    """Checks the uploads of all visitors; the account counts those that go on or wait."""

    def __init__(self, keys: AnswerKeys, account: Account) -> None:
        self._keys = keys
        self._account = account
        self._working: set[str] = set()
        self._changed = threading.Condition()
        self._held: OrderedDict[Hashable, Report] = OrderedDict()
        """The newest reports; the oldest go first."""

    def report(self, file: Path, dataset: str, model: str, network: str) -> Report:
        """The report of an upload from a network, scored once whatever the model is called; errors as for `turn`."""
        with self.turn(network):
            return check(file, model, ScoringOptions(self._keys, dataset), self.score_once)

    @contextmanager
    def turn(self, network: str) -> Iterator[None]:
        """The turn of a network, while the block lasts; waits for it.

        Raises:
            UserError: As many of its uploads, or of all, are being checked as may wait.
        """
        with self._account.hold("check", (network, network)):
            with self._changed:
                self._changed.wait_for(lambda: len(self._working) < AT_ONCE and network not in self._working)
                self._working.add(network)
            try:
                yield
            finally:
                with self._changed:
                    self._working.remove(network)
                    self._changed.notify_all()

    def score_once(self, file: Path, options: ScoringOptions) -> Report:
        """What scoring the file came to, now or before; one that says nothing lasting of it is made anew."""
        # The name of the file is part of it, because it may tell the dataset, and problems and sources name it.
        words = WordPair(**options.words) if options.words else DEFAULT_WORDS
        key = (digest(file), file.name, options.dataset, words)
        report = self._held.get(key) or score_apart(file, options)
        if not report.by_load:
            self._held[key] = report
            while len(self._held) > MOST_HELD:
                self._held.popitem(last=False)
        return report
