from __future__ import annotations

from pathlib import Path

import pytest

from leaderboard.settings import read_settings
from leaderboard.store.answers import StudyAnswers
from leaderboard.store.hub import HubStore
from leaderboard.store.local import Store
from leaderboard.store.open import open_store
from qbench.errors import UserError
from tests.hub_double import REPO, TOKEN, Hub
from tests.leaderboard.handed_in import submission


def test_a_folder_unless_a_dataset_is_named(tmp_path: Path) -> None:
    local = open_store(read_settings({}, tmp_path))
    assert (type(local), local.folder) == (Store, tmp_path / "submissions")
    named = {
        "QBENCH_RESULTS_REPO": "lab/results",
        "QBENCH_PRIVATE_REPO": "lab/private",
        "QBENCH_HUB_TOKEN": "hf_secret",
    }
    store = open_store(read_settings(named, tmp_path))
    assert isinstance(store, HubStore)
    assert (store.client.repo, store.private.repo) == ("lab/results", "lab/private")
    assert store.client.token == store.private.token == "hf_secret"
    assert "hf_secret" not in repr(store)
    assert store.load().results == ()


@pytest.mark.parametrize(
    ("named", "taken"),
    [
        ({}, True),
        ({"QBENCH_SUBMISSIONS": "{root}/elsewhere"}, False),
        ({"QBENCH_SUBMISSIONS": "{root}/data/submissions"}, True),
        ({"QBENCH_RESULTS_REPO": "lab/results", "QBENCH_HUB_TOKEN": "hf_x"}, True),
    ],
)
def test_a_space_that_forgets_takes_neither_submissions_nor_answers(
    tmp_path: Path, named: dict[str, str], taken: bool
) -> None:
    """Only a dataset and the persistent storage outlast a restart of a Space."""
    (tmp_path / "data").mkdir()
    environment = {name: value.format(root=tmp_path) for name, value in named.items()}
    on_a_space = read_settings({"SPACE_ID": "lab/board", **environment}, tmp_path / "app", persistent=tmp_path / "data")
    store = open_store(on_a_space)
    assert (store.refuses == "") == taken
    if not taken:
        with pytest.raises(UserError, match="Its owner has to set QBENCH_RESULTS_REPO to a dataset on the Hub"):
            store.add(submission())
        answers = StudyAnswers("a" * 12, "b" * 32, "2026-05-31T12:00:00+00:00", 1.0, ())
        with pytest.raises(UserError, match="Its owner has to set QBENCH_RESULTS_REPO"):
            store.add_answers(answers, lambda _: None)
        assert list(tmp_path.rglob("*.json")) == []
    at_home = open_store(read_settings(environment, tmp_path / "app", persistent=tmp_path / "data"))
    assert at_home.refuses == ""


def test_a_space_with_a_dataset_has_its_submissions_after_a_restart_on_an_empty_disk(
    tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", hub.address)
    named = {"SPACE_ID": "lab/board", "QBENCH_RESULTS_REPO": REPO, "QBENCH_HUB_TOKEN": TOKEN}
    before, after = (open_store(read_settings(named, tmp_path / name)) for name in ("before", "after"))
    kept = before.add(submission()).entry
    before.sync()
    after.sync()
    assert [entry.digest for entry in after.load().entries] == [kept.digest]
