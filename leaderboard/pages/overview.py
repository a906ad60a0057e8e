"""The Overview page: what the boards say at a glance, drawn in the browser (assets/board/overview.js)."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache

import gradio as gr

from leaderboard.analysis.between_boards import agreements, map_boards
from leaderboard.analysis.overview import boards_with_people, overview_of
from leaderboard.charts.chart import plotly_script
from leaderboard.html.between_boards import between_json
from leaderboard.html.overview import board_json
from leaderboard.settings import Settings
from leaderboard.snapshot import Snapshot
from leaderboard.tables.chance import read_simulated

MOUNT_OVERVIEW = """
const root = element.querySelector(".qb-root");
const file = (path) => `${window.gradio_config?.root ?? ""}/gradio_api/file=${path}`;
import(file(`${props.folder}/overview.js`))
  .then(({ mountOverview }) => mountOverview(root, {
    index: async () => JSON.parse(await server.overview_index(null)),
    board: async (key) => JSON.parse(await server.overview_board(key)),
    between: async () => JSON.parse(await server.overview_between(null)),
    plotly: file(props.plotly),
  }))
  .catch((fault) => {
    console.error(fault);
    root.textContent = "The overview could not be loaded. Reload the page to try again.";
  });
"""


def build(settings: Settings, current: Callable[[], Snapshot]) -> None:
    """Add the page; `current` gives the snapshot to show."""
    simulated = read_simulated(settings.assets / "recomputed" / "chance_2afc.json")

    @lru_cache(maxsize=64)
    def of_board(_revision: str, board: str) -> str:
        snapshot = current()
        with_people = boards_with_people(snapshot.table(known.key) for known in snapshot.boards)
        found = overview_of(snapshot.table(board), simulated, with_people)
        return json.dumps(board_json(found, snapshot.loaded.revision))

    @lru_cache(maxsize=1)
    def of_all(_revision: str) -> str:
        found = map_boards(current(), simulated)
        return json.dumps(between_json(found, agreements(found.scales), current().loaded.revision))

    def overview_index(_: object) -> str:
        return json.dumps(current().index(link=settings.link))

    def overview_board(board: str) -> str:
        return of_board(current().loaded.revision, str(board))

    def overview_between(_: object) -> str:
        return of_all(current().loaded.revision)

    gr.HTML(
        html_template='<div class="qb-root">Loading the overview…</div>',
        js_on_load=MOUNT_OVERVIEW,
        apply_default_css=False,
        server_functions=[overview_index, overview_board, overview_between],
        folder=(settings.assets / "board").as_posix(),
        plotly=plotly_script().as_posix(),
        elem_id="overview",
    )
