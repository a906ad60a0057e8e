"""A Hub of one's own that datasets are fetched from, by the real client over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from huggingface_hub.utils import _http

from tests.datasets.fetching import shard
from tests.hub_double import Hub, serve


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data root."""
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("QBENCH_DATA", str(folder))
    return folder


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A Hub whose files of 1 kB and more are large ones; nobody waits between attempts."""
    made = Hub(large=1000)
    monkeypatch.setattr(_http.time, "sleep", lambda _seconds: None)
    monkeypatch.delenv("HF_TOKEN", raising=False)
    with serve(made) as address:
        monkeypatch.setenv("HF_ENDPOINT", address)
        yield made


@pytest.fixture
def qbench(hub: Hub) -> Hub:
    """A slice of Q-Bench-HF: 30 questions of dev in three shards, and a test split that is not asked for."""
    hub.repo = "q-future/Q-Bench-HF"
    shards = {f"data/dev-0000{n}-of-00003.parquet": shard(10 * n, 10) for n in range(3)}
    hub.write("main", {**shards, "data/test-00000-of-00001.parquet": shard(0, 5)})
    return hub
