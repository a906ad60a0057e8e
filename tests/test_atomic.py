"""Files are there whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from qbench.atomic import write_whole, written_aside


def test_what_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    write_whole(path, b"old")
    with pytest.raises(RuntimeError), written_aside(path) as part:
        part.write_bytes(b"ne")
        raise RuntimeError
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_two_writers_do_not_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    with written_aside(path) as first, written_aside(path) as second:
        first.write_bytes(b"first")
        second.write_bytes(b"second")
    assert path.read_bytes() == b"first"  # the last that is through
