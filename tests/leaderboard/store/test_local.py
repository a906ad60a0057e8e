"""Folders of records and submissions: whole files whatever happens; what cannot be read is named and hides no other."""

from __future__ import annotations

import gc
import json
import stat
import sys
from pathlib import Path

import pytest

from leaderboard.settings import read_settings
from leaderboard.store import files
from leaderboard.store.folders import place
from leaderboard.store.local import Store
from leaderboard.store.open import open_store
from leaderboard.store.records import RecordFolder
from leaderboard.store.submission import StudyAnswers
from qbench.errors import UserError
from qbench.records import Estimate
from tests.commands.asking import write
from tests.leaderboard.handed_in import submission
from tests.leaderboard.made import result


def test_a_submission_is_one_readable_file_named_by_its_content_and_its_contact_is_apart(tmp_path: Path) -> None:
    store, made = Store(tmp_path), submission()
    receipt = store.add(made, contact="ada@example.org")
    path = tmp_path / "submissions" / made.digest[:2] / f"{made.digest}.json"
    assert json.loads(path.read_text(encoding="utf-8")) == made.to_json()
    assert len(path.read_text(encoding="utf-8").splitlines()) > 20
    (path,) = (tmp_path / "contacts").rglob("*.json")
    assert json.loads(path.read_text(encoding="utf-8")) == {"contact": "ada@example.org"}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "ada@example.org" not in repr(receipt) + repr(store.load())
    others = [other for other in tmp_path.rglob("*.json") if other != path]
    assert all("ada@example.org" not in other.read_text(encoding="utf-8") for other in others)


def test_files_changed_by_hand_and_strange_files_are_named_and_skipped(tmp_path: Path) -> None:
    store = Store(tmp_path)
    kept = store.add(submission()).entry
    path = tmp_path / place("submissions", kept.digest)
    path.write_text(path.read_text(encoding="utf-8").replace("0.5", "0.99"), encoding="utf-8")
    (path.parent / "x.json").write_bytes(b"\xff\xfe")
    (path.parent / "folder.json").mkdir()
    (path.parent / "part.tmp").write_bytes(b"{")
    loaded = store.load()
    assert loaded.results == ()
    assert len(loaded.problems) == 3
    assert any("not what its name says" in problem.reason for problem in loaded.problems)


def test_text_that_no_file_can_hold_is_the_authors_to_mend(tmp_path: Path) -> None:
    store = Store(tmp_path)
    broken = submission(results=(result("half \ud800 a letter"),))
    with pytest.raises(UserError, match="cannot be kept"):
        store.add(broken)
    assert list(tmp_path.rglob("*.json")) == []


@pytest.mark.parametrize(("identity", "most"), [("ada", "2.1"), (None, "0.3")])
def test_what_is_larger_than_a_submission_ever_is_is_refused(tmp_path: Path, identity: str | None, most: str) -> None:
    store = Store(tmp_path)
    large = result("alpha", srcc=Estimate(0.5, note="x" * int(1e6 * float(most))))
    with pytest.raises(UserError, match=rf"These results take \d+\.\d MB as records; {most} are kept of a submission"):
        store.add(submission(results=(large,), identity=identity))
    assert store.load().entries == ()


def test_what_a_dead_writer_left_goes_with_the_next_writing(tmp_path: Path) -> None:
    left = tmp_path / place("pending", "a" * 64).with_suffix(".json.0.part")
    left.parent.mkdir(parents=True)
    left.write_bytes(b'{"half')
    store = Store(tmp_path)
    assert (store.load().entries, store.load().problems) == ((), ())
    store.add(submission())
    assert not left.exists()


@pytest.mark.parametrize(
    ("named", "taken"),
    [
        ({}, True),
        ({"QBENCH_SUBMISSIONS": "{root}/elsewhere"}, False),
        ({"QBENCH_SUBMISSIONS": "{root}/data/submissions"}, True),
        ({"QBENCH_RESULTS_REPO": "lab/results", "QBENCH_HUB_TOKEN": "hf_x"}, True),
    ],
)
def test_a_space_that_forgets_takes_neither_submissions_nor_answers(
    tmp_path: Path, named: dict[str, str], taken: bool
) -> None:
    """Only a dataset and the persistent storage outlast a restart of a Space."""
    (tmp_path / "data").mkdir()
    environment = {name: value.format(root=tmp_path) for name, value in named.items()}
    on_a_space = read_settings({"SPACE_ID": "lab/board", **environment}, tmp_path / "app", persistent=tmp_path / "data")
    store = open_store(on_a_space)
    assert (store.refuses == "") == taken
    if not taken:
        with pytest.raises(UserError, match="Its owner has to set QBENCH_RESULTS_REPO to a dataset on the Hub"):
            store.add(submission())
        answers = StudyAnswers("a" * 12, "b" * 32, "2026-05-31T12:00:00+00:00", 1.0, ())
        with pytest.raises(UserError, match="Its owner has to set QBENCH_RESULTS_REPO"):
            store.add_answers(answers, lambda _: None)
        assert list(tmp_path.rglob("*.json")) == []
    at_home = open_store(read_settings(environment, tmp_path / "app", persistent=tmp_path / "data"))
    assert at_home.refuses == ""


def test_a_bad_record_in_folders_of_any_depth_is_skipped_and_named(tmp_path: Path) -> None:
    bad = {**result("beta").to_json(), "task": "telepathy"}
    write(tmp_path, result("alpha").to_json(), "one.json")
    many = json.dumps([result("gamma").to_json(), bad, result("delta").to_json()])
    write(tmp_path, many, "deep/er/many.json")
    loaded = RecordFolder(tmp_path).load()
    assert [result.model for result in loaded.results] == ["gamma", "delta", "alpha"]
    (problem,) = loaded.problems
    assert problem.where == "deep/er/many.json, record 2 of 3"
    assert "telepathy" in problem.reason


@pytest.mark.parametrize("content", ["", "{", "[1, 2", "\x00", '{"schema": NaN}', "[" * 100_000])
def test_a_bad_file_among_good_ones_is_skipped_and_named(tmp_path: Path, content: str) -> None:
    write(tmp_path, content, "a.json")
    write(tmp_path, result("alpha").to_json(), "b.json")
    loaded = RecordFolder(tmp_path).load()
    assert [result.model for result in loaded.results] == ["alpha"]
    assert [problem.where.split(",")[0] for problem in loaded.problems] == ["a.json"]
    assert loaded.problems[0].reason


def test_while_a_deep_file_is_read_what_is_cleaned_up_has_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before Python 3.12 garbage is collected in the midst of reading."""

    def clean_up(_phase: str, _facts: dict[str, int], calls: int = 50) -> None:
        if calls:
            clean_up(_phase, _facts, calls - 1)

    failed: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", failed.append)
    write(tmp_path / "a.json", "[" * 100_000)
    often = gc.get_threshold()
    gc.callbacks.append(clean_up)
    gc.set_threshold(1)
    try:
        loaded = RecordFolder(tmp_path).load()
    finally:
        gc.set_threshold(*often)
        gc.callbacks.remove(clean_up)
    assert loaded.problems[0].where == "a.json"
    assert failed == []


def test_a_huge_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGEST_FILE", 2**20)
    write(tmp_path, " " * 3 * 2**20)
    loaded = RecordFolder(tmp_path).load()
    assert loaded.results == ()
    assert "has 3 MB; at most 1 MB are read" in loaded.problems[0].reason


def test_a_revision_names_the_content(tmp_path: Path) -> None:
    write(tmp_path, result("alpha").to_json())
    first = RecordFolder(tmp_path).load().revision
    assert RecordFolder(tmp_path).load().revision == first
    write(tmp_path, result("beta").to_json())
    assert RecordFolder(tmp_path).load().revision != first
