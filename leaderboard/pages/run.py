"""The Run page: a model on a dataset while a visitor watches, then the figures and what lies behind them."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from leaderboard.charts.comparison import draw
from leaderboard.events import log_refusal
from leaderboard.html import compare as compare_words
from leaderboard.html import markup
from leaderboard.html import run as words
from leaderboard.html import run_figures as figures
from leaderboard.html import submit as submit_words
from leaderboard.html.live import about, empty, not_done, not_shown, refusal, watched
from leaderboard.live.run import (
    BoardPosition,
    Disagreement,
    FinishedRun,
    RunState,
    find_missing,
    find_worst,
    position_on_boards,
    to_json,
)
from leaderboard.live.run_files import KeptRun, RunRecords, bundle
from leaderboard.live.run_request import RunRequest, with_choices
from leaderboard.live.run_service import RunService
from leaderboard.live.service.limits import Visitor
from leaderboard.live.service.live import Live
from leaderboard.pages import asking, widgets
from leaderboard.pages.run_form import AS_SENT, NAMES, RunForm, request_of, values_of
from leaderboard.pages.widgets import Update
from leaderboard.settings import Settings
from leaderboard.snapshot import Snapshot
from leaderboard.submissions.service import SubmissionService
from leaderboard.tables.words import cite
from qbench.errors import UserError


def build(
    settings: Settings, current: Callable[[], Snapshot], live: Live, runs: RunService, submissions: SubmissionService
) -> None:
    widgets.html(markup.opening(words.TITLE, words.INTRODUCTION))
    RunPage(settings, current, live, runs, submissions).connect()
    _add_endpoint(runs)


class RunPage:
    """The parts of the page, and what its buttons do: begin a run, follow it, go on with it, hand it in."""

    def __init__(
        self,
        settings: Settings,
        current: Callable[[], Snapshot],
        live: Live,
        runs: RunService,
        submissions: SubmissionService,
    ) -> None:
        self.settings, self.current, self.live = settings, current, live
        self.runs, self.submissions = runs, submissions
        self.shown: dict[str, object] = {}
        """Session of a page -> what it shows now; it stops following another run."""
        self.form = RunForm(live.models)
        with gr.Row():
            self.start = gr.Button("Run", variant="primary", elem_id="run-start", size="md", min_width=80)
            self.stop, self.again, self.go_on = (
                gr.Button(label, visible=False, elem_id=f"run-{key}", size="md", min_width=80)
                for label, key in (("Stop", "stop"), ("Run again", "again"), ("Go on", "go-on"))
            )
        self.name = gr.Textbox(visible=False)
        """Names the run that is followed."""
        self.opened = widgets.html(js_on_load=widgets.opened_with("run", "run"))
        self.status = widgets.html(empty(words.EMPTY), "run-status")
        with gr.Column(elem_classes="qb-found"):
            with gr.Row(equal_height=False):
                with gr.Column(scale=5, min_width=320):
                    self.results = widgets.html("", "run-results")
                with gr.Column(scale=5, min_width=320):
                    self.standing = widgets.html("", "run-standing")
                    self.radar = widgets.add_plot("run-radar", "Beside the models of the board", visible=False)
                    self.under = widgets.html()
            self.worst = widgets.html("", "run-worst")
            with gr.Row():
                self.archive = gr.DownloadButton(
                    "Record and raw responses (ZIP)", visible=False, size="sm", elem_id="run-archive"
                )
                self.hand_in = gr.Button("Submit to the board", visible=False, size="sm", elem_id="run-hand-in")
            if settings.login:
                gr.LoginButton(size="sm", elem_id="run-login")
        self.finished = gr.State(None)
        self.said = widgets.html("", "run-on-board", js_on_load=widgets.COPY)

    def connect(self) -> None:
        form, name = self.form, self.name
        widgets.hide_outdated("run", **dict(zip(NAMES, form.inputs, strict=True)))
        found = [self.results, self.standing, self.radar, self.under, self.worst, self.archive, self.finished]
        outputs = [self.status, *found, self.again, self.go_on, self.hand_in, name, self.stop]
        for button, anew in ((self.start, False), (self.again, True)):
            button.click(self.begin_by(anew=anew), form.inputs, outputs, **AS_SENT, **asking.REPLACING)
        self.go_on.click(self.take_up, name, outputs, **asking.REPLACING)
        self.stop.click(lambda run: self.runs.stop(run) if run else None, name, **widgets.PRIVATE, queue=False)
        name.change(None, name, js=widgets.to_address("run", "run"), **widgets.PRIVATE)
        gr.on([self.start.click, self.again.click], lambda: "", outputs=self.said, **widgets.PRIVATE)
        self.opened.open(self.show_named, outputs=[*form.shown, *outputs], **asking.PRIVATE_LIVE)
        self.hand_in.click(self.hand, self.finished, [self.said, self.hand_in], **widgets.PRIVATE)

    def begin_by(self, *, anew: bool) -> Callable[..., Iterator[Any]]:
        """What a button does that begins a run of what the form says."""

        def begin(request: gr.Request, *values: Any) -> Iterator[Any]:
            visitor = asking.visitor_of(request)
            yield from self.follow(visitor, lambda: self.runs.start(request_of(*values), visitor, anew=anew))

        return begin

    def take_up(self, run: str, request: gr.Request) -> Iterator[Any]:
        visitor = asking.visitor_of(request)
        yield from self.follow(visitor, lambda: self.runs.go_on(run, visitor))

    def show_named(self, event: gr.EventData, request: gr.Request) -> Iterator[Any]:
        """Follow the run that the address names, and have the form say what it is of."""
        run = str(event.run or "")
        if not run:
            yield gr.skip()
            return
        with suppress(UserError):
            yield self.form.show(self.runs.request(run))
        yield from self.follow(asking.visitor_of(request), lambda: run)

    def follow(self, visitor: Visitor, begin: Callable[[], str]) -> Iterator[Any]:
        """Status, results and buttons of the run that begins, until it ends or nobody looks."""
        try:
            view = partial(self._view, visitor)
            yield from asking.follow(self.shown, visitor.session, self.runs.watch(begin()), view)
        except UserError as fault:
            log_refusal(fault, kind="run")
            yield {**self._nothing(), self.status: refusal(fault)}

    def _view(self, visitor: Visitor, now: tuple[KeptRun, RunState]) -> Update:
        kept, state = now
        subject, address = words.run_subject(kept.request), f"{self.settings.link or ''}?tab=run&run={kept.id}"
        link = words.run_link(address, going=not state.ended, here_alone=bool(self.runs.fault))
        status = markup.join(watched(words.run_status(state, kept), subject), link)
        return {
            **self._nothing(),
            **(self._closing(visitor, kept.request, state.result) if state.result else {}),
            **(self._buttons(self.go_on) if state.ended and not state.result else {}),
            self.name: kept.id,
            self.status: about("run", status, outdated=not_shown(subject), **values_of(kept.request)),
            self.stop: gr.Button(visible=not state.ended),
        }

    def _nothing(self) -> Update:
        """Nothing but the status, while a run goes on."""
        return {
            **dict.fromkeys((self.results, self.standing, self.under, self.worst), ""),
            self.radar: gr.HTML(visible=False),
            self.archive: gr.DownloadButton(visible=False),
            **self._buttons(),
            self.finished: None,
        }

    def _buttons(self, *there: gr.Button) -> Update:
        """Which buttons are there, with their labels: an update without one leaves a hidden button blank."""
        every = (self.again, self.go_on, self.hand_in)
        return {button: gr.Button(button.value, visible=button in there) for button in every}

    def _closing(self, visitor: Visitor, chosen: RunRequest, finished: FinishedRun) -> Update:
        """Figures, where they would stand, disagreements with their pictures, downloads."""
        snapshot, folder = self.current(), self.live.uploads.folder_of(visitor)
        position = position_on_boards(finished, snapshot)
        found = find_worst(finished.outcome, chosen.task, finished.dataset) if finished.outcome else []
        pictures = [(disagreement, _copies(disagreement, folder)) for disagreement in found]
        missing = figures.missing(find_missing(finished.outcome) if finished.outcome else [])
        results = markup.join(figures.run_results(finished, chosen.task), figures.run_habits(finished), missing)
        archive = bundle(finished.records, folder / f"{chosen.task}--{chosen.dataset}.zip")
        update: Update = {
            self.results: about("run", results, **values_of(chosen)),
            self.standing: words.board_position(position),
            self.worst: words.worst(pictures, finished.outcome is not None),
            self.archive: gr.DownloadButton(value=str(archive), visible=True),
            **self._buttons(self.again, self.hand_in),
            self.finished: finished.records,
        }
        if isinstance(position, BoardPosition):
            profile = position.profile
            chart = draw(profile, above_chance=profile.bounds_above_chance is not None)
            table = markup.page(markup.folded("Table", compare_words.figures_table(profile)))
            source = markup.under_chart(chart.text, cite(profile.sources, snapshot.loaded.as_of))
            update |= {self.radar: widgets.plotted(chart), self.under: markup.join(source, table)}
        return update

    def hand(self, profile: gr.OAuthProfile | None, request: gr.Request, records: RunRecords | None) -> Any:
        """Hand the run in; Gradio fills in the profile of whoever is logged in."""
        account = profile.username if profile else None
        if records is None:
            return gr.skip()
        try:
            if self.settings.login and account is None:
                raise UserError("log in first, with the button beside this one; results are handed in by an account")
            archive = bundle(records, self.live.uploads.folder_of(asking.visitor_of(request)) / "run.zip")
            model = next(iter(records.results.values())).model
            receipt = self.submissions.submit_run(archive, model, account, asking.visitor_of(request).senders)
        except UserError as fault:
            return {self.said: submit_words.not_handed_in(fault)}
        told = submit_words.handed_in(receipt, self.submissions.link)
        return {self.said: told, self.hand_in: gr.Button(visible=False)}


def _copies(disagreement: Disagreement, folder: Path) -> list[Path]:
    """Byte for byte, for they are to be looked at closely; the page may not serve files of a dataset itself."""
    copies = []
    for image in map(Path, disagreement.images):
        copy = folder / f"{hashlib.sha256(str(image).encode()).hexdigest()[:12]}{image.suffix}"
        shutil.copyfile(image, copy)
        copies.append(copy)
    return copies


def _add_endpoint(runs: RunService) -> None:
    def run(
        model: str,
        task: str,
        dataset: str,
        request: gr.Request,
        samples: int = 0,
        judge: str = "",
        choices: str = "",
    ) -> Iterator[dict[str, Any]]:
        """Run a model on a dataset, or find the record of the same run; yields how far it is, and the records last.

        Args:
            model: Name of a model of the Run page.
            task: Such as assessment, perception or comparison.
            dataset: Name of a dataset of that task; the demo sets are always here.
            samples: Only the first so many; 0 or no number for all. Of a dataset that is here in part the rest is left
                out, and the record says how much.
            judge: Name of a model that grades or reads the replies; empty for none.
            choices: JSON with what else the command line takes, such as {"mode": "levels"}.
        """
        plain, ended = RunRequest(task, dataset, samples or None, model, judge or None), False
        name = runs.start(with_choices(plain, choices or ""), asking.visitor_of(request))
        try:
            for kept, state in runs.watch(name):
                if state.failure and state.progress is None:
                    raise asking.refused(not_done(state.failure))
                ended = state.ended
                yield {**to_json(state), "run": kept.id}
        finally:
            if not ended:
                runs.stop(name)  # a script that does not listen any more would never hear of it

    asked = [*(gr.Textbox(visible=False) for _ in range(3)), asking.whole(gr.Number(0, visible=False), "samples")]
    asked += asking.optional("", "")
    asking.add_endpoint("run", run, asked)
