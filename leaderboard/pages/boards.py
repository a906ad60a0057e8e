"""The pages on boards, which the browser draws from data (assets/board): Overview, Leaderboard and Model."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import gradio as gr

from leaderboard.analysis.model import AllModels, model_report, read_models
from leaderboard.html.model import model_json
from leaderboard.live.service.live import Live
from leaderboard.pages.widgets import drawn, refused
from leaderboard.settings import Settings
from leaderboard.snapshot import Snapshot
from leaderboard.tables.chance import read_simulated
from leaderboard.tables.payload import answer
from qbench.errors import UserError

OVERVIEW = """page.mountOverview(root, {
  index: () => boardData("index"),
  board: (key) => boardData(`overview-${key}`),
  between: () => boardData("overview"),
  plotly,
})"""
BOARDS = """boardData("index").then((index) => page.mountBoards(root, index, boardData))"""
MODEL = """page.mountModel(root, {
  index: () => boardData("models"),
  model: async (id) => JSON.parse(await server.model_page(id)),
  plotly,
  link: %s,
})"""


def build_overview() -> None:
    """Add the page; the app answers what it fetches from `leaderboard.data_files`."""
    failed = "The overview could not be loaded. Reload the page to try again."
    drawn("overview", OVERVIEW, "Loading the overview…", failed)


def build_leaderboard(current: Callable[[], Snapshot]) -> None:
    """Add the page of all boards and its endpoint; `current` gives the snapshot to show."""

    def leaderboard(board: str = "perception-dev", metric: str = "", part: str = "all") -> dict[str, Any]:
        """One board as a table: every model with its rank, figures, intervals, remarks and sources; and what is not
        ranked: submissions that wait for review, and results of a part of a dataset.

        Args:
            board: Key of a board, e.g. perception-test, assessment, 2afc-coarse, unisim-core.
            metric: Key of one of its metric choices, e.g. srcc; empty for the board's default, "all" for every one.
            part: Key of a dataset, task or sub-category; "all" for every one.
        """
        snapshot = current()
        try:
            table = snapshot.table(board, metric, part)
        except UserError as fault:
            raise refused(str(fault)) from fault
        told = answer(table, snapshot.loaded.revision)
        return {**told, **snapshot.unranked(board).to_json()}

    failed = "The board could not be loaded. Reload the page to try again."
    drawn("board", BOARDS, "Loading the board…", failed, elem_id="leaderboard")
    gr.api(leaderboard, api_name="leaderboard", concurrency_limit=None)


def build_model(settings: Settings, current: Callable[[], Snapshot], live: Live) -> None:
    """Add the page of one model, `?tab=model&model=ID`; `current` gives the snapshot to show."""
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
    drawn("model", MODEL % json.dumps(settings.link), "Loading the model…", failed, [model_page])
