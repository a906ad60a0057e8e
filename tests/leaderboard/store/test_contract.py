"""What every store promises: a folder, and a dataset on a double of the Hub (what waits to be sent, what was sent)."""

from __future__ import annotations

from pathlib import Path

import pytest
from filelock import FileLock, Timeout

from leaderboard.store.hub import HubStore
from leaderboard.store.local import Store
from leaderboard.store.submission import Decided, Entry
from qbench.errors import UserError
from tests.leaderboard.handed_in import decide, submission
from tests.leaderboard.store.conftest import models


@pytest.fixture(params=["folder", "hub, waiting", "hub, sent"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    """A store of each kind."""
    if request.param == "folder":
        return Store(tmp_path / "store")
    made: HubStore = request.getfixturevalue("make_store")()
    if request.param == "hub, sent":
        made._wait_until_sent = lambda *_: made.sync() is None  # type: ignore[method-assign]  # as its thread does
    return made


def figures(store: Store) -> list[float | None]:
    return [result.metrics["srcc"].value for result in store.load().results]


def pending(store: Store) -> set[str]:
    return {entry.digest for entry in store.load().pending}


def test_equal_results_are_duplicates_and_what_waits_stops_only_what_would_wait_too(store: Store) -> None:
    waiting = store.add(submission(identity=None)).entry
    assert waiting.status == "pending"
    assert (models(store), pending(store)) == ([], {waiting.digest})
    renamed = submission(identity=None, metadata=submission("other").metadata)
    assert store.add(renamed).duplicate
    made = submission(identity="ada")
    receipt = store.add(made)
    assert (receipt.entry.status, receipt.duplicate, receipt.entry.submission) == ("accepted", False, made)
    first = store.add(submission("beta", identity="ada")).entry
    for identity in ("bea", None):
        receipt = store.add(submission("beta", identity=identity))
        assert (receipt.duplicate, receipt.entry.digest) == (True, first.digest)
    assert sorted(models(store)) == ["alpha", "beta"]


def history(entry: Entry) -> list[tuple[str, str, str]]:
    return [(made.decided, made.by, made.reason) for made in entry.decisions]


@pytest.mark.parametrize(("first", "other"), [("accepted", "declined"), ("declined", "accepted")])
def test_the_second_owner_is_told_what_was_decided_and_takes_it_back_first(
    store: Store, first: Decided, other: Decided
) -> None:
    boards = {"accepted": ("accepted", ["alpha"]), "declined": ("withdrawn", [])}
    waiting = store.add(submission(identity="ada"), review=True).entry
    with pytest.raises(UserError, match=r"waits for review, so nothing was changed$"):
        decide(store, waiting.digest, "taken back", "ola")
    decided = decide(store, waiting.digest, first, "ola", "a look")
    assert (decided.status, models(store)) == boards[first]
    assert (decided.withdrawal, pending(store)) == (None, set())
    told = rf"^'alpha' was {first} by ola at \d{{4}}-\d\d-\d\d \d\d:\d\d UTC \(a look\), so nothing was changed; take"
    for then in (first, other):
        with pytest.raises(UserError, match=told):
            decide(store, waiting.digest, then, "olga")
    back = decide(store, waiting.digest, "taken back", "olga")
    assert (back.status, models(store), pending(store)) == ("pending", [], {waiting.digest})
    for _ in range(3):
        store.sync()
    last = decide(store, waiting.digest, other, "ola")
    assert history(last) == [(first, "ola", "a look"), ("taken back", "olga", ""), (other, "ola", "")]
    assert (last.status, models(store)) == boards[other]


def test_an_author_withdraws_for_good(store: Store) -> None:
    waiting = store.add(submission(identity=None)).entry
    store.withdraw(waiting.digest, by="its author")
    for decided in ("accepted", "declined", "taken back"):
        with pytest.raises(UserError, match=r"was withdrawn by its author at .* UTC, so nothing was changed$"):
            decide(store, waiting.digest, decided, "ola")


def test_a_correction_supersedes_with_history(store: Store) -> None:
    first = store.add(submission(value=0.5)).entry
    newer = submission(value=0.6, supersedes=first.digest, at="2026-06-01T00:00:00Z")
    second = store.add(newer).entry
    assert second.status == "accepted"
    assert figures(store) == [0.6]
    status = {entry.digest: (entry.status, entry.superseded_by) for entry in store.load().entries}
    assert status == {second.digest: ("accepted", None), first.digest: ("superseded", second.digest)}
    with pytest.raises(UserError, match=f"correct {second.digest[:12]} instead"):
        store.add(submission(value=0.7, supersedes=first.digest))
    with pytest.raises(UserError, match="no submission"):
        store.add(submission(value=0.8, supersedes="e" * 64))


@pytest.mark.parametrize("identity", ["bea", None])
def test_a_correction_by_somebody_else_counts_while_it_is_accepted(store: Store, identity: str) -> None:
    first = store.add(submission(identity="ada")).entry
    other = store.add(submission(value=0.9, identity=identity, supersedes=first.digest)).entry
    assert (other.status, figures(store)) == ("pending", [0.5])
    decide(store, other.digest, "accepted", "ola")
    assert figures(store) == [0.9]
    decide(store, other.digest, "taken back", "ola")
    assert figures(store) == [0.5]


def test_a_withdrawn_submission_is_remembered_and_can_come_back_as_a_correction(store: Store) -> None:
    first = store.add(submission()).entry
    gone = store.withdraw(first.digest, by="ada")
    assert store.withdraw(first.digest, by="somebody later").withdrawal == gone.withdrawal
    assert models(store) == []
    assert store.add(submission()).entry.status == "withdrawn"
    second = store.add(submission(supersedes=first.digest)).entry
    assert (second.status, models(store)) == ("accepted", ["alpha"])
    third = store.add(submission(value=0.6, supersedes=second.digest)).entry
    store.withdraw(third.digest, by="ada")
    assert models(store) == []  # nor does what was wrong come back


def test_names_that_are_none_reach_no_file(store: Store, tmp_path: Path) -> None:
    for digest in ("", "..", "/etc/passwd", "a" * 64, "../" * 20 + "x"):
        with pytest.raises(UserError, match="no submission"):
            decide(store, digest, "accepted", "ola")
        with pytest.raises(UserError, match="no submission"):
            store.withdraw(digest, by="x")
    assert [path.name for path in tmp_path.iterdir()] == ["store"]


def test_what_may_refuse_is_asked_while_nobody_else_can_write(store: Store) -> None:
    """So that a limit holds however many hand in at the same moment."""
    first = store.add(submission()).entry
    asked: list[set[str]] = []

    def refuse(entries: tuple[Entry, ...]) -> bool:
        asked.append({entry.digest for entry in entries})
        with pytest.raises(Timeout), FileLock(store.folder / ".lock", timeout=0):
            pass
        raise UserError("enough for today")

    with pytest.raises(UserError, match="enough for today"):
        store.add(submission("beta"), allow=refuse)
    assert asked == [{first.digest}]
    assert models(store) == ["alpha"]
    assert store.add(submission(), allow=refuse).duplicate  # what adds nothing is not refused


def test_the_stamp_and_the_revision_change_with_what_is_there(store: Store) -> None:
    seen = {(store.stamp(), store.load().revision)}
    first = store.add(submission()).entry
    seen.add((store.stamp(), store.load().revision))
    store.withdraw(first.digest, by="ada")
    seen.add((store.stamp(), store.load().revision))
    assert len({shown for shown, _ in seen}) == len({shown for _, shown in seen}) == 3
