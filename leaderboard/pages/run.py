"""The Run page: a model on a dataset while a visitor watches, then the figures and what lies behind them."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from leaderboard.charts.comparison import draw
from leaderboard.html import compare as compare_text
from leaderboard.html import markup
from leaderboard.html import run as words
from leaderboard.html import run_figures as figures
from leaderboard.html.live import about, empty, not_shown, refusal, watched
from leaderboard.live.disagreements import Disagreement, find_missing, find_worst
from leaderboard.live.on_boards import BoardPosition, position_on_boards
from leaderboard.live.run import (
    FinishedRun,
    RunRequest,
    RunState,
    available_datasets,
    feasible_tasks,
    run_job,
    run_states,
    to_json,
)
from leaderboard.live.run_records import RunRecords, bundle, put_on_board
from leaderboard.live.service.jobs import stream_job
from leaderboard.live.service.limits import Visitor
from leaderboard.live.service.open import Live
from leaderboard.pages.widgets import CANCELLED, LIVE, PRIVATE, PRIVATE_LIVE, hide_outdated, plotted, visitor_of
from leaderboard.settings import Settings
from leaderboard.snapshot import Snapshot
from leaderboard.tables.words import cite

KIND = "run"
SIZES = [("The first 20", 20), ("The first 50", 50), ("The first 200", 200), ("All", 0)]


def build(settings: Settings, current: Callable[[], Snapshot], live: Live) -> None:
    """Add the page and its endpoint."""
    gr.HTML(markup.page(markup.paragraph(words.INTRODUCTION, "qb-finding")), apply_default_css=False)
    form, buttons = _form(live)
    finished = gr.State(None)
    start, stop, again = buttons
    shown, board = _results()
    hide_outdated("run", **dict(zip(("model", "task", "dataset", "size"), form, strict=True)))

    def run(name: str, task: str, dataset: str, size: int, anew: bool, request: gr.Request) -> Iterator[list[Any]]:
        visitor, chosen = visitor_of(request), RunRequest(task, dataset, int(size) or None)
        about_this = partial(about, "run", model=name, task=task, dataset=dataset, size=int(size))
        subject, rest = words.run_subject(chosen, name), _nothing()
        for state in _states(settings, live, visitor, chosen, name, again=anew):
            if state.failure and state.progress is None:
                yield [about_this(refusal(state.failure)), *_nothing()]
                return
            if state.finished:
                results, *others = _closing(settings, current(), live, visitor, chosen, state.finished)
                rest = [about_this(results), *others]
            status = watched(words.run_status(state, chosen, name), subject)
            yield [about_this(status, outdated=not_shown(subject)), *rest]
            rest = [gr.skip()] * len(rest)

    def cancel(request: gr.Request) -> None:
        live.visits.cancel(visitor_of(request), KIND)

    def put(records: RunRecords) -> list[Any]:
        put_on_board(records, settings.results)
        return [words.on_board(list(records.results)), gr.Button(visible=False)]

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
    here = available_datasets()
    tasks = list(dict.fromkeys(dataset.task for dataset in here))
    first = next(iter(live.models.names), "")
    usual = feasible_tasks(live.models.wants(first) if first else None, tasks)[0]
    by_task = {task: [(dataset.title, dataset.name) for dataset in here if dataset.task == task] for task in tasks}
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
        can = feasible_tasks(wants, tasks)
        if not name or wants is None or chosen in can:
            return ""
        offered = {other: live.models.wants(other) or frozenset() for other in live.models.names}
        others = [other for other in offered if chosen in feasible_tasks(offered[other], tasks)]
        return words.unable(name, wants, chosen, can, others)

    task.select(offer, task, dataset, **PRIVATE)
    # Of choices that follow each other fast, the last is what it ends with.
    gr.on([model.select, task.select], warn, [model, task], beforehand, trigger_mode="always_last", **PRIVATE)
    return [model, task, dataset, size], [start, stop, again]


def _results() -> tuple[list[Any], gr.Button]:
    """Status; figures beside the radar; disagreements; downloads and the local board."""
    status = gr.HTML(empty(words.EMPTY), apply_default_css=False, elem_id="run-status")
    with gr.Column(elem_classes="qb-found"):
        with gr.Row(equal_height=False):
            with gr.Column(scale=5, min_width=320):
                results = gr.HTML(apply_default_css=False, elem_id="run-results")
            with gr.Column(scale=5, min_width=320):
                standing = gr.HTML(apply_default_css=False, elem_id="run-standing")
                radar = gr.Plot(show_label=False, container=False, visible=False, elem_id="run-radar")
                under = gr.HTML(apply_default_css=False)
        worst = gr.HTML(apply_default_css=False, elem_id="run-worst")
        with gr.Row():
            archive = gr.DownloadButton(
                "Record and raw responses (ZIP)", visible=False, size="sm", elem_id="run-archive"
            )
            board = gr.Button("Put on my local board", visible=False, size="sm", elem_id="run-put")
    return [status, results, standing, radar, under, worst, archive], board


def _nothing() -> list[Any]:
    """The closing parts while a run goes on."""
    hidden = gr.Plot(visible=False)
    archive = gr.DownloadButton(visible=False)
    return ["", "", hidden, "", "", archive, gr.Button(visible=False), gr.Button(visible=False), None]


def _states(
    settings: Settings, live: Live, visitor: Visitor, chosen: RunRequest, name: str, *, again: bool
) -> Iterator[RunState]:
    job = run_job(chosen, lambda work: live.models.lend(name, work), settings.runs, settings.results, again=again)
    return run_states(stream_job(live, visitor, KIND, job))


def _closing(
    settings: Settings, snapshot: Snapshot, live: Live, visitor: Visitor, chosen: RunRequest, finished: FinishedRun
) -> list[Any]:
    """Figures, where they would stand, disagreements with their pictures, downloads."""
    folder = live.uploads.folder_of(visitor)
    position = position_on_boards(finished, snapshot)
    plot, under = gr.Plot(visible=False), ""
    if isinstance(position, BoardPosition):
        chart = draw(position.profile, above_chance=position.profile.bounds_above_chance is not None)
        plot = plotted(chart)
        table = markup.page(markup.folded("Table", compare_text.figures_table(position.profile)))
        source = cite(position.profile.sources, snapshot.loaded.revision)
        under = markup.join(markup.under_chart(chart.text, source), table)
    found = find_worst(finished.outcome, chosen.task, finished.dataset) if finished.outcome else []
    pictures = [(disagreement, _copies(disagreement, folder)) for disagreement in found]
    missing = figures.missing(find_missing(finished.outcome) if finished.outcome else [])
    archive = bundle(finished.records, folder / f"{chosen.task}--{chosen.dataset}.zip")
    own = settings.space is None and finished.records.folder != settings.results
    return [
        markup.join(figures.run_results(finished, chosen.task), figures.run_habits(finished), missing),
        words.board_position(position),
        plot,
        under,
        words.worst(pictures, finished.outcome is not None),
        gr.DownloadButton(value=str(archive), visible=True),
        gr.Button(visible=True),
        gr.Button(visible=own),
        finished.records,
    ]


def _copies(disagreement: Disagreement, folder: Path) -> list[Path]:
    """Byte for byte, for they are to be looked at closely; the page may not serve files of a dataset itself."""
    copies = []
    for image in map(Path, disagreement.images):
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
        visitor, chosen, ended = visitor_of(request), RunRequest(task, dataset, samples or None), False
        for state in _states(settings, live, visitor, chosen, model, again=False):
            if state.failure and state.progress is None:
                raise gr.Error(state.failure.sentence)
            ended = state.ended
            yield to_json(state)
        if not ended:
            raise gr.Error(CANCELLED)

    asked = [*(gr.Textbox(visible=False) for _ in range(3)), gr.Number(precision=0, visible=False)]
    gr.Button(visible=False).click(run, asked, gr.JSON(visible=False), api_name="run", **LIVE)
