"""The index of stored files gives what the files hold, and gives way to them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from leaderboard.store import file_index, folders
from leaderboard.store.file_index import NAME, read_index
from leaderboard.store.local import LocalStore
from tests.leaderboard.handed_in import submission


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of five submissions, one of which waits and one of which was withdrawn, and their index."""
    monkeypatch.setattr(folders, "FEWEST", 2)
    store = LocalStore(tmp_path)
    entries = [store.add(submission(f"m{number}"), review=number == 0).entry for number in range(5)]
    store.withdraw(entries[1].digest, by="ada")
    LocalStore(tmp_path).load()
    assert len(read_index(tmp_path)) == 6
    return tmp_path


def rewrite(path: Path, content: bytes, *, told: bool) -> None:
    """Change a file in place; where that is not told, its time stays."""
    before = path.stat()
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + told))


def test_the_index_is_read_instead_of_files_and_holds_the_same(folder: Path) -> None:
    indexed = LocalStore(folder).load()
    assert [entry.status for entry in indexed.entries].count("pending") == 1
    for path in folder.glob("*/*/*.json"):
        rewrite(path, b"nobody reads this", told=False)
    assert LocalStore(folder).load().entries == indexed.entries
    assert LocalStore(folder).load().revision == indexed.revision
    assert LocalStore(folder).load().problems == ()


def test_a_file_that_changed_is_the_truth(folder: Path) -> None:
    before = LocalStore(folder).load()
    changed, gone, *_ = sorted(folder.glob("submissions/*/*.json"))
    rewrite(changed, b"{}", told=True)
    gone.unlink()
    after = LocalStore(folder).load()
    assert {entry.digest for entry in before.entries} - {entry.digest for entry in after.entries} == {
        changed.stem,
        gone.stem,
    }
    assert [Path(problem.where).stem for problem in after.problems] == [changed.stem]


def test_what_comes_later_is_added_and_what_is_gone_forgotten(folder: Path) -> None:
    store = LocalStore(folder)
    store.load()
    for number in range(2):
        store.add(submission(f"later-{number}"))
    sorted(folder.glob("withdrawn/*.json"))[0].unlink()
    fresh = LocalStore(folder)
    fresh.add(submission("last"))
    fresh.add(submission("very last"))
    assert {Path(path) for path, _, _ in read_index(folder)} <= set(folder.glob("**/*.json"))
    assert len(LocalStore(folder).load().entries) == 9


def test_an_index_that_cannot_be_read_is_made_anew(folder: Path) -> None:
    expected = LocalStore(folder).load().entries
    (folder / NAME).write_bytes(b"no database" * 100)
    assert LocalStore(folder).load().entries == expected
    assert len(read_index(folder)) == 6


def test_a_small_store_has_none(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    store.add(submission("alone"))
    store.load()
    assert not (tmp_path / NAME).exists()
    assert file_index.read_index(tmp_path) == {}
