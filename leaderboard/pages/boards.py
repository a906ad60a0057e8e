"""The pages that the browser draws from data (assets/board): Overview, Leaderboard, Model, Compare, Bias and
Answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import gradio as gr

from leaderboard.analysis.compare import MOST_MODELS, best_models, compare_models, comparison_json, find_models
from leaderboard.analysis.findings import find_habits
from leaderboard.analysis.model import model_report
from leaderboard.html.compare import comparison_page
from leaderboard.html.habits import findings_json
from leaderboard.html.model import model_json
from leaderboard.live.service.live import Live
from leaderboard.pages.asking import given_names
from leaderboard.pages.widgets import drawn
from leaderboard.settings import Settings
from leaderboard.snapshot import Snapshot
from leaderboard.tables.payload import answer
from qbench.errors import UserError

MOST_NAMED = 100
"""Models that a link names."""
OVERVIEW = "page.mountOverview(root, boardData, plotly)"
BOARDS = """boardData("index").then((index) => page.mountBoards(root, index, boardData))"""
MODEL = """page.mountModel(root, {
  index: () => boardData("models"),
  model: async (id) => JSON.parse(await server.model_page(id)),
  plotly,
  link: %s,
})"""
COMPARE = """page.mountCompare(root, {
  index: () => boardData("index"),
  comparison: async (asked) => JSON.parse(await server.comparison(asked)),
  plotly,
  link: %s,
})"""
ANSWERS = """page.mountAnswers(root, {
  index: () => boardData("answers"),
  set: (key) => boardData(`answers-${key}`),
  photo: (name) => `${window.gradio_config?.root ?? ""}/demo-photo/${encodeURIComponent(name)}`,
  link: %s,
})"""
BIAS = """page.mountBias(root, { bias: () => boardData("bias"), plotly, link: %s })"""


def build_overview() -> None:
    """Add the page; the app answers what it fetches from `leaderboard.data_files`."""
    failed = "The charts could not be loaded. Reload the page to try again."
    drawn("overview", OVERVIEW, "Loading the overview…", failed=failed)


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
        table = snapshot.table(board, metric, part)
        told = answer(table, snapshot.loaded.revision)
        return {**told, **snapshot.unranked(board).to_json()}

    drawn("board", BOARDS, "Loading the board…", elem_id="leaderboard")
    gr.api(leaderboard, api_name="leaderboard", concurrency_limit=None)


def build_model(
    settings: Settings,
    current: Callable[[], Snapshot],
    live: Live,
    hub_files: Callable[[Snapshot], Mapping[str, str]] = lambda _: {},
) -> None:
    """Add the page of one model, `?tab=model&model=ID`.

    Args:
        settings: Where links start.
        current: Gives the snapshot to show.
        live: Models that visitors may ask.
        hub_files: Gives the files that bring figures to the Hub, by `owner/name/path`.
    """
    files_of = lru_cache(maxsize=1)(hub_files)

    def model_page(model: str) -> str:
        snapshot = current()
        try:
            report = model_report(snapshot, str(model))
        except UserError as fault:
            return json.dumps({"missing": str(fault)})
        return json.dumps(model_json(report, snapshot.loaded.as_of, live.models.names, hub_files=files_of(snapshot)))

    drawn("model", MODEL % json.dumps(settings.link), "Loading the model…", [model_page])


def build_compare(settings: Settings, current: Callable[[], Snapshot]) -> None:
    """Add the page of two to six models side by side and its endpoint; `current` gives the snapshot to show."""

    def compare(board: str, models: list[str] | None, metric: str = "") -> dict[str, Any]:
        """Models side by side on one board: figures, chance levels, and every difference with its verdict.

        Args:
            board: Key of a board, e.g. perception-test, assessment, 2afc-coarse, unisim-core.
            models: Names or ids of two to six models.
            metric: Kind of figure where the board offers a choice, e.g. srcc; empty for its default.
        """
        profile = compare_models(current(), board, given_names(models or [], "models"), metric)
        return comparison_json(profile, current().loaded.revision)

    def comparison(asked: dict[str, Any]) -> str:
        """What the page shows of the models that it names, the best of the board where it names none that is known."""
        if not isinstance(asked, dict):
            raise UserError("a comparison has a board and models")
        snapshot, board, given = current(), str(asked.get("board")), asked.get("models")
        try:
            named = find_models(snapshot, board, given_names(given or [], "models")[:MOST_NAMED])
            if not named.known and given != []:
                best = find_models(snapshot, board, best_models(snapshot, board))
                named = named._replace(known=best.known)
            chosen = [model.id for model in named.known[:MOST_MODELS]]
            table, metric = snapshot.table(board), str(asked.get("metric"))
            metric = metric if metric in table.board.chart_layout.metrics else ""
            profile = compare_models(snapshot, board, chosen, metric)
        except UserError as fault:
            return json.dumps({"missing": str(fault)})
        ranked = [row.model for row in table.ranked.values()]
        return json.dumps(comparison_page(profile, named, ranked, snapshot.loaded.as_of))

    drawn("compare", COMPARE % json.dumps(settings.link), "Loading the comparison…", [comparison])
    gr.api(compare, api_name="compare", concurrency_limit=None)


def build_answers(settings: Settings) -> None:
    """Add the page of all answers, `?tab=answers&of=SET&by=IDS`; the app answers what it fetches."""
    drawn("answers", ANSWERS % json.dumps(settings.link), "Loading the answers…")


def build_bias(settings: Settings, current: Callable[[], Snapshot]) -> None:
    """Add the page of answer habits and its endpoint; `current` gives the snapshot to show."""

    def bias() -> dict[str, Any]:
        """Answer habits: preferring Yes, a position or a good word, and correlations that chance alone explains."""
        return findings_json(find_habits(current()))

    drawn("bias", BIAS % json.dumps(settings.link), "Loading the habits…")
    gr.api(bias, api_name="bias", concurrency_limit=None)
