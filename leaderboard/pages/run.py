"""The Run page: a model on a dataset while a visitor watches, then the figures and what lies behind them."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gradio as gr

from leaderboard import compare_text, markup
from leaderboard import run_figures_text as figures
from leaderboard import run_text as words
from leaderboard.charts.comparison import draw
from leaderboard.live.among import Among, place_among
from leaderboard.live.disagreements import Disagreement, find_missing, find_worst
from leaderboard.live.kept import Kept, bundle, put_on_board
from leaderboard.live.limits import Visitor
from leaderboard.live.opening import Live
from leaderboard.live.run import Chosen, Done, State, able, datasets_at_hand, perform
from leaderboard.live_text import empty, refusal
from leaderboard.settings import Settings
from leaderboard.snapshot import Snapshot
from leaderboard.widgets import LIVE, PRIVATE, PRIVATE_LIVE, plotted, visitor_of
from leaderboard.words import cite
from qbench.errors import ProviderError, UserError

KIND = "run"
SIZES = [("The first 20", 20), ("The first 50", 50), ("The first 200", 200), ("All", 0)]


def build(settings: Settings, current: Callable[[], Snapshot], live: Live) -> None:
    """Add the page and its endpoint."""
    gr.HTML(markup.page(markup.paragraph(words.INTRODUCTION, "qb-finding")), apply_default_css=False)
    form, buttons = _form(live)
    finished = gr.State(None)
    start, stop, again = buttons
    shown, board = _results()

    def run(name: str, task: str, dataset: str, size: int, anew: bool, request: gr.Request) -> Iterator[list[Any]]:
        visitor, chosen = visitor_of(request), Chosen(task, dataset, int(size) or None)
        rest = _nothing()
        try:
            for state in _perform(settings, live, visitor, chosen, name, again=anew):
                if state.done:
                    rest = _closing(settings, current(), live, visitor, chosen, state.done)
                yield [words.status(state, chosen, name), *rest]
                rest = [gr.skip()] * len(rest)
        except (UserError, ProviderError) as fault:
            yield [refusal(str(fault)), *_nothing()]

    def cancel(request: gr.Request) -> None:
        live.visits.cancel(visitor_of(request), KIND)

    def put(kept: Kept) -> list[Any]:
        put_on_board(kept, settings.results)
        return [words.on_board(list(kept.results)), gr.Button(visible=False)]

    outputs = [*shown, again, board, finished]
    for button, anew in ((start, False), (again, True)):
        button.click(_with(run, anew), form, outputs, **PRIVATE_LIVE)
    stop.click(cancel, **PRIVATE, queue=False)
    said = gr.HTML(apply_default_css=False, elem_id="run-on-board")
    gr.on([start.click, again.click], lambda: "", outputs=said, **PRIVATE)
    if settings.space is None:  # elsewhere results are handed in, and wait for the owner's word
        board.click(put, finished, [said, board], **PRIVATE)
    _add_endpoint(settings, live)


def _with(run: Callable[..., Iterator[list[Any]]], anew: bool) -> Callable[..., Iterator[list[Any]]]:
    def chosen(name: str, task: str, dataset: str, size: int, request: gr.Request) -> Iterator[list[Any]]:
        yield from run(name, task, dataset, size, anew, request)

    return chosen


def _form(live: Live) -> tuple[list[Any], list[gr.Button]]:
    """What to run, and the buttons."""
    here = datasets_at_hand()
    tasks = list(dict.fromkeys(one.task for one in here))
    first = next(iter(live.models.names), "")
    usual = able(live.models.wants(first) if first else None, tasks)[0]
    by_task = {task: [(one.title, one.name) for one in here if one.task == task] for task in tasks}
    with gr.Row(elem_classes="qb-controls"):
        model = gr.Dropdown(live.models.names, label="Model", elem_id="run-model", min_width=160)
        task = gr.Dropdown(tasks, value=usual, label="Task", elem_id="run-task", min_width=160)
        dataset = gr.Dropdown(by_task[usual], label="Dataset", elem_id="run-dataset", min_width=200)
        size = gr.Dropdown(SIZES, value=0, label="Samples", elem_id="run-size", min_width=140)
    beforehand = gr.HTML(apply_default_css=False, elem_id="run-unable")
    with gr.Row():
        start = gr.Button("Run", variant="primary", elem_id="run-start", min_width=80)
        stop = gr.Button("Stop", elem_id="run-stop", min_width=80)
        again = gr.Button("Run again", visible=False, elem_id="run-again", min_width=80)

    def offer(chosen: str) -> gr.Dropdown:
        choices = by_task.get(chosen, [])
        return gr.Dropdown(choices=choices, value=choices[0][1] if choices else None)

    def warn(name: str | None, chosen: str) -> str:
        wants = live.models.wants(name) if name else None
        can = able(wants, tasks)
        if not name or wants is None or chosen in can:
            return ""
        others = [one for one in live.models.names if chosen in able(live.models.wants(one) or frozenset(), tasks)]
        return words.unable(name, wants, chosen, can, others)

    task.select(offer, task, dataset, **PRIVATE)
    # Of choices that follow each other fast, the last is what it ends with.
    gr.on([model.select, task.select], warn, [model, task], beforehand, trigger_mode="always_last", **PRIVATE)
    return [model, task, dataset, size], [start, stop, again]


def _results() -> tuple[list[Any], gr.Button]:
    """Status; figures beside the radar; disagreements; downloads and the local board."""
    status = gr.HTML(empty(words.EMPTY), apply_default_css=False, elem_id="run-status")
    with gr.Row(equal_height=False):
        with gr.Column(scale=5, min_width=320):
            results = gr.HTML(apply_default_css=False, elem_id="run-results")
        with gr.Column(scale=5, min_width=320):
            standing = gr.HTML(apply_default_css=False, elem_id="run-standing")
            radar = gr.Plot(show_label=False, container=False, visible=False, elem_id="run-radar")
            under = gr.HTML(apply_default_css=False)
    worst = gr.HTML(apply_default_css=False, elem_id="run-worst")
    with gr.Row():
        archive = gr.DownloadButton("Record and raw responses (ZIP)", visible=False, size="sm", elem_id="run-archive")
        board = gr.Button("Put on my local board", visible=False, size="sm", elem_id="run-put")
    return [status, results, standing, radar, under, worst, archive], board


def _nothing() -> list[Any]:
    """The closing parts while a run goes on."""
    hidden = gr.Plot(visible=False)
    archive = gr.DownloadButton(visible=False)
    return ["", "", hidden, "", "", archive, gr.Button(visible=False), gr.Button(visible=False), None]


def _perform(
    settings: Settings, live: Live, visitor: Visitor, chosen: Chosen, name: str, *, again: bool
) -> Iterator[State]:
    with live.visits.begin(visitor, KIND) as work:
        yield from perform(
            chosen, lambda one: live.models.lend(name, one), settings.runs, settings.results, work, again=again
        )


def _closing(
    settings: Settings, snapshot: Snapshot, live: Live, visitor: Visitor, chosen: Chosen, done: Done
) -> list[Any]:
    """Figures, where they would stand, disagreements with their pictures, downloads."""
    folder = live.uploads.folder_of(visitor)
    among = place_among(done, snapshot)
    plot, under = gr.Plot(visible=False), ""
    if isinstance(among, Among):
        chart = draw(among.profile, above_chance=among.profile.bounds_above_chance is not None)
        plot = plotted(chart)
        table = markup.page(markup.folded("Table", compare_text.figures_table(among.profile)))
        under = markup.under_chart(chart.text, cite(among.profile.sources, snapshot.loaded.revision)) + table
    found = find_worst(done.outcome, chosen.task, done.dataset) if done.outcome else []
    missing = figures.missing(find_missing(done.outcome) if done.outcome else [])
    archive = bundle(done.kept, folder / f"{chosen.task}--{chosen.dataset}.zip")
    own = settings.space is None and done.kept.folder != settings.results
    return [
        figures.results(done, chosen.task) + figures.habits(done) + missing,
        words.standing(among),
        plot,
        under,
        words.worst([(one, _copies(one, folder)) for one in found], done.outcome is not None),
        gr.DownloadButton(value=str(archive), visible=True),
        gr.Button(visible=True),
        gr.Button(visible=own),
        done.kept,
    ]


def _copies(one: Disagreement, folder: Path) -> list[Path]:
    """Byte for byte, for they are to be looked at closely; the page may not serve files of a dataset itself."""
    copies = []
    for image in map(Path, one.images):
        copy = folder / f"{hashlib.sha256(str(image).encode()).hexdigest()[:12]}{image.suffix}"
        shutil.copyfile(image, copy)
        copies.append(copy)
    return copies


def _add_endpoint(settings: Settings, live: Live) -> None:
    def run(model: str, task: str, dataset: str, samples: int | None, request: gr.Request) -> Iterator[dict[str, Any]]:
        """Run a model on a dataset, or find the record of the same run; yields how far it is, and the records last.

        Args:
            model: Name of a model of the Run page.
            task: Such as assessment, perception or comparison.
            dataset: Name of a dataset of that task; the demo sets are always here.
            samples: Only the first so many; 0 or no number for all.
        """
        visitor, chosen = visitor_of(request), Chosen(task, dataset, samples or None)
        try:
            for state in _perform(settings, live, visitor, chosen, model, again=False):
                yield {
                    "doing": state.doing,
                    "done": state.progress.done if state.progress else None,
                    "of": state.progress.total if state.progress else None,
                    "failed": state.progress.failed if state.progress else None,
                    "running": state.metric.to_json() if state.metric else None,
                    "ended": state.ended or None,
                    "cached": state.done.cached if state.done else None,
                    "results": [one.to_json() for one in state.done.kept.results.values()] if state.done else None,
                }
        except (UserError, ProviderError) as fault:
            raise gr.Error(str(fault)) from fault

    asked = [*(gr.Textbox(visible=False) for _ in range(3)), gr.Number(precision=0, visible=False)]
    gr.Button(visible=False).click(run, asked, gr.JSON(visible=False), api_name="run", **LIVE)
