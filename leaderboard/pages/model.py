"""The page of one model, drawn in the browser (assets/board/model.js): `?tab=model&model=ID`."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache

from leaderboard.analysis.model import AllModels, model_report, read_models
from leaderboard.html.model import model_json
from leaderboard.live.service.live import Live
from leaderboard.pages.widgets import drawn
from leaderboard.settings import Settings
from leaderboard.snapshot import Snapshot
from leaderboard.tables.chance import read_simulated
from qbench.errors import UserError

MOUNT = """page.mountModel(root, {
  index: () => boardData("models"),
  model: async (id) => JSON.parse(await server.model_page(id)),
  plotly,
  link: %s,
})"""


def build(settings: Settings, current: Callable[[], Snapshot], live: Live) -> None:
    """Add the page; `current` gives the snapshot to show."""
    simulated = read_simulated(settings.assets / "recomputed" / "chance_2afc.json")

    @lru_cache(maxsize=1)
    def everything(_revision: str) -> AllModels:
        return read_models(current(), simulated)

    def model_page(model: str) -> str:
        loaded = current().loaded
        try:
            report = model_report(everything(loaded.revision), str(model))
        except UserError as fault:
            return json.dumps({"missing": str(fault)})
        return json.dumps(model_json(report, loaded.as_of, live.models.names))

    failed = "The page could not be loaded. Reload it to try again."
    drawn("model", MOUNT % json.dumps(settings.link), "Loading the model…", failed, [model_page])
