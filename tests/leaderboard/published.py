"""The published results, read once for all tests."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from leaderboard.settings import read_settings
from leaderboard.snapshot import Snapshot, open_snapshot
from leaderboard.tables.chance import Simulated, read_simulated

ROOT = Path(__file__).resolve().parents[2]


@lru_cache(maxsize=1)
def published() -> Snapshot:
    return open_snapshot(read_settings({"QBENCH_RESULTS": "/nonexistent"}, ROOT))


@lru_cache(maxsize=1)
def simulated() -> Simulated:
    return read_simulated(ROOT / "assets" / "recomputed" / "chance_2afc.json")
