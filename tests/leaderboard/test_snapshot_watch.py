from __future__ import annotations

import json
import threading
from pathlib import Path

from leaderboard.settings import Settings
from leaderboard.snapshot import SnapshotWatch
from leaderboard.store.local import Store
from tests.leaderboard.handed_in import submission
from tests.leaderboard.made import result


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def make(folder: Path) -> Settings:
    return Settings(assets=folder / "assets", results=folder / "results")


def test_new_records_and_submissions_show_without_a_restart(tmp_path: Path) -> None:
    settings, clock, store = make(tmp_path), Clock(), Store(tmp_path / "handed-in")
    current = SnapshotWatch(settings, store, every=2.0, clock=clock)
    first = current()
    assert first.loaded.results == ()

    settings.results.mkdir()
    (settings.results / "own.json").write_text(json.dumps(result("alpha").to_json()), encoding="utf-8")
    clock.now = 1.9
    assert current() is first
    current.look_again()
    second = current()
    assert [result.model for result in second.loaded.results] == ["alpha"]
    assert second.loaded.revision != first.loaded.revision

    entry = store.add(submission("beta", identity="bea")).entry
    current.look_again()
    assert [result.model for result in current().loaded.results] == ["alpha", "beta"]
    store.withdraw(entry.digest, by="bea")
    current.look_again()
    assert [result.model for result in current().loaded.results] == ["alpha"]


def test_a_visit_looks_for_changes_and_waits_for_none(tmp_path: Path) -> None:
    clock, store, looked = Clock(), Store(tmp_path / "handed-in"), threading.Event()
    current = SnapshotWatch(make(tmp_path), store, every=2.0, clock=clock)
    current.look_again = looked.set  # type: ignore[method-assign]
    clock.now = 1.9
    current()
    assert not looked.is_set()
    clock.now = 2.0
    current()
    assert looked.wait(10)
