"""What single items add to a record, stored beside it and read again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from leaderboard.store.records import RecordFolder
from qbench.records import Estimate, Items, Result, Source
from qbench.results.items import items_lines, items_path, read_items

ITEMS = {
    "accuracy": Items("mean", ("a", "b"), (1.0, 0.0), clusters=("photo", "photo")),
    "srcc": Items("srcc", ("a", "b"), (0.123456789012, 1e300), (1.0, -2.5)),
}
RECORD = Result("assessment", "made", "mine", {"srcc": Estimate(0.5)}, Source("live"), raw="5" * 64, items=ITEMS)


def test_what_is_stored_is_read_again() -> None:
    read = read_items(items_lines(RECORD), RECORD.raw)
    assert read["accuracy"] == ITEMS["accuracy"]
    assert read["srcc"] == replace(ITEMS["srcc"], values=(0.123456789, 1e300))
    assert read_items(items_lines(RECORD), "6" * 64) == {}  # of other answers
    assert items_lines(replace(RECORD, items={})) == b""


@pytest.mark.parametrize(
    "change",
    [{"values": [1]}, {"statistic": "median"}, {"values": ["1", "2"]}, {"truth": []}, {"metric": None, "names": 3}],
)
def test_a_broken_file_is_refused(change: dict[str, object]) -> None:
    lines = items_lines(RECORD).decode().splitlines()
    lines[2] = json.dumps(json.loads(lines[2]) | change)
    with pytest.raises(ValueError, match=r"no mean|lists of different|no number|no file of items"):
        read_items("\n".join(lines).encode(), RECORD.raw)


def test_the_board_reads_them_with_the_record(tmp_path: Path) -> None:
    file = tmp_path / "assessment--made--mine.json"
    file.write_text(json.dumps(RECORD.to_json()))
    folder = RecordFolder(tmp_path)
    before = folder.stamp()
    assert folder.load().results[0].items == {}
    items_path(file).parent.mkdir()
    items_path(file).write_bytes(items_lines(RECORD))
    assert set(folder.load().results[0].items) == {"accuracy", "srcc"}
    assert folder.stamp() != before
    items_path(file).write_text("nothing of the kind")
    loaded = folder.load()
    assert loaded.results[0].items == {}
    assert [problem.where for problem in loaded.problems] == [f"items/{file.stem}.jsonl"]
