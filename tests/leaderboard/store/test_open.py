from __future__ import annotations

from pathlib import Path

from leaderboard.settings import read_settings
from leaderboard.store import Store
from leaderboard.store.hub import HubStore
from leaderboard.store.local import LocalStore
from leaderboard.store.open import open_store


def test_a_folder_unless_a_dataset_is_named(tmp_path: Path) -> None:
    local: Store = open_store(read_settings({}, tmp_path))
    assert local == LocalStore(tmp_path / "submissions")
    named = {"QBENCH_RESULTS_REPO": "lab/results", "QBENCH_PRIVATE_REPO": "lab/private", "HF_TOKEN": "hf_secret"}
    store = open_store(read_settings(named, tmp_path))
    assert isinstance(store, HubStore)
    assert store.private is not None
    assert (store.client.repo, store.private.repo) == ("lab/results", "lab/private")
    assert store.client.token == store.private.token == "hf_secret"
    assert "hf_secret" not in repr(store)
    assert store.load().results == ()
