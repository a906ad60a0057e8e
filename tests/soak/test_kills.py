"""A part of what `python -m tests.soak` does."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.soak.commands import kill_trainings
from tests.soak.faults import meet_faults
from tests.soak.kills import kill_runs, kill_writers

pytestmark = [
    pytest.mark.slow(reason="processes are killed at moments that come by waiting"),
    pytest.mark.skipif(sys.platform == "win32", reason="kills forks"),
]


def test_writers_that_are_killed_lose_and_double_nothing(tmp_path: Path) -> None:
    assert kill_writers(tmp_path / "store", 20, seed=1).acknowledged > 0


def test_a_run_that_is_killed_ends_as_one_that_was_not(tmp_path: Path) -> None:
    assert kill_runs(tmp_path, 3, seed=1).acknowledged == 40


def test_a_training_that_is_killed_ends_as_one_that_was_not(tmp_path: Path) -> None:
    assert kill_trainings(tmp_path, 2, seed=1).acknowledged == 40


def test_a_small_disk_and_a_clock_that_jumps_lose_nothing() -> None:
    assert len(list(meet_faults())) in (2, 3)  # two where nothing can be mounted
