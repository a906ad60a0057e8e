"""Where the real data are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real data that its licences keep out of this repository."""
    folder = Path(os.environ.get("QBENCH_TEST_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"real data is not at {folder}; set QBENCH_TEST_DATA to the folder that holds it")
    return folder
