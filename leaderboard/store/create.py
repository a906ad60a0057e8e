"""What a new board needs on the Hub, made by one command: two datasets and a Space. What is there already stays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from huggingface_hub import HfApi, get_token
from huggingface_hub.errors import HfHubHTTPError

from leaderboard.store.hub_client import explain
from qbench.errors import UserError

LEFT_OUT = [".git*", ".venv/*", ".*cache/*", "*__pycache__*", "results/*", "submissions/*"]
TOKENS = "https://huggingface.co/settings/tokens/new?tokenType=fineGrained"


def create_board(space: str, token: str | None, folder: Path) -> Iterator[str]:
    """What was made, line by line.

    Args:
        space: `owner/name` of the Space; its datasets are called after it.
        token: What the Space gets to write to the datasets; without one it is not made yet.
        folder: The clone of this repository, which the Space runs.

    Raises:
        UserError: Nobody is logged in to the Hub here, or the folder is no clone.
        ProviderError: The Hub refuses, or could not be reached.
    """
    if not (folder / "app.py").is_file():
        raise UserError(f"{folder} is no clone of this repository; run the command in one")
    if get_token() is None:
        raise UserError("log in to the Hub first: hf auth login")
    api, results = HfApi(), f"{space}-results"
    at = results
    try:
        api.create_repo(at, repo_type="dataset", exist_ok=True)
        yield f"{at}: a public dataset, for results"
        at = f"{results}-private"
        api.create_repo(at, repo_type="dataset", private=True, exist_ok=True)
        yield f"{at}: a private dataset, for what waits for review"
        if not token:
            yield f"Make a token that may write to these two and their discussions, no more: {TOKENS}"
            yield "Then the Space: QBENCH_HUB_TOKEN=hf_… python -m leaderboard create " + space
            return
        at = space
        api.create_repo(at, repo_type="space", space_sdk="gradio", exist_ok=True)
        api.add_space_secret(at, "QBENCH_HUB_TOKEN", token)
        api.add_space_variable(at, "QBENCH_RESULTS_REPO", results)
        api.add_space_variable(at, "QBENCH_OWNERS", api.whoami()["name"])
        api.upload_folder(repo_id=at, repo_type="space", folder_path=folder, ignore_patterns=LEFT_OUT)
        yield f"{at}: the Space, {api.endpoint}/spaces/{at}"
    except (HfHubHTTPError, OSError) as fault:
        raise explain(fault, at) from fault
