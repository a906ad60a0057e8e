from __future__ import annotations

from pathlib import Path

import pytest

from leaderboard.settings import read_settings
from qbench.errors import UserError


def test_defaults_lie_under_the_root(tmp_path: Path) -> None:
    settings = read_settings({}, tmp_path)
    assert (settings.assets, settings.results, settings.link) == (tmp_path / "assets", tmp_path / "results", None)


def test_a_space_links_to_its_page_on_the_hub(tmp_path: Path) -> None:
    settings = read_settings({"SPACE_ID": "me/board", "QBENCH_RESULTS": "/data/results"}, tmp_path)
    assert settings.link == "https://huggingface.co/spaces/me/board"
    assert settings.results == Path("/data/results")


def test_the_dataset_for_results_is_named_and_its_token_never_shown(tmp_path: Path) -> None:
    secret = "hf_somethingSecret"
    environment = {
        "QBENCH_RESULTS_REPO": "lab/results",
        "QBENCH_PRIVATE_REPO": "lab/private",
        "HF_TOKEN": secret + "\n",
    }
    settings = read_settings(environment, tmp_path)
    assert (settings.results_repo, settings.private_repo, settings.token) == ("lab/results", "lab/private", secret)
    assert secret not in repr(settings)
    own = read_settings({**environment, "QBENCH_HUB_TOKEN": "hf_other"}, tmp_path)
    assert own.token == "hf_other"


@pytest.mark.parametrize("name", ["results", "a/b/c", "https://huggingface.co/datasets/a/b", "a/b c"])
def test_a_dataset_is_written_as_owner_and_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match="write the dataset as owner/name"):
        read_settings({"QBENCH_RESULTS_REPO": name}, tmp_path)
