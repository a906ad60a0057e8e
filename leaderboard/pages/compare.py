"""The Compare page: two to six models of one board side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr

from leaderboard.analysis.compare import MOST_MODELS, Profile, best_models, compare_models, comparison_json, find_models
from leaderboard.charts.comparison import draw
from leaderboard.html import compare as words
from leaderboard.html import markup
from leaderboard.pages.widgets import (
    ARRIVES,
    AWAITED,
    KEEP_ADDRESS,
    LATEST,
    LINK_BUTTON,
    PRIVATE,
    add_plot,
    given_names,
    plotted,
    refused,
)
from leaderboard.settings import Settings
from leaderboard.snapshot import Snapshot
from leaderboard.tables.chance import read_simulated
from leaderboard.tables.columns import Board
from leaderboard.tables.view import PageView, from_query, to_query
from leaderboard.tables.words import cite, named_metric
from qbench.errors import UserError

ABOVE, RAW = "above", "raw"
RADAR, DOTS = "radar", "dots"


def build(settings: Settings, current: Callable[[], Snapshot]) -> None:
    """Add the page and its endpoint; `current` gives the snapshot to show."""
    simulated = read_simulated(settings.assets / "recomputed" / "chance_2afc.json")

    def profile(board: str, models: list[str], metric: str) -> Profile:
        try:
            return compare_models(current(), board, models, metric, simulated)
        except UserError as fault:
            raise refused(str(fault)) from fault

    def suit(board: str, models: list[str], metric: str | None, mode: str = "", form: str = "") -> list[Any]:
        """Choices that suit a board, keeping what can be kept."""
        shown = profile(board, models, "")
        drawn_as = gr.Radio(visible=shown.suits_radar, **({"value": form} if form else {}))
        return [*_choices(current(), shown, models, metric, mode), drawn_as]

    def restore(event: gr.EventData) -> list[Any]:
        """The state that the address asks for, or the best models of its board."""
        query = dict(event.query)
        view = from_query(query, current().boards)
        board = view.board or current().boards[0].key
        named = find_models(current(), board, view.models)
        models = [model.id for model in named.known[:MOST_MODELS]] or best_models(current(), board)
        notice = words.models_left_out(named)
        form = DOTS if query.get("chart") == DOTS else RADAR
        return [_offer(current(), board), *suit(board, models, view.metric, query.get("radar", ""), form), notice]

    def show(board: str, models: list[str], metric: str | None, mode: str, form: str) -> list[Any]:
        """Chart, what stands under it, differences, figures, and the address."""
        made = profile(board, models, metric or "")
        query = to_query(PageView(tab="compare", board=board, metric=metric or "", models=tuple(models)))
        query |= {} if mode == _usual(made) else {"radar": mode}
        query |= {"chart": DOTS} if form == DOTS and made.suits_radar else {}
        address = {"query": query, "base": settings.link}
        if not made.models:
            return [words.title(made.board), gr.HTML(visible=False), words.empty_page(made), "", "", address]
        above = mode == ABOVE and made.bounds_above_chance is not None
        chart = draw(made, above, as_dots=form == DOTS) if made.has_marks else None
        plot = plotted(chart, [named_metric(kind) for kind in made.choices])
        source = cite(made.sources, current().loaded.as_of)
        under = markup.under_chart(chart.text, source) if chart else words.no_chart(made, source)
        figures = markup.page(words.figures_table(made))
        return [words.title(made.board), plot, under, words.tables(made), figures, address]

    def compare(board: str, models: list[str] | None, metric: str = "") -> dict[str, Any]:
        """Models side by side on one board: figures, chance levels, and every difference with its verdict.

        Args:
            board: Key of a board, e.g. perception-test, assessment, 2afc-coarse, unisim-core.
            models: Names or ids of two to six models.
            metric: Kind of figure where the board offers a choice, e.g. srcc; empty for its default.
        """
        return comparison_json(profile(board, given_names(models or [], "models"), metric), current().loaded.revision)

    with gr.Column(elem_classes=ARRIVES):
        title = gr.HTML(AWAITED, apply_default_css=False, elem_id="compare-title")
        state, place = _controls([(_title(board), board.key) for board in current().boards], settings)
        notice = gr.HTML(apply_default_css=False, elem_id="compare-notice")
        page = [title, *_results(), place]
    opened = place.open(restore, outputs=[*state, notice], **PRIVATE)
    # Not `input`, which a dropdown also sends when it is left unchanged: its answer would undo the next choice.
    changed = state[0].select(suit, inputs=state[:3], outputs=state[1:], **LATEST)
    for step in (opened, changed):
        step.then(show, inputs=state, outputs=page, **LATEST)
    inputs = [control.input for control in state[1:]]
    gr.on(inputs, show, inputs=state, outputs=page, **LATEST)
    gr.on([state[0].select, *inputs], None, outputs=notice, js="() => ''", api_visibility="private")
    gr.api(compare, api_name="compare", concurrency_limit=None)


def _offer(snapshot: Snapshot, chosen: str) -> gr.Dropdown:
    """Boards by what they answer, without those that hold nothing, unless a link asks for one."""
    there = [board for board in snapshot.boards if board.key == chosen or not snapshot.is_empty(board.key)]
    return gr.Dropdown(choices=[(_title(board), board.key) for board in there], value=chosen)


def _title(board: Board) -> str:
    return f"{board.question} · {board.title}" if board.question else board.title


def _choices(snapshot: Snapshot, shown: Profile, models: list[str], metric: str | None, mode: str) -> list[Any]:
    """Updates of the models, the kind of figure and whether chance is subtracted."""
    table = snapshot.table(shown.board.key)
    names = {name: row.model.name for name, row in table.ranked.items()}
    names |= {model.id: model.name for model in (*shown.models, *shown.absent, *shown.without_figures)}
    kinds = [(named_metric(metric), metric.key) for metric in shown.choices]
    kept = metric if metric in [key for _, key in kinds] else shown.metric.key
    return [
        gr.Dropdown(
            choices=[(name, key) for key, name in names.items()], value=[model for model in models if model in names]
        ),
        gr.Radio(choices=kinds, value=kept if kinds else None, visible=len(kinds) > 1),
        gr.Radio(value=mode if mode in (ABOVE, RAW) else _usual(shown), visible=shown.bounds_above_chance is not None),
    ]


def _usual(profile: Profile) -> str:
    """Chance is subtracted where a board prints its random guess, as in Q-Bench Fig. 9."""
    return ABOVE if any(reference.kind == "reference" for reference in profile.references) else RAW


def _controls(boards: list[tuple[str, str]], settings: Settings) -> tuple[list[gr.Dropdown | gr.Radio], gr.HTML]:
    """Board, models, kind of figure, what is drawn and how; and the button that knows the address."""
    with gr.Row(elem_classes="qb-controls"):
        board = gr.Dropdown(boards, value=boards[0][1], label="Board", scale=2, min_width=420, elem_id="compare-board")
        models = gr.Dropdown(
            [],
            value=[],
            multiselect=True,
            max_choices=MOST_MODELS,
            label="Models, two to six",
            scale=3,
            min_width=320,
            elem_id="compare-models",
        )
    with gr.Row(elem_classes="qb-controls"):
        metric = gr.Radio([], label="Figure", visible=False, container=False, min_width=240, elem_id="compare-metric")
        mode = gr.Radio(
            [("Chance subtracted", ABOVE), ("As it is", RAW)],
            value=ABOVE,
            label="Chart",
            container=False,
            min_width=240,
            elem_id="compare-mode",
        )
        form = gr.Radio(
            [("Radar", RADAR), ("Dots with intervals", DOTS)],
            value=RADAR,
            label="Drawn as",
            container=False,
            min_width=240,
            elem_id="compare-form",
        )
        place = gr.HTML(
            {"query": {}, "base": settings.link},
            html_template=LINK_BUTTON,
            js_on_load=KEEP_ADDRESS % "compare",
            apply_default_css=False,
            min_width=96,
            folder=markup.BOARD_FILES,
            elem_id="compare-link",
        )
    return [board, models, metric, mode, form], place


def _results() -> tuple[gr.HTML, gr.HTML, gr.HTML, gr.HTML]:
    """Chart, what stands under it, differences beside it where both fit, and all figures below."""
    with gr.Row():
        with gr.Column(min_width=520):
            plot = add_plot("compare-plot", "The models side by side")
            under = gr.HTML(apply_default_css=False)
        with gr.Column(min_width=520):
            differences = gr.HTML(apply_default_css=False, elem_id="compare-differences")
    figures = gr.HTML(apply_default_css=False, elem_id="compare-figures")
    return plot, under, differences, figures
