"""Owners and authors at several replicas of a Space, each begun on an empty disk: what the datasets on the Hub keep."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from leaderboard.store import Loaded
from leaderboard.store.hub import NOTICE, HubStore
from leaderboard.store.local import Store
from leaderboard.store.submission import Decision, record_bytes
from qbench.errors import ProviderError, UserError
from tests.hub_double import Hub
from tests.leaderboard.handed_in import decide, submission
from tests.leaderboard.store.conftest import MakeStore, models

Replica = Callable[[str], HubStore]
CODES = ("c0de" * 16, "d" * 64)


@pytest.fixture
def replica(make_store: MakeStore) -> Replica:
    """A replica of a Space, in step with both datasets."""

    def opened(name: str) -> HubStore:
        store = make_store(name)
        store.sync()
        return store

    return opened


def statuses(loaded: Loaded) -> dict[str, str]:
    return {entry.submission.metadata.model: entry.status for entry in loaded.entries}


def test_decisions_their_reasons_and_who_made_them_outlast_the_disk(replica: Replica, hub: Hub) -> None:
    first = replica("first")
    good, bad = (first.add(submission(name, identity=None)).entry for name in ("good", "bad"))
    first.sync()
    assert list(hub.tree() or {}) == ["README.md"]  # what waits is in the private dataset alone
    second = replica("second")
    decide(second, good.digest, "accepted", "ola")
    decide(second, bad.digest, "declined", "ola", "no such paper")
    second.sync()
    assert ('"good"' in str(hub.tree()), '"bad"' in str(hub.tree())) == (True, False)
    third = replica("third")
    assert statuses(third.load()) == {"good": "accepted", "bad": "withdrawn"}
    decide(third, good.digest, "taken back", "olga", "wrong table")
    decide(third, bad.digest, "taken back", "olga")
    third.sync()
    fourth = replica("fourth")
    assert statuses(fourth.load()) == {"good": "pending", "bad": "pending"}
    assert models(fourth) == []
    decide(fourth, bad.digest, "accepted", "ola")
    fourth.sync()
    for store in (first, second, third, replica("fifth")):
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
    replica: Replica, identity: str | None
) -> None:
    stores = [replica("first"), replica("second")]
    digests = [
        store.add(submission(identity=identity, code_digest=code)).entry.digest
        for store, code in zip(stores, CODES, strict=True)
    ]
    assert len(set(digests)) == 2
    for _ in range(2):
        for store in stores:
            store.sync()
    stores.append(replica("on an empty disk"))
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
    for store in (stores[1], *stores, replica("on another")):
        store.sync()
        assert (models(store), statuses(store.load())) == ([], {"alpha": "withdrawn"})


def test_a_correction_of_either_name_takes_the_place_of_both(replica: Replica) -> None:
    first, second = replica("first"), replica("second")
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
