"""Reports are held within bounds of age, number and size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from leaderboard.submissions import check
from leaderboard.submissions.check import SECONDS_HELD, HeldReports
from leaderboard.submissions.report import Report
from qbench.records import Items
from tests.leaderboard.made import result


@dataclass
class Maker:
    """Makes a report of so many results for each name, and notes which were made."""

    made: list[str] = field(default_factory=list)

    def of(self, name: str, results: int = 1) -> Callable[[], Report]:
        def make() -> Report:
            self.made.append(name)
            return Report(results=(result(name),) * results)

        return make


def test_a_report_is_made_once_while_it_is_young() -> None:
    now, maker = [0.0], Maker()
    held = HeldReports(clock=lambda: now[0])
    first = held.get("a", maker.of("a"))
    now[0] = SECONDS_HELD
    assert held.get("a", maker.of("a")) is first
    now[0] = SECONDS_HELD + 1
    assert held.get("a", maker.of("a")) is not first
    assert maker.made == ["a", "a"]


def test_many_results_are_too_much_and_the_newest_stays_whatever_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "MOST_HELD", 5)
    held, maker = HeldReports(clock=lambda: 0.0), Maker()
    held.get("small", maker.of("small", 2))
    held.get("large", maker.of("large", 6))
    held.get("large", maker.of("large", 6))
    held.get("small", maker.of("small", 2))
    assert maker.made == ["small", "large", "small"]


def test_a_report_that_could_not_be_made_is_not_held() -> None:
    held, maker = HeldReports(clock=lambda: 0.0), Maker()

    def fail() -> Report:
        raise OSError("disk")

    with pytest.raises(OSError, match="disk"):
        held.get("a", fail)
    assert held.get("a", maker.of("a")).results[0].model == "a"


def test_items_of_large_results_are_held_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "MOST_HELD", 3)
    many = Items("mean", ("x",) * 2500, (1.0,) * 2500)
    held, made = HeldReports(clock=lambda: 0.0), []

    def report(name: str) -> Report:
        made.append(name)
        return Report(results=(replace(result(name), items={"accuracy": many}),))

    for name in "aab":
        held.get(name, lambda name=name: report(name))
    held.get("a", lambda: report("a"))  # two results with as many items were too much: b sent a away
    assert made == ["a", "b", "a"]


def test_a_report_that_time_or_memory_ran_out_for_is_made_anew() -> None:
    held = HeldReports(clock=lambda: 0.0)
    first = held.get("a", lambda: Report(by_load=True))
    assert held.get("a", lambda: Report(by_load=True)) is not first
    whole = held.get("a", Report)
    assert held.get("a", lambda: Report(by_load=True)) is whole
