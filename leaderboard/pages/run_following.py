"""A run as the Run page shows it: begun, followed for as long as somebody looks, and its figures once it is through."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gradio as gr

from leaderboard.charts.comparison import draw
from leaderboard.events import log_refusal
from leaderboard.html import compare as compare_text
from leaderboard.html import markup
from leaderboard.html import run as words
from leaderboard.html import run_figures as figures
from leaderboard.html.live import about, not_shown, refusal, watched
from leaderboard.html.markup import Html
from leaderboard.html.run_choices import run_link
from leaderboard.live.disagreements import Disagreement, find_missing, find_worst
from leaderboard.live.on_boards import BoardPosition, position_on_boards
from leaderboard.live.run import FinishedRun
from leaderboard.live.run_records import bundle
from leaderboard.live.run_request import RunRequest
from leaderboard.live.run_service import RunService
from leaderboard.live.service.limits import Visitor
from leaderboard.live.service.messages import Failure
from leaderboard.live.service.open import Live
from leaderboard.pages.run_form import request_of, values_of
from leaderboard.pages.widgets import plotted, unchanged, visitor_of
from leaderboard.settings import Settings
from leaderboard.snapshot import Snapshot
from leaderboard.tables.words import cite
from qbench.errors import UserError

Updates = Iterator[list[Any]]


@dataclass(frozen=True)
class RunFollower:
    """What the page's buttons do."""

    settings: Settings
    current: Callable[[], Snapshot]
    live: Live
    runs: RunService
    shown: dict[str, object] = field(default_factory=dict)
    """Session of a page -> what it shows now; it stops following another run."""

    def begin_by(self, *, anew: bool) -> Callable[..., Updates]:
        """What a button does that begins a run of what the form says; its name comes first."""

        def begin(values: str, request: gr.Request) -> Updates:
            try:
                started = self.runs.start(request_of(values), visitor_of(request), anew=anew)
            except UserError as fault:
                yield [gr.skip(), _refused(fault), *nothing()]
                return
            yield from self.show_named(started, request)

        return begin

    def take_up(self, run: str, request: gr.Request) -> Updates:
        """Go on with a run that was cut off."""
        try:
            self.runs.go_on(run, visitor_of(request))
        except UserError as fault:
            yield [_refused(fault), *nothing()]
            return
        yield from self.follow(run, request)

    def show_named(self, run: str, request: gr.Request) -> Updates:
        """Follow a run where one is named, and name it."""
        if not run:
            yield [gr.skip()] * (2 + len(nothing()))  # Gradio empties what a generator without a value should fill
            return
        for update in self.follow(run, request):
            yield [run, *update]

    def follow(self, run: str, request: gr.Request) -> Updates:
        """Status, results and buttons of a run, until it ends or nobody looks."""
        visitor, rest, this = visitor_of(request), nothing(), object()
        self.shown[visitor.session] = this
        try:
            for kept, state in self.runs.watch(run):
                if self.shown.get(visitor.session) is not this:
                    yield unchanged([*rest, None])  # the status beside the rest
                    return
                chosen, subject = kept.request, words.run_subject(kept.request)
                values = values_of(chosen)
                if state.finished:
                    results, *others = self._closing(visitor, chosen, state.finished)
                    rest = [_about(values, results), *others]
                elif state.ended:
                    rest = [*nothing()[:BUTTONS], *_buttons(go_on=True), None]
                address = f"{self.settings.link or ''}?tab=run&run={kept.id}"
                link = run_link(address, going=not state.ended, here_alone=bool(self.runs.fault))
                status = markup.join(watched(words.run_status(state, kept), subject), link)
                yield [_about(values, status, not_shown(subject)), *rest]
                rest = [gr.skip()] * len(rest)
        except UserError as fault:
            yield [_refused(fault), *nothing()]
        finally:
            if self.shown.get(visitor.session) is this:
                del self.shown[visitor.session]

    def _closing(self, visitor: Visitor, chosen: RunRequest, finished: FinishedRun) -> list[Any]:
        """Figures, where they would stand, disagreements with their pictures, downloads."""
        settings, snapshot = self.settings, self.current()
        folder = self.live.uploads.folder_of(visitor)
        position = position_on_boards(finished, snapshot)
        plot, under = gr.HTML(visible=False), ""
        if isinstance(position, BoardPosition):
            chart = draw(position.profile, above_chance=position.profile.bounds_above_chance is not None)
            plot = plotted(chart)
            table = markup.page(markup.folded("Table", compare_text.figures_table(position.profile)))
            source = cite(position.profile.sources, snapshot.loaded.as_of)
            under = markup.join(markup.under_chart(chart.text, source), table)
        found = find_worst(finished.outcome, chosen.task, finished.dataset) if finished.outcome else []
        pictures = [(disagreement, _copies(disagreement, folder)) for disagreement in found]
        missing = figures.missing(find_missing(finished.outcome) if finished.outcome else [])
        archive = bundle(finished.records, folder / f"{chosen.task}--{chosen.dataset}.zip")
        return [
            markup.join(figures.run_results(finished, chosen.task), figures.run_habits(finished), missing),
            words.board_position(position),
            plot,
            under,
            words.worst(pictures, finished.outcome is not None),
            gr.DownloadButton(value=str(archive), visible=True),
            *_buttons(again=True, put=settings.writes_results, hand_in=True),
            finished.records,
        ]


def nothing() -> list[Any]:
    """The closing parts while a run goes on."""
    hidden = gr.HTML(visible=False)
    archive = gr.DownloadButton(visible=False)
    return ["", "", hidden, "", "", archive, *_buttons(), None]


BUTTONS = 6
"""Place of the first button among the closing parts."""


def _buttons(*, again: bool = False, go_on: bool = False, put: bool = False, hand_in: bool = False) -> list[gr.Button]:
    """Which of the buttons are there, with their labels: an update without one leaves a hidden button blank."""
    labels = ("Run again", "Go on", "Put on my local board", "Hand in to the board")
    return [gr.Button(name, visible=shown) for name, shown in zip(labels, (again, go_on, put, hand_in), strict=True)]


def _about(values: dict[str, Any], content: Html, outdated: str = "") -> Html:
    return about("run", content, outdated=outdated, **values)


def _refused(fault: UserError) -> Html:
    log_refusal(fault, kind="run")
    return refusal(Failure(str(fault)))


def _copies(disagreement: Disagreement, folder: Path) -> list[Path]:
    """Byte for byte, for they are to be looked at closely; the page may not serve files of a dataset itself."""
    copies = []
    for image in map(Path, disagreement.images):
        copy = folder / f"{hashlib.sha256(str(image).encode()).hexdigest()[:12]}{image.suffix}"
        shutil.copyfile(image, copy)
        copies.append(copy)
    return copies
