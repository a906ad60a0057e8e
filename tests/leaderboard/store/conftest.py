"""A Hub of one's own, and stores that use it through the real client."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import huggingface_hub
import pytest
from huggingface_hub.utils import _http

from leaderboard.store.folders import place
from leaderboard.store.hub import HubStore
from leaderboard.store.hub_client import HubClient, set_timeouts
from leaderboard.store.local import Store
from leaderboard.store.submission import Submission
from tests.hub_double import REPO, TOKEN, Hub, serve

MakeStore = Callable[..., HubStore]


def path_of(one: Submission) -> str:
    """Where a submission lies in the repository."""
    return place("submissions", one.digest).as_posix()


def models(store: Store) -> list[str]:
    """The models on the board, in order."""
    return [result.model for result in store.load().results]


@pytest.fixture
def secret() -> Hub:
    """The private dataset beside the public one, which nobody has made yet."""
    return Hub(repo=f"{REPO}-private", missing=True)


@pytest.fixture
def hub(secret: Hub) -> Iterator[Hub]:
    made = Hub()
    with serve(made, secret):
        yield made


@pytest.fixture(scope="module")
def shared_client() -> Iterator[None]:
    """The Hub's own client, made once, which takes long: it waits half a second for an answer."""
    set_timeouts(0.5)
    yield
    huggingface_hub.set_client_factory(_http.default_client_factory)


@pytest.fixture
def impatient(shared_client: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """That client waits between its own attempts no more, and no store makes another."""
    monkeypatch.setattr(_http.time, "sleep", lambda _seconds: None)
    monkeypatch.setattr("leaderboard.store.hub.set_timeouts", lambda: None)


@pytest.fixture
def make_store(hub: Hub, tmp_path: Path, impatient: None) -> MakeStore:
    """Stores in folders of their own."""

    def make(name: str = "store", token: str | None = TOKEN) -> HubStore:
        client = HubClient(REPO, token, hub.address)
        return HubStore(tmp_path / name, client, replace(client, repo=f"{REPO}-private", private=True))

    return make
