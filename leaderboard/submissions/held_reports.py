"""Reports of uploads that were scored a moment ago, so that handing one in does not score it again."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from leaderboard.submissions.report import Report

MOST_HELD = 32
MOST_HELD_RESULTS = 400
"""Over all reports; a result has 64 kB at most, beside its items."""
MOST_HELD_ITEMS = 1_000_000
"""Over all reports and metrics; a million of them take about 200 MB."""
SECONDS_HELD = 1800.0
"""Long enough to fill in the form; what changed on the server counts after it at the latest."""


@dataclass
class HeldReports:
    """The newest reports, within bounds of number, size and age; the oldest go first."""

    clock: Callable[[], float] = time.monotonic
    """Seconds of a clock that never goes back."""
    _held: OrderedDict[Hashable, tuple[float, Report]] = field(default_factory=OrderedDict, init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def get(self, key: Hashable, make: Callable[[], Report]) -> Report:
        """The report of this key, made now unless it is held; others are given and made meanwhile.

        One that says nothing lasting of its file is not held.
        """
        with self._lock:
            made, report = self._held.get(key) or (0.0, None)
            if report is not None and self.clock() - made <= SECONDS_HELD:
                return report
        report = make()
        if report.by_load:
            return report
        with self._lock:
            now = self.clock()
            self._held[key] = (now, report)
            self._held.move_to_end(key)
            self._drop(now)
        return report

    def _drop(self, now: float) -> None:
        """Let go of what is too old and of the oldest of what is too much, the newest aside."""
        results = sum(len(report.results) for _, report in self._held.values())
        items = sum(_count_items(report) for _, report in self._held.values())
        for key, (made, report) in list(self._held.items())[:-1]:
            too_many = len(self._held) > MOST_HELD or results > MOST_HELD_RESULTS or items > MOST_HELD_ITEMS
            if now - made > SECONDS_HELD or too_many:
                results -= len(report.results)
                items -= _count_items(report)
                del self._held[key]


def _count_items(report: Report) -> int:
    return sum(len(items.names) for result in report.results for items in result.items.values())
