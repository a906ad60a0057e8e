"""Servers and pictures for the tests of endpoints."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from qbench.models.openai.server import Server
from qbench.records import Picture
from tests.models.openai.clients import KEY, FaultyServer, pixels, saved
from tests.models.openai.server import VLLM, OpenAIServer


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("QBENCH_ENDPOINT_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def vllm() -> Iterator[OpenAIServer]:
    with OpenAIServer(VLLM) as server:
        yield server


@pytest.fixture(scope="module")
def faulty() -> Iterator[FaultyServer]:
    with OpenAIServer(VLLM, key=KEY) as server:
        clients = (Server(server.url, KEY, seconds) for seconds in (20.0, 1.0))
        yield FaultyServer(server, *clients)


@pytest.fixture
def picture(tmp_path: Path) -> Picture:
    return saved(tmp_path / "photo.png", Image.fromarray(pixels()))
