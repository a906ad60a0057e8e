"""The page of one model, drawn in the browser (assets/board/model.js): `?tab=model&model=ID`."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache

import gradio as gr

from leaderboard.analysis.model import AllModels, model_report, read_models
from leaderboard.charts.chart import plotly_script
from leaderboard.html.markup import BOARD_FILES
from leaderboard.html.model import model_json
from leaderboard.live.service.open import Live
from leaderboard.settings import Settings
from leaderboard.snapshot import Snapshot
from leaderboard.tables.chance import read_simulated
from qbench.errors import UserError

MOUNT_MODEL = """
const root = element.querySelector(".qb-root");
const file = (path) => `${window.gradio_config?.root ?? ""}/gradio_api/file=${path}`;
Promise.all(["model", "fetched"].map((name) => import(file(`${props.folder}/${name}.js`))))
  .then(([{ mountModel }, { boardData }]) => mountModel(root, {
    index: () => boardData("models"),
    model: async (id) => JSON.parse(await server.model_page(id)),
    plotly: file(props.plotly),
    link: props.link,
  }))
  .catch((fault) => {
    console.error(fault);
    root.textContent = "The page could not be loaded. Reload it to try again.";
  });
"""


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

    gr.HTML(
        html_template='<div class="qb-root">Loading the model…</div>',
        js_on_load=MOUNT_MODEL,
        apply_default_css=False,
        server_functions=[model_page],
        folder=BOARD_FILES,
        plotly=plotly_script().name,
        link=settings.link,
        elem_id="model",
    )
