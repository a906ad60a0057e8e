"""A data root of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where datasets are looked for."""
    folder = tmp_path / "data"
    monkeypatch.setenv("QBENCH_DATA", str(folder))
    return folder
