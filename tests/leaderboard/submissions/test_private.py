"""What is told of private answers: by hand, by attacks, and through the service that authors use."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from bench.private_answers import RULES, Rules, at_the_edge, climbing, learned, most_bits, one_by_one
from leaderboard.store import Loaded
from leaderboard.store.local import Store
from leaderboard.store.submission import Entry, Metadata, Submission
from leaderboard.submissions.check import check
from leaderboard.submissions.form import SubmissionForm, store_submission
from leaderboard.submissions.private import coarse, step_of, told_lately
from leaderboard.submissions.scoring import ScoringOptions
from qbench.errors import UserError
from qbench.records import Estimate, Result, Source
from qbench.stats.intervals import wilson
from tests.leaderboard.submissions.test_check import private_keys, private_replies

NOON = datetime(2026, 5, 31, 12, tzinfo=timezone.utc)

A_MONTH = "leaderboard.submissions.form.A_MONTH"


def told_result(right: int, n: int = 1000, **groups: tuple[int, int]) -> Result:
    return Result(
        "perception",
        "llvisionqa-test",
        "m",
        {"accuracy": wilson(right, n), "dprime": Estimate(1.234, n=n)},
        Source("rescored", "replies"),
        protocol={"answers": "private"},
        groups={"concern": {name: {"accuracy": wilson(*part)} for name, part in groups.items()}} if groups else {},
        raw=f"{right:064x}",
    )


def test_twenty_names_learn_twenty_answers_from_exact_figures_and_hardly_any_from_those_told() -> None:
    assert learned(one_by_one, RULES["exact figures"], 1000, 21, seed=0) == 20
    told = [learned(one_by_one, Rules(), 1000, 21, seed) for seed in range(20)]
    assert sum(told) / len(told) < 4  # of 20


@pytest.mark.parametrize("attack", [one_by_one, at_the_edge, climbing])
def test_no_attack_learns_more_than_the_bits_that_are_told(attack: object) -> None:
    assert learned(attack, Rules(), 300, 100, seed=1) <= most_bits(Rules(), 300, 100)  # type: ignore[arg-type]


@pytest.mark.parametrize(("n", "step"), [(1495, 0.01), (500, 0.01), (499, 0.02), (250, 0.02), (101, 0.05), (100, 0.05)])
def test_a_step_spans_five_answers(n: int, step: float) -> None:
    assert step_of(n) == step


def test_what_is_told_is_a_function_of_the_rounded_figure() -> None:
    made = [coarse(told_result(right)).metrics for right in (606, 614, 615)]
    assert made[0] == made[1] != made[2]
    assert set(made[0]) == {"accuracy"}  # d' would be another figure of the same answers
    told = made[0]["accuracy"]
    exact = [wilson(right, 1000) for right in (606, 614)]
    assert told.value == 0.61
    assert told.low is not None
    assert told.high is not None
    assert told.low <= min(made.low or 0 for made in exact)
    assert told.high >= max(made.high or 1 for made in exact)
    assert coarse(told_result(0)).metrics["accuracy"].low == pytest.approx(0, abs=1e-9)


def test_parts_of_few_questions_are_not_told() -> None:
    told = coarse(told_result(600, light=(60, 99), blur=(81, 120)))
    assert {name: figures["accuracy"].value for name, figures in told.groups["concern"].items()} == {"blur": 0.7}


def hand_in(store: Store, folder: Path, right: int, who: str | None, days: int = 0) -> str:
    report = check(private_replies(folder, right, 100), "m", ScoringOptions(private_keys(folder, 100)))
    clock = lambda: NOON + timedelta(days=days)  # noqa: E731
    return store_submission(store, report, SubmissionForm("m"), who, clock=clock).entry.digest


def status(store: Store) -> list[str]:
    return sorted(entry.status for entry in store.load().entries)


def test_whoever_hands_in_the_owner_decides_once_a_month_is_used_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(A_MONTH, 2)
    store = Store(tmp_path / "store")
    hand_in(store, tmp_path, 59, None)  # waits, and counts for nobody
    for number in range(3):
        hand_in(store, tmp_path, 60 + number, f"name {number}")
    assert status(store) == ["accepted", "accepted", "pending", "pending"]
    hand_in(store, tmp_path, 70, "later", days=30)
    assert status(store) == ["accepted", "accepted", "accepted", "pending", "pending"]


def test_an_account_hands_in_three_a_day_and_anonymous_ones_wait_and_use_up_nobodys(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    for right in (60, 61, 62):
        hand_in(store, tmp_path, right, "ada")
        hand_in(store, tmp_path, right + 10, None)
    with pytest.raises(UserError, match="you handed in 3 results on private answers today; the limit is 3 a day"):
        hand_in(store, tmp_path, 63, "ada")
    hand_in(store, tmp_path, 63, "bob")
    hand_in(store, tmp_path, 64, "ada", days=1)
    assert status(store) == ["accepted"] * 5 + ["pending"] * 3


class AtOnce(Store):
    """A store of which as many threads as hand in read before any of them writes."""

    def together(self, threads: int) -> None:
        self.__dict__.update(start=threading.Barrier(threads), seen=threading.local())

    def load(self) -> Loaded:
        loaded = super().load()
        if "start" in self.__dict__ and not hasattr(self.__dict__["seen"], "once"):
            self.__dict__["seen"].once = True
            self.__dict__["start"].wait()
        return loaded


def all_at_once(folder: Path, whose: Callable[[int], str]) -> list[Entry | str]:
    """What twenty are told who hand in 50 to 69 right answers of 100 at the same moment."""
    store = AtOnce(folder / "store")
    options = ScoringOptions(private_keys(folder, 100))
    reports = [check(private_replies(folder, 50 + number, 100), "m", options) for number in range(20)]
    store.together(20)

    def hand_in_one(number: int) -> Entry | str:
        try:
            return store_submission(store, reports[number], SubmissionForm("m"), whose(number)).entry
        except UserError as fault:
            return str(fault)

    with ThreadPoolExecutor(20) as pool:
        return list(pool.map(hand_in_one, range(20)))


def test_of_twenty_at_once_no_more_is_told_than_of_twenty_in_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = all_at_once(tmp_path / "day", lambda _: "ada")
    assert sum(isinstance(made, Entry) for made in day) == 3
    monkeypatch.setattr(A_MONTH, 1)
    month = all_at_once(tmp_path / "month", lambda number: f"name {number}")
    assert sorted(made.status for made in month if isinstance(made, Entry)) == ["accepted"] + 19 * ["pending"]


def test_the_name_of_a_submission_does_not_tell_its_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would to whoever computes it for every figure that is possible; handed in again it is still the same."""
    stores = [Store(tmp_path / name) for name in "ab"]
    names = [hand_in(store, tmp_path, 60, "ada") for store in stores]
    assert names[0] != names[1]
    assert hand_in(stores[0], tmp_path, 60, "ada") == names[0]
    assert len(stores[0].load().entries) == 1
    monkeypatch.setattr(A_MONTH, 0)
    waits = Store(tmp_path / "c")
    assert len({hand_in(waits, tmp_path, 60, "ada") for _ in range(2)}) == 1


def test_a_claimed_figure_uses_nothing_up() -> None:
    claimed = replace(told_result(1000), source=Source("self-reported", "figures.json"))
    entries = [Entry(Submission((claimed,), Metadata("m"), NOON.isoformat()), "0" * 64, "accepted")]
    assert told_lately(entries, coarse(told_result(600)), NOON) == 0
