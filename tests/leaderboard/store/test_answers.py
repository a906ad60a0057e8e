"""Answers to a study in a folder and on a double of the Hub: kept for good, once for each person."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from leaderboard.store.answers import StudyAnswers
from leaderboard.store.local import Store
from qbench.errors import UserError
from tests.hub_double import Hub
from tests.leaderboard.store.conftest import MakeStore

ADA = StudyAnswers(
    "study2345678", "a" * 32, "2026-05-01T10:00:00+00:00", 30.0, (("a", "b", "first"), ("b", "a", "tie"))
)
BEA = replace(ADA, person="b" * 32, answered_at="2026-05-01T09:00:00+00:00")
ELSEWHERE = replace(ADA, study="other2345678")


def allow(_everybody: tuple[StudyAnswers, ...]) -> None:
    """Refuse nothing."""


@pytest.fixture(params=["folder", "hub"])
def keep(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], Store]:
    if request.param == "folder":
        return lambda name: Store(tmp_path / name)
    make_store: MakeStore = request.getfixturevalue("make_store")
    return make_store


def test_answers_are_there_for_whoever_opens_the_store_by_study_and_time(
    keep: Callable[[str], Store],
) -> None:
    for answers in (ADA, BEA, ELSEWHERE):
        keep("store").add_answers(answers, allow)
    assert keep("store").load_answers(ADA.study) == (BEA, ADA)
    assert keep("store").load_answers("none23456789") == ()
    assert keep("store").load().entries == ()  # they are no submissions


def test_nobody_answers_twice(keep: Callable[[str], Store]) -> None:
    store = keep("store")
    store.add_answers(ADA, allow)
    store.add_answers(replace(ADA, answered_at="2027-01-01T00:00:00+00:00"), allow)  # sent again, as after a lost reply
    with pytest.raises(UserError, match="nobody answers a study twice"):
        store.add_answers(replace(ADA, choices=(("a", "b", "second"),)), allow)
    assert store.load_answers(ADA.study) == (ADA,)


def test_what_is_not_allowed_is_not_kept(keep: Callable[[str], Store]) -> None:
    store = keep("store")
    store.add_answers(ADA, allow)

    def refuse(everybody: tuple[StudyAnswers, ...]) -> None:
        raise UserError(f"{len(everybody)} are enough")

    with pytest.raises(UserError, match="1 are enough"):
        store.add_answers(BEA, refuse)
    assert store.load_answers(ADA.study) == (ADA,)


def test_they_are_sent_to_the_hub_and_fetched_from_it(make_store: MakeStore, hub: Hub) -> None:
    store, other = make_store("store"), make_store("other")
    store.add_answers(ADA, allow)
    hub.away = True
    assert store.load_answers(ADA.study) == (ADA,)  # safe here before the Hub has them
    hub.away = False
    store.sync()
    other.sync()
    assert other.load_answers(ADA.study) == (ADA,)
    assert f"answers/{ADA.digest[:2]}/{ADA.digest}.json" in (hub.tree() or {})


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text.replace("first", "fourth"),
        lambda text: text.replace("a" * 32, "c" * 32),
        lambda text: text.replace('"schema": 1', '"schema": 2'),
        lambda text: text[:40],
    ],
)
def test_a_file_that_is_none_is_left_out(tmp_path: Path, damage: Callable[[str], str]) -> None:
    store = Store(tmp_path)
    store.add_answers(ADA, allow)
    (path,) = tmp_path.glob("answers/*/*.json")
    path.write_text(damage(path.read_text(encoding="utf-8")), encoding="utf-8")
    assert store.load_answers(ADA.study) == ()
