"""The Leaderboard page: every board, sorted and filtered in the browser (assets/board)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr

from leaderboard.html.markup import BOARD_FILES
from leaderboard.pages.widgets import refused
from leaderboard.snapshot import Snapshot
from leaderboard.tables.payload import answer
from qbench.errors import UserError

MOUNT_BOARDS = """
const root = element.querySelector(".qb-root");
const file = (name) => `${window.gradio_config?.root ?? ""}/gradio_api/file=${props.folder}/${name}`;
Promise.all([import(file("board.js")), import(file("fetched.js"))])
  .then(async ([{ mountBoards }, { boardData }]) => mountBoards(root, await boardData("index"), boardData))
  .catch((fault) => {
    console.error(fault);
    root.textContent = "The board could not be loaded. Reload the page to try again.";
  });
"""


def build(current: Callable[[], Snapshot]) -> None:
    """Add the page and its endpoint; `current` gives the snapshot to show."""

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

    gr.HTML(
        html_template='<div class="qb-root">Loading the board…</div>',
        js_on_load=MOUNT_BOARDS,
        apply_default_css=False,
        folder=BOARD_FILES,
        elem_id="leaderboard",
    )
    gr.api(leaderboard, api_name="leaderboard", concurrency_limit=None)
