"""The file of all records that spares a new machine thousands of requests."""

from __future__ import annotations

import pytest

from leaderboard.store import hub, hub_archive
from leaderboard.store.folders import place
from leaderboard.store.hub_archive import NAME, pack, unpack
from leaderboard.store.submission import record_bytes
from tests.hub_double import Hub
from tests.leaderboard.handed_in import submission
from tests.leaderboard.store.conftest import MakeStore

MADE = [submission(f"m{number}") for number in range(12)]


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_archive, "FEWEST", 5)
    monkeypatch.setattr(hub, "DUE", 10)


def fetched(hub: Hub) -> list[str]:
    return [request.split("/resolve/")[1].split("/", 1)[1] for request in hub.requests if "/resolve/" in request]


def test_what_was_packed_is_unpacked_up_to_a_limit_and_up_to_what_is_damaged() -> None:
    files = [("a", b"one\n"), ("b", "zwölf".encode())]
    packed = pack(files)
    assert list(unpack(packed, 1000)) == files
    assert list(unpack(packed, 40)) == files[:1]  # {"path": "a", "text": "one\n"} and its line end take 31 bytes
    assert list(unpack(packed[:-12], 1000)) in ([], files[:1], files)
    assert list(unpack(b"nothing of the kind", 1000)) == []


def test_a_new_machine_asks_once_for_what_was_archived_and_by_itself_for_what_came_after(
    hub: Hub, make_store: MakeStore
) -> None:
    first = make_store("first")
    for made in MADE[:10]:
        first.add(made)
    first.sync()  # writes the archive: ten records are due
    for made in MADE[10:]:
        first.add(made)
    first.sync()
    assert NAME in hub.tree()
    hub.requests.clear()
    second = make_store("second")
    second.sync()
    assert fetched(hub) == [NAME, *sorted(place("submissions", made.digest).as_posix() for made in MADE[10:])]
    assert second.load().revision == first.load().revision
    assert len(second.load().records) == 12
    hub.requests.clear()
    second.sync()
    assert fetched(hub) == []


def test_nothing_is_taken_from_an_archive_that_the_listing_does_not_name(hub: Hub, make_store: MakeStore) -> None:
    """As after a record was deleted, or when somebody wrote another text under a record's name."""
    store = make_store()
    files = {place("submissions", made.digest).as_posix(): record_bytes(made) for made in MADE[:8]}
    forged = {path: content.replace(b"0.5", b"0.9") for path, content in files.items()}
    gone = submission("gone")
    gone_path = place("submissions", gone.digest).as_posix()
    hub.write("main", {**files, NAME: pack([*forged.items(), (gone_path, record_bytes(gone)), ("../x", b"{}")])})
    store.sync()
    assert sorted(store.load().records[i].result.model for i in range(8)) == [f"m{number}" for number in range(8)]
    assert [record.result.metrics["srcc"].value for record in store.load().records] == [0.5] * 8
    assert store.load().problems == ()
    assert not (store.folder / "mirror" / gone_path).exists()


def test_compacting_writes_the_archive(hub: Hub, make_store: MakeStore) -> None:
    store = make_store()
    store.add(MADE[0])
    store.compact()
    assert NAME in hub.tree()
    assert list(unpack(hub.tree()[NAME], 10**6)) == [
        (place("submissions", MADE[0].digest).as_posix(), record_bytes(MADE[0]))
    ]
