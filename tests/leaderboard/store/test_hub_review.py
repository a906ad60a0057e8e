"""Review on the Hub: what waits is a pull request, which owners accept or close there or here."""

from __future__ import annotations

from leaderboard.store.folders import place
from leaderboard.store.local import MOST_BYTES
from leaderboard.store.submission import record_bytes
from tests.hub_double import REPO, Hub
from tests.leaderboard.handed_in import submission
from tests.leaderboard.store.conftest import MakeStore, models, path_of


def test_review_is_a_pull_request_that_shows_as_pending(hub: Hub, make_store: MakeStore) -> None:
    store, made = make_store(), submission(identity=None)
    store.add(made)
    store.sync()
    (entry,) = store.load().pending
    assert entry.url == f"{hub.address}/datasets/{REPO}/discussions/1"
    assert (models(store), hub.tree()) == ([], {"README.md": b"# Results\n"})
    assert list((store.folder / "outbox").rglob("*.json")) == []
    elsewhere = make_store("elsewhere")
    elsewhere.sync()
    assert [entry.digest for entry in elsewhere.load().pending] == [made.digest]

    hub.merge(1)  # by a maintainer, on the Hub
    for board in (store, elsewhere):
        board.sync()
        assert (models(board), board.load().pending) == (["alpha"], ())


def test_a_pull_request_closed_on_the_hub_is_no_longer_pending(hub: Hub, make_store: MakeStore) -> None:
    store = make_store()
    store.add(submission(identity=None))
    store.sync()
    hub.pulls[1]["status"] = "closed"
    store.sync()
    store.sync()  # a single listing may lag behind
    assert store.load().entries == ()


def test_accepting_here_puts_it_on_the_hub_and_closes_the_pull_request(hub: Hub, make_store: MakeStore) -> None:
    store, made = make_store(), submission(identity=None)
    store.add(made)
    store.sync()
    assert store.decide(made.digest, "accepted", "ola").status == "accepted"
    store.sync()
    assert path_of(made) in (hub.tree() or {})
    assert hub.pulls[1]["status"] == "closed"
    assert [entry.status for entry in make_store().load().entries] == ["accepted"]


def test_accepting_before_it_was_sent_needs_no_pull_request(hub: Hub, make_store: MakeStore) -> None:
    store, made = make_store(), submission(identity=None)
    store.add(made)
    store.decide(made.digest, "accepted", "ola")
    store.sync()
    assert (models(store), hub.pulls) == (["alpha"], {})


def test_declining_closes_and_withdrawing_takes_off_every_board(hub: Hub, make_store: MakeStore) -> None:
    store, here, waiting = make_store(), submission(), submission("beta", identity=None)
    for board in (here, waiting):
        store.add(board)
    store.sync()
    for board in (here, waiting):
        store.withdraw(board.digest, by="owner", reason="asked for")
    store.sync()
    assert hub.pulls[1]["status"] == "closed"
    other = make_store("other")
    other.sync()
    assert models(other) == []
    assert [entry.status for entry in other.load().entries] == ["withdrawn"]


def test_pull_requests_by_anybody_are_read_with_care(hub: Hub, make_store: MakeStore) -> None:
    good = submission("good", identity=None)
    other = submission("other", identity=None)
    hub.propose("Add a dataset card", {"README.md": b"spam"})
    hub.propose(f"Submission {good.digest}", {path_of(good): record_bytes(good)})
    hub.propose(f"Submission {other.digest}", {path_of(other): record_bytes(good)})  # not what it says
    large = submission("large", identity=None)
    hub.propose(f"Submission {large.digest}", {path_of(large): record_bytes(large) + b" " * MOST_BYTES})
    hub.propose(f"Submission {'a' * 64}", {"elsewhere.json": b"{}"})
    hub.propose(f"Submission {'b' * 64}", {place("submissions", "b" * 64).as_posix(): b"[" * 100_000})
    store = make_store()
    store.sync()
    assert [entry.digest for entry in store.load().pending] == [good.digest]
    assert (models(store), store.load().problems) == ([], ())
