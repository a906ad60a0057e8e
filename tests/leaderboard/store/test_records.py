"""Folders of records: what cannot be read is named and hides no other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leaderboard.store import files
from leaderboard.store.records import RecordFolder
from tests.leaderboard.made import result


def write(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_a_bad_record_in_folders_of_any_depth_is_skipped_and_named(tmp_path: Path) -> None:
    bad = {**result("beta").to_json(), "task": "telepathy"}
    write(tmp_path / "one.json", result("alpha").to_json())
    write(tmp_path / "deep" / "er" / "many.json", [result("gamma").to_json(), bad, result("delta").to_json()])
    loaded = RecordFolder(tmp_path).load()
    assert [result.model for result in loaded.results] == ["gamma", "delta", "alpha"]
    (problem,) = loaded.problems
    assert problem.where == "deep/er/many.json, record 2 of 3"
    assert "telepathy" in problem.reason


@pytest.mark.parametrize("content", ["", "{", "[1, 2", "\x00", '{"schema": NaN}', "[" * 100_000])
def test_a_bad_file_among_good_ones_is_skipped_and_named(tmp_path: Path, content: str) -> None:
    write(tmp_path / "a.json", content)
    write(tmp_path / "b.json", result("alpha").to_json())
    loaded = RecordFolder(tmp_path).load()
    assert [result.model for result in loaded.results] == ["alpha"]
    assert [problem.where.split(",")[0] for problem in loaded.problems] == ["a.json"]
    assert loaded.problems[0].reason


def test_a_huge_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGEST_FILE", 2**20)
    write(tmp_path / "a.json", " " * 3 * 2**20)
    loaded = RecordFolder(tmp_path).load()
    assert loaded.results == ()
    assert "has 3 MB; at most 1 MB are read" in loaded.problems[0].reason


def test_a_revision_names_the_content(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", result("alpha").to_json())
    first = RecordFolder(tmp_path).load().revision
    assert RecordFolder(tmp_path).load().revision == first
    write(path, result("beta").to_json())
    assert RecordFolder(tmp_path).load().revision != first
