"""What every store promises: a folder, a dataset on a double of the Hub, and several replicas of a Space together."""

from __future__ import annotations

from pathlib import Path

import pytest
from filelock import FileLock, Timeout

from leaderboard.store import Loaded
from leaderboard.store.hub import NOTICE, HubStore
from leaderboard.store.local import Store
from leaderboard.store.submission import Decided, Decision, Entry, record_bytes
from qbench.errors import ProviderError, UserError
from tests.hub_double import Hub
from tests.leaderboard.handed_in import decide, submission
from tests.leaderboard.store.conftest import MakeStore, models


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
    told_of = [(made.decided, made.by, made.reason) for made in last.decisions]
    assert told_of == [(first, "ola", "a look"), ("taken back", "olga", ""), (other, "ola", "")]
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


CODES = ("c0de" * 16, "d" * 64)


def in_step(store: HubStore) -> HubStore:
    """As a replica of a Space is with both datasets."""
    store.sync()
    return store


def statuses(loaded: Loaded) -> dict[str, str]:
    return {entry.submission.metadata.model: entry.status for entry in loaded.entries}


def test_decisions_their_reasons_and_who_made_them_outlast_the_disk(make_store: MakeStore, hub: Hub) -> None:
    first = in_step(make_store("first"))
    good, bad = (first.add(submission(name, identity=None)).entry for name in ("good", "bad"))
    first.sync()
    assert list(hub.tree() or {}) == ["README.md"]  # what waits is in the private dataset alone
    second = in_step(make_store("second"))
    decide(second, good.digest, "accepted", "ola")
    decide(second, bad.digest, "declined", "ola", "no such paper")
    second.sync()
    assert ('"good"' in str(hub.tree()), '"bad"' in str(hub.tree())) == (True, False)
    third = in_step(make_store("third"))
    assert statuses(third.load()) == {"good": "accepted", "bad": "withdrawn"}
    decide(third, good.digest, "taken back", "olga", "wrong table")
    decide(third, bad.digest, "taken back", "olga")
    third.sync()
    fourth = in_step(make_store("fourth"))
    assert statuses(fourth.load()) == {"good": "pending", "bad": "pending"}
    assert models(fourth) == []
    decide(fourth, bad.digest, "accepted", "ola")
    fourth.sync()
    for store in (first, second, third, in_step(make_store("fifth"))):
        store.sync()
        assert models(store) == ["bad"]
        told = {entry.submission.metadata.model: entry.decisions for entry in store.load().entries}
        assert [(made.decided, made.by, made.reason) for made in told["good"]] == [
            ("accepted", "ola", ""),
            ("taken back", "olga", "wrong table"),
        ]
        assert [made.decided for made in told["bad"]] == ["declined", "taken back", "accepted"]
        with pytest.raises(UserError, match="'bad' was accepted by ola at"):
            decide(store, bad.digest, "declined", "olga")


def test_a_decision_that_follows_another_is_later_whatever_the_clocks_say(tmp_path: Path) -> None:
    store = Store(tmp_path)
    waiting = store.add(submission(identity=None)).entry
    ahead = Decision(waiting.digest, "declined", "ola", "2099-12-31T23:59:59.999999+00:00")
    path = tmp_path / "decisions" / ahead.digest[:2] / f"{ahead.digest}.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(record_bytes(ahead))
    back = decide(store, waiting.digest, "taken back", "olga")
    assert (back.status, back.decisions[-1].at) == ("pending", "2100-01-01T00:00:00.000000+00:00")


def test_of_several_those_that_another_owner_decided_on_meanwhile_are_left_and_named(tmp_path: Path) -> None:
    store = Store(tmp_path)
    names = ("good", "bad", "worse")
    good, bad, worse = (store.add(submission(name, identity="eve"), review=True).entry.digest for name in names)
    decide(Store(tmp_path), good, "accepted", "ola")
    done, [refused] = store.decide_each([good, bad, bad, worse], "declined", "olga", "made up")
    assert done == [bad, worse]
    assert "'good' was accepted by ola at" in refused
    assert statuses(store.load()) == {"good": "accepted", "bad": "withdrawn", "worse": "withdrawn"}
    assert [len(entry.decisions) for entry in store.load().entries] == [1, 1, 1]


@pytest.mark.parametrize("identity", [None, "ada"])
def test_the_same_handed_in_at_two_replicas_is_one_for_whoever_has_either_code(
    make_store: MakeStore, identity: str | None
) -> None:
    stores = [in_step(make_store("first")), in_step(make_store("second"))]
    digests = [
        store.add(submission(identity=identity, code_digest=code)).entry.digest
        for store, code in zip(stores, CODES, strict=True)
    ]
    assert len(set(digests)) == 2
    for _ in range(2):
        for store in stores:
            store.sync()
    stores.append(in_step(make_store("on an empty disk")))
    waits = identity is None
    for store in stores:
        [entry] = store.load().entries
        assert sorted(entry.names) == sorted(digests)
        assert sorted(one.code_digest for one in (entry.submission, *entry.also)) == sorted(CODES)
        assert (len(store.load().pending), len(store.load().results)) == (int(waits), int(not waits))
        assert store.add(submission(identity=identity)).duplicate
    if waits:
        decide(stores[2], digests[1], "accepted", "ola")
        for store in (stores[2], *stores):
            store.sync()
            assert (models(store), store.load().pending) == (["alpha"], ())
    stores[1].withdraw(digests[1], by="its author")
    for store in (stores[1], *stores, in_step(make_store("on another"))):
        store.sync()
        assert (models(store), statuses(store.load())) == ([], {"alpha": "withdrawn"})


def test_a_correction_of_either_name_takes_the_place_of_both(make_store: MakeStore) -> None:
    first, second = in_step(make_store("first")), in_step(make_store("second"))
    first.add(submission(code_digest=CODES[0]))
    later = second.add(submission(code_digest=CODES[1], at="2026-05-31T13:00:00+00:00")).entry
    for store in (first, second, first):
        store.sync()
    first.add(submission(value=0.6, supersedes=later.digest, at="2026-05-31T14:00:00+00:00"))
    assert [result.metrics["srcc"].value for result in first.load().results] == [0.6]
    with pytest.raises(UserError, match="was corrected already"):
        first.add(submission(value=0.7, supersedes=first.load().entries[0].digest))


def test_owners_are_told_of_what_begins_to_wait_at_most_once_an_hour(
    hub: Hub, secret: Hub, make_store: MakeStore
) -> None:
    store = make_store()
    store.notice = "Decide at https://lab.example @olga"
    store.add(submission("accepted at once"))
    store.sync()
    store.tell_owners(0)
    assert secret.discussions == []
    for number in range(30):
        store.add(submission(f"m{number}", identity=None))
        store.tell_owners(10.0 * number)
    store.tell_owners(3599)
    one = "1 submission waits for review (the last of 2026-05-31T12:00:00+00:00). Decide at https://lab.example @olga"
    assert secret.discussions == [(NOTICE, [one])]
    secret.away = True
    with pytest.raises(ProviderError, match="answered 503"):
        store.tell_owners(3600)
    secret.away = False
    store.tell_owners(7199)  # not before an hour, whatever became of the last one
    store.tell_owners(7200)
    store.tell_owners(20000)  # none is new
    decide(store, store.load().pending[0].digest, "declined", "olga")
    store.tell_owners(30000)
    more = one.replace("1 submission waits", "30 submissions wait")
    assert secret.discussions == [(NOTICE, [one, more])]
    store.sync()
    restarted = make_store("elsewhere")
    restarted.sync()
    restarted.tell_owners(0)  # of none that they were told of before
    assert secret.discussions == [(NOTICE, [one, more])]
    restarted.add(submission("later", identity=None, at="2026-05-31T12:00:01+00:00"))
    restarted.tell_owners(3600)
    assert secret.discussions[0][1][2].startswith("30 submissions wait for review (the last of 2026-05-31T12:00:01+")
    assert hub.discussions == []
