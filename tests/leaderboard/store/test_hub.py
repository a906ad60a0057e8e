from __future__ import annotations

import json
import logging
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from leaderboard.store.folders import ACCEPTED, place
from leaderboard.store.hub import HubStore
from leaderboard.store.hub_client import seconds_to_wait
from leaderboard.store.submission import record_bytes
from leaderboard.store.worker import do_now, pause_after
from leaderboard.tables.provenance import describe_origin
from qbench.errors import ProviderError
from tests.hub_double import FAULTS, REPO, TOKEN, Hub
from tests.leaderboard.handed_in import decide, submission
from tests.leaderboard.store.conftest import MakeStore, models, path_of


def test_a_submission_is_kept_at_once_and_sent_in_the_next_round(hub: Hub, make_store: MakeStore) -> None:
    store, made = make_store(), submission()
    receipt = store.add(made)
    assert (receipt.queued, receipt.entry.url, receipt.entry.status) == (True, None, "accepted")
    store.sync()
    assert hub.tree() == {"README.md": b"# Results\n", path_of(made): record_bytes(made)}
    (entry,), (record,) = store.load().entries, store.load().records
    assert entry.url == f"{hub.address}/datasets/{REPO}/blob/main/{path_of(made)}"
    assert describe_origin(record)["kept"] == entry.url


def test_what_was_sent_is_not_sent_again_and_what_did_not_change_not_fetched_again(
    hub: Hub, secret: Hub, make_store: MakeStore
) -> None:
    store = make_store()
    for number in range(3):
        store.add(submission(f"m{number}"))
    store.sync()
    assert len(hub.history) == 2  # the README, and three submissions in one commit
    assert hub.titles == ["3 records"]
    hub.requests.clear()
    secret.requests.clear()
    store.sync()
    asked = [request.split("?")[0] for request in (*hub.requests, *secret.requests)]
    assert asked == [f"GET /api/datasets/{REPO}", f"GET /api/datasets/{REPO}-private"]

    other = submission("from elsewhere")
    hub.write("main", {path_of(other): record_bytes(other)})
    hub.requests.clear()
    store.sync()
    assert sum("/tree/" in request for request in hub.requests) == 1
    assert [request for request in hub.requests if "/resolve/" in request] == [
        f"GET /datasets/{REPO}/resolve/{hub.branches['main']}/{path_of(other)}"
    ]
    assert sorted(models(store)) == ["from elsewhere", "m0", "m1", "m2"]


STEPS = [("commit", fault) for fault in FAULTS]
STEPS += [(step, fault) for step in ("preupload", REPO, "tree", "resolve") for fault in ("503", "half-after")]
STEPS += [("create", fault) for fault in ("409", "503", "cut-after")]


@pytest.mark.parametrize(("step", "fault"), STEPS)
def test_after_each_fault_and_one_at_each_step_the_next_round_does_what_is_left(
    hub: Hub, secret: Hub, make_store: MakeStore, step: str, fault: str
) -> None:
    other = submission("from elsewhere")
    hub.write("main", {path_of(other): record_bytes(other)})
    store, made = make_store(), submission()
    waiting = submission("to review", identity=None)
    store.add(made)
    store.add(waiting)
    asked = secret if step == "create" else hub
    asked.scripted = [(f"/{step}", fault)]
    with suppress(ProviderError):
        store.sync()
    store.sync()
    assert asked.thrown[fault] == 1
    assert sorted(models(store)) == ["alpha", "from elsewhere"]
    assert [path for branch, paths in hub.history for path in paths if branch == "main"].count(path_of(made)) == 1
    assert place("pending", waiting.digest).as_posix() in (secret.tree() or {})
    assert secret.private


def test_where_rounds_fail_the_next_comes_later_each_time_with_chance_in_it_and_as_the_hub_asks() -> None:
    for failed, usual in ((1, 0.5), (2, 1.0), (5, 8.0)):
        pauses = {pause_after(failed, asked_to_wait=0.0, every=60.0) for _ in range(20)}
        assert len(pauses) == 20
        assert all(usual / 2 <= pause <= usual * 1.5 for pause in pauses)
    assert pause_after(1, asked_to_wait=30.0, every=60.0) == 30.0
    assert pause_after(1, asked_to_wait=3600.0, every=60.0) == pause_after(5000, 0.0, 60.0) == 60.0


def test_a_command_tries_again_what_may_pass(hub: Hub, make_store: MakeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("leaderboard.store.worker.time.sleep", pauses.append)
    store = make_store()
    store.add(submission())
    hub.scripted = [("/commit", "409")] * 2
    do_now(store.sync)
    assert len(pauses) == 2
    assert path_of(submission()) in (hub.tree() or {})
    hub.away = True
    with pytest.raises(ProviderError, match="answered 503"):
        do_now(store.sync)
    assert len(pauses) == 2 + 3


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [({"retry-after": "7"}, 7.0), ({"ratelimit": '"api";r=0;t=12'}, 12.0), ({"retry-after": "soon"}, 0.0), ({}, 0.0)],
)
def test_how_long_the_hub_asks_to_wait_is_read(headers: dict[str, str], seconds: float) -> None:
    assert seconds_to_wait(headers) == seconds


def test_the_hub_away_nothing_is_lost_and_the_last_copy_is_shown(hub: Hub, make_store: MakeStore) -> None:
    old = submission("old")
    hub.write("main", {path_of(old): record_bytes(old)})
    make_store().sync()
    hub.away = True
    store = make_store()  # as after a restart
    receipt = store.add(submission())
    assert receipt.queued
    for _ in range(2):
        with pytest.raises(ProviderError, match="answered 503"):
            store.sync()
    assert sorted(models(store)) == ["alpha", "old"]
    restarted = make_store()
    assert sorted(models(restarted)) == ["alpha", "old"]
    hub.away = False
    restarted.sync()
    assert path_of(submission()) in (hub.tree() or {})


def test_strange_files_in_the_repository_are_left_there(hub: Hub, make_store: MakeStore, tmp_path: Path) -> None:
    made = submission()
    strange = ["../../evil.json", "submissions/../x.json", f"submissions/zz/{made.digest}.json", "submissions/a.json"]
    hub.write("main", {**dict.fromkeys(strange, b"{}"), path_of(made): record_bytes(made)})
    store = make_store()
    store.sync()
    assert models(store) == ["alpha"]
    assert [path.name for path in (tmp_path / "store" / "mirror").rglob("*.json")] == [f"{made.digest}.json"]
    assert not (tmp_path / "evil.json").exists()


def test_a_file_removed_on_the_hub_disappears_but_a_listing_that_lags_behind_removes_nothing(
    hub: Hub, make_store: MakeStore
) -> None:
    store, first, second = make_store(), submission("first"), submission("second")
    store.add(first)
    store.sync()
    hub.frozen_head = hub.branches["main"]
    store.add(second)
    store.sync()
    assert sorted(models(store)) == ["first", "second"]
    hub.frozen_head = None
    store.sync()
    hub.write("main", {}, deleted=[path_of(first)])
    store.sync()
    assert models(store) == ["second"]


def test_one_that_is_refused_does_not_hold_up_the_others(hub: Hub, secret: Hub, make_store: MakeStore) -> None:
    store = make_store()
    made = sorted((submission(f"m{number}") for number in range(4)), key=lambda one: one.digest)
    for proposed in made:
        store.add(proposed)
    hub.refuse = path_of(made[1])
    with pytest.raises(ProviderError, match="refused"):
        store.sync()
    assert {path_of(submission) for submission in made if submission is not made[1]} <= (hub.tree() or {}).keys()
    assert len(models(store)) == 4
    waiting = submission("to review", identity=None)
    store.add(waiting)
    with pytest.raises(ProviderError, match="refused"):
        store.sync()
    assert place("pending", waiting.digest).as_posix() in (secret.tree() or {})
    hub.refuse = ""
    store.sync()
    assert {path_of(submission) for submission in made} <= (hub.tree() or {}).keys()


def test_two_replicas_over_one_dataset_lose_and_double_nothing(hub: Hub, make_store: MakeStore) -> None:
    """Each has a folder of its own; authors hand in at both, some the same, and both their owners decide."""
    first, second = make_store("first"), make_store("second")
    handed = [submission(model=f"Model {number}", identity=f"author-{number}") for number in range(12)]
    waiting = [submission(model=f"Waiting {number}", identity=None) for number in range(6)]
    for number, one in enumerate(handed):
        for store in (first, second) if number % 3 == 0 else ((first,) if number % 3 == 1 else (second,)):
            store.add(one)
    for number, one in enumerate(waiting):
        (first, second)[number % 2].add(one, review=True)

    def sync_both() -> None:
        with ThreadPoolExecutor(2) as at_once:
            list(at_once.map(HubStore.sync, (first, second)))
        for store in (first, second, first):
            store.sync()

    sync_both()
    assert [len(store.load().pending) for store in (first, second)] == [6, 6]
    decide(first, waiting[0].digest, "accepted", "ola")
    decide(second, waiting[0].digest, "accepted", "ola")  # both, before either knows of the other
    decide(second, waiting[1].digest, "accepted", "ola")
    decide(first, waiting[2].digest, "declined", "olga", "no source")
    second.withdraw(handed[0].digest, "author-0")
    decide(first, waiting[3].digest, "accepted", "ola")
    decide(second, waiting[3].digest, "declined", "olga", "no source")  # they disagree: the later decision holds
    sync_both()
    third = make_store("third")  # one that was not there
    third.sync()
    gone = (handed[0], waiting[2], waiting[3])
    accepted = {one.digest for one in [*handed, *waiting[:2]]} - {one.digest for one in gone}
    for store in (first, second, third):
        entries = store.load().entries
        statuses = {entry.digest: entry.status for entry in entries}
        assert {digest for digest, status in statuses.items() if status == "accepted"} == accepted
        assert {digest for digest, status in statuses.items() if status == "pending"} == {w.digest for w in waiting[4:]}
        assert (len(entries), store.unsent()) == (len(statuses), 0)
    on_the_hub = [path for path in hub.tree("main") or {} if path.startswith(f"{ACCEPTED}/")]
    assert sorted(Path(path).stem for path in on_the_hub) == sorted([*accepted, handed[0].digest, waiting[3].digest])


@pytest.mark.parametrize("token", [None, "hf_theWrongOne"])
def test_without_the_right_to_write_nothing_is_lost_and_reading_goes_on(
    hub: Hub, make_store: MakeStore, token: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    old = submission("old")
    hub.write("main", {path_of(old): record_bytes(old)})
    store = make_store(token=token)
    store.add(submission())
    with pytest.raises(ProviderError, match="does not let this token use lab/board-results") as fault:
        store.sync()
    assert sorted(models(store)) == ["alpha", "old"]
    assert "hf_theWrongOne" not in caplog.text + repr(fault.value) + repr(fault.value.__context__)


def test_the_background_work_sends_at_once_and_says_what_is_wrong(hub: Hub, make_store: MakeStore) -> None:
    store = make_store()
    hub.away = True
    before, began = store.stamp(), store._worker.succeeded
    store.start()
    assert store._worker.wait(lambda: bool(store._worker.fault), 20)
    assert store._worker.succeeded == began
    (problem,) = store.load().problems
    assert problem.where == REPO
    assert "answered 503" in problem.reason
    assert store.stamp() != before
    hub.away = False
    receipt = store.add(submission())
    store.stop()
    assert (receipt.queued, receipt.entry.url) == (
        False,
        f"{hub.address}/datasets/{REPO}/blob/main/{path_of(submission())}",
    )
    assert store.load().problems == ()
    assert store._worker.succeeded > began
    assert store.add(submission("of one who comes too late")).queued
    store.sync()
    assert hub.titles[-1] == f"Add {path_of(submission('of one who comes too late'))}"


def test_contacts_go_to_the_private_repository_alone(hub: Hub, secret: Hub, make_store: MakeStore) -> None:
    store, made = make_store(), submission()
    store.add(made, contact="ada@example.org")
    store.sync()
    assert all(b"ada@example.org" not in content for commit in hub.commits.values() for content in commit.values())
    assert json.loads((secret.tree() or {})[place("contacts", made.digest).as_posix()]) == {
        "contact": "ada@example.org"
    }
    other = make_store("other")
    other.sync()
    assert not list(other.folder.rglob("contacts"))  # they are asked for one by one, when an owner looks
    [entry] = other.load().entries
    assert other.contact(entry) == "ada@example.org"
    secret.away = True
    secret.requests.clear()
    with pytest.raises(ProviderError, match="answered 503"):
        other.contact(entry)
    assert len(secret.requests) == 1  # the owner who opened it does not wait for more


def test_while_the_private_dataset_is_public_nothing_private_is_sent_and_the_rest_is(
    hub: Hub, secret: Hub, make_store: MakeStore
) -> None:
    secret.missing = False
    store, made, waiting = make_store(), submission(), submission("beta", identity=None)
    store.add(made)
    store.add(waiting, contact="ada@example.org")
    with pytest.raises(ProviderError, match="lab/board-results-private is public; make it private"):
        store.sync()
    assert path_of(made) in (hub.tree() or {})
    assert list(secret.tree() or {}) == ["README.md"]
    assert [entry.digest for entry in store.load().pending] == [waiting.digest]
    secret.private = True
    store.sync()
    assert store.unsent() == 0


@pytest.mark.slow(reason="waits out every retry after each kind of fault")
def test_the_token_is_in_no_log_error_page_or_record(
    hub: Hub, make_store: MakeStore, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    caplog.set_level(logging.DEBUG)
    shown: list[object] = []
    for number, fault in enumerate(fault for fault in FAULTS if fault != "hang"):  # like "cut", only slower
        store = make_store(f"store-{number}")
        hub.scripted = [("/", fault)] * 1000
        store.add(submission(f"m{number}"))
        store._worker.start()
        assert store._worker.wait(lambda worker=store._worker: worker.fault != "", 60)
        store.stop()
        shown += [store, store.client, store.load(), store._worker.fault, store.stamp()]
        with pytest.raises(ProviderError) as raised:
            store.sync()
        shown += [raised.value, raised.value.__cause__, raised.value.args]
        hub.scripted = []
        store.sync()
    files = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    sent = b"".join(content for tree in hub.commits.values() for content in tree.values())
    assert len(caplog.text) > 1000
    assert TOKEN not in caplog.text + repr(shown) + (files + sent).decode(errors="replace")


def test_many_changes_are_made_one_commit_and_lose_nothing(
    hub: Hub, make_store: MakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.store.hub.MOST_CHANGES", 3)
    store, before = make_store(), dict[str, bytes]()
    for number in range(3):
        before = dict(hub.tree() or {})
        store.add(submission(f"model {number}"))
        store.sync()
    assert len([branch for branch, _ in hub.history if branch == "main"]) == 1
    assert before.items() <= (hub.tree() or {}).items()
    fresh = make_store("fresh")
    fresh.sync()
    assert len(fresh.load().entries) == 3
