"""Fixtures shared by all tests."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest


def pytest_collection_finish() -> None:
    """What was collected stays to the end, and is more than half a million objects to search for rubbish each time."""
    gc.freeze()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real data that its licences keep out of this repository."""
    folder = Path(os.environ.get("QBENCH_TEST_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"real data is not at {folder}; set QBENCH_TEST_DATA to the folder that holds it")
    return folder
