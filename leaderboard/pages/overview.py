"""The Overview page: what the boards say at a glance, drawn in the browser (assets/board/overview.js)."""

from __future__ import annotations

import gradio as gr

from leaderboard.charts.chart import plotly_script
from leaderboard.html.markup import BOARD_FILES

MOUNT_OVERVIEW = """
const root = element.querySelector(".qb-root");
const file = (path) => `${window.gradio_config?.root ?? ""}/gradio_api/file=${path}`;
Promise.all([import(file(`${props.folder}/overview.js`)), import(file(`${props.folder}/fetched.js`))])
  .then(([{ mountOverview }, { boardData }]) => mountOverview(root, {
    index: () => boardData("index"),
    board: (key) => boardData(`overview-${key}`),
    between: () => boardData("overview"),
    plotly: file(props.plotly),
  }))
  .catch((fault) => {
    console.error(fault);
    root.textContent = "The overview could not be loaded. Reload the page to try again.";
  });
"""


def build() -> None:
    """Add the page; its data is what `leaderboard.http.cache` answers."""
    gr.HTML(
        html_template='<div class="qb-root">Loading the overview…</div>',
        js_on_load=MOUNT_OVERVIEW,
        apply_default_css=False,
        folder=BOARD_FILES,
        plotly=plotly_script().name,
        elem_id="overview",
    )
