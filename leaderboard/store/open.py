"""Settings -> the store of an installation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from leaderboard.settings import Settings
from leaderboard.store.local import Store

FORGETS = (
    "nothing can be handed in here: the next restart of this Space would delete it. Its owner has to set "
    "QBENCH_RESULTS_REPO to a dataset on the Hub"
)

if TYPE_CHECKING:
    from leaderboard.store.hub_runs import HubRuns


def open_store(settings: Settings) -> Store:
    """The folder of submissions or, where a dataset on the Hub is named, that with its copy in the folder."""
    if settings.results_repo is None:
        return Store(settings.submissions, FORGETS if settings.forgets else "")
    from leaderboard.store.hub import HubStore  # its client takes a while to import
    from leaderboard.store.hub_client import HubClient

    private = HubClient(str(settings.private_repo), settings.token, private=True)
    where = f"Decide at {settings.link}?tab=owner" if settings.link else "Decide by `python -m leaderboard review`"
    notice = " ".join([where, *(f"@{owner}" for owner in settings.owners)])
    public = HubClient(settings.results_repo, settings.token)
    return HubStore(settings.submissions / "hub", public, private, notice=notice)


def open_hub_runs(settings: Settings, folder: Path) -> HubRuns | None:
    """Where runs are kept on the Hub, besides in this folder; None where no dataset is named for them."""
    if settings.runs_repo is None:
        return None
    from leaderboard.store.hub_client import HubClient  # takes a while to import
    from leaderboard.store.hub_runs import HubRuns

    client = HubClient(settings.runs_repo, settings.token, private=True)
    return HubRuns(folder, client)
