"""The Run page: a model on a dataset while a visitor watches, then the figures and what lies behind them."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import gradio as gr
from gradio.context import Context

from leaderboard.charts.comparison import draw
from leaderboard.events import log_refusal
from leaderboard.html import compare as compare_words
from leaderboard.html import markup
from leaderboard.html import receipt as receipt_words
from leaderboard.html import run as words
from leaderboard.html import run_figures as figures
from leaderboard.html import submit as submit_words
from leaderboard.html.live import about, empty, not_done, not_shown, refusal, watched
from leaderboard.html.run_choices import run_link
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
from leaderboard.pages.run_form import COLLECT, NAMES, build_form, request_of, values_of
from leaderboard.pages.widgets import (
    CANCELLED,
    COPY,
    LIVE,
    PRIVATE,
    PRIVATE_LIVE,
    REPLACING,
    Update,
    add_plot,
    follow,
    hide_outdated,
    html,
    optional,
    plotted,
    refused,
    senders_of,
    visitor_of,
    whole,
)
from leaderboard.settings import Settings
from leaderboard.snapshot import Snapshot
from leaderboard.submissions.service import SubmissionService
from leaderboard.tables.words import cite
from qbench.errors import UserError

FIND_RUN = """() => {
  const query = new URLSearchParams(location.search);
  return query.get("tab") === "run" ? query.get("run") ?? "" : "";
}"""
NAME_RUN = """(name) => {
  if (!name) return;
  const query = new URLSearchParams(location.search);
  query.set("tab", "run");
  query.set("run", name);
  history.replaceState(history.state, "", `?${query}`);
}"""


class Results(NamedTuple):
    """What is shown of a run."""

    status: gr.HTML
    results: gr.HTML
    standing: gr.HTML
    radar: gr.HTML
    under: gr.HTML
    worst: gr.HTML
    archive: gr.DownloadButton
    again: gr.Button
    go_on: gr.Button
    hand_in: gr.Button
    finished: gr.State

    def nothing(self) -> Update:
        """Nothing but the status, while a run goes on."""
        return {
            **dict.fromkeys((self.results, self.standing, self.under, self.worst), ""),
            self.radar: gr.HTML(visible=False),
            self.archive: gr.DownloadButton(visible=False),
            **self.buttons(),
            self.finished: None,
        }

    def buttons(self, *there: gr.Button) -> Update:
        """Which buttons are there, with their labels: an update without one leaves a hidden button blank."""
        every = (self.again, self.go_on, self.hand_in)
        return {button: gr.Button(button.value, visible=button in there) for button in every}


@dataclass(frozen=True)
class RunFollower:
    """What the page's buttons do."""

    settings: Settings
    current: Callable[[], Snapshot]
    live: Live
    runs: RunService
    parts: Results
    name: gr.Textbox
    """Has the name of the run that is followed."""
    stop: gr.Button
    shown: dict[str, object] = field(default_factory=dict)
    """Session of a page -> what it shows now; it stops following another run."""

    def begin_by(self, *, anew: bool) -> Callable[..., Iterator[Any]]:
        """What a button does that begins a run of what the form says."""

        def begin(values: str, request: gr.Request) -> Iterator[Any]:
            try:
                started = self.runs.start(request_of(values), visitor_of(request), anew=anew)
            except UserError as fault:
                yield self._refused(fault)
                return
            yield from self.follow(started, request)

        return begin

    def take_up(self, run: str, request: gr.Request) -> Iterator[Any]:
        """Go on with a run that was cut off."""
        try:
            self.runs.go_on(run, visitor_of(request))
        except UserError as fault:
            yield self._refused(fault)
            return
        yield from self.follow(run, request)

    def show_named(self, run: str, request: gr.Request) -> Iterator[Any]:
        """Follow a run where one is named."""
        yield from self.follow(run, request) if run else [gr.skip()]

    def follow(self, run: str, request: gr.Request) -> Iterator[Any]:
        """Status, results and buttons of a run, until it ends or nobody looks."""
        visitor, this, parts = visitor_of(request), object(), self.parts
        self.shown[visitor.session] = this
        kept, begun = KeptRun(run, RunRequest("", "")), False

        def states() -> Iterator[RunState]:
            nonlocal kept
            for run_now, state in self.runs.watch(run):
                if self.shown.get(visitor.session) is not this:
                    return
                kept = run_now
                yield state

        def view(state: RunState) -> Update:
            nonlocal begun
            subject, address = words.run_subject(kept.request), f"{self.settings.link or ''}?tab=run&run={kept.id}"
            link = run_link(address, going=not state.ended, here_alone=bool(self.runs.fault))
            status = markup.join(watched(words.run_status(state, kept), subject), link)
            update = {} if begun and not state.ended else parts.nothing()
            if state.result:
                update |= self._closing(visitor, kept.request, state.result)
            elif state.ended:
                update |= parts.buttons(parts.go_on)
            begun = True
            shown = about("run", status, outdated=not_shown(subject), **values_of(kept.request))
            return {**update, self.name: run, parts.status: shown, self.stop: gr.Button(visible=not state.ended)}

        try:
            yield from follow(states(), view)
        except UserError as fault:
            yield self._refused(fault)
        finally:
            if self.shown.get(visitor.session) is this:
                del self.shown[visitor.session]

    def _refused(self, fault: UserError) -> Update:
        log_refusal(fault, kind="run")
        return {**self.parts.nothing(), self.parts.status: refusal(fault)}

    def _closing(self, visitor: Visitor, chosen: RunRequest, finished: FinishedRun) -> Update:
        """Figures, where they would stand, disagreements with their pictures, downloads."""
        parts, snapshot = self.parts, self.current()
        folder = self.live.uploads.folder_of(visitor)
        position = position_on_boards(finished, snapshot)
        found = find_worst(finished.outcome, chosen.task, finished.dataset) if finished.outcome else []
        pictures = [(disagreement, _copies(disagreement, folder)) for disagreement in found]
        missing = figures.missing(find_missing(finished.outcome) if finished.outcome else [])
        results = markup.join(figures.run_results(finished, chosen.task), figures.run_habits(finished), missing)
        archive = bundle(finished.records, folder / f"{chosen.task}--{chosen.dataset}.zip")
        update: Update = {
            parts.results: about("run", results, **values_of(chosen)),
            parts.standing: words.board_position(position),
            parts.worst: words.worst(pictures, finished.outcome is not None),
            parts.archive: gr.DownloadButton(value=str(archive), visible=True),
            **parts.buttons(parts.again, parts.hand_in),
            parts.finished: finished.records,
        }
        if isinstance(position, BoardPosition):
            profile = position.profile
            chart = draw(profile, above_chance=profile.bounds_above_chance is not None)
            table = markup.page(markup.folded("Table", compare_words.figures_table(profile)))
            source = markup.under_chart(chart.text, cite(profile.sources, snapshot.loaded.as_of))
            update |= {parts.radar: plotted(chart), parts.under: markup.join(source, table)}
        return update


def build(
    settings: Settings, current: Callable[[], Snapshot], live: Live, runs: RunService, submissions: SubmissionService
) -> None:
    """Add the page and its endpoint."""
    html(markup.opening(words.TITLE, words.INTRODUCTION))
    form = build_form(live.models)
    with gr.Row():
        start = gr.Button("Run", variant="primary", elem_id="run-start", size="md", min_width=80)
        stop = gr.Button("Stop", visible=False, elem_id="run-stop", size="md", min_width=80)
        again = gr.Button("Run again", visible=False, elem_id="run-again", size="md", min_width=80)
        go_on = gr.Button("Go on", visible=False, elem_id="run-go-on", size="md", min_width=80)
    # What is named here is followed: a run that was begun, or one that the page's address names.
    name, opened = gr.Textbox(visible=False), gr.Textbox(visible=False)
    parts = _results(settings, again, go_on)
    hide_outdated("run", **dict(zip(NAMES, form.inputs, strict=True)))
    follower, outputs = RunFollower(settings, current, live, runs, parts, name, stop), [*parts, name, stop]

    def fill_in(run: str) -> Any:
        try:
            return form.show(runs.status(run).request)
        except UserError:
            return gr.skip()

    for button, anew in ((start, False), (again, True)):
        values = gr.Textbox(visible=False)
        chosen = button.click(None, form.inputs, values, js=COLLECT, **PRIVATE)
        chosen.then(follower.begin_by(anew=anew), values, outputs, **REPLACING)
    go_on.click(follower.take_up, name, outputs, **REPLACING)
    stop.click(lambda run: runs.stop(run) if run else None, name, **PRIVATE, queue=False)
    name.change(None, name, js=NAME_RUN, **PRIVATE)
    said = html("", "run-on-board", js_on_load=COPY)
    gr.on([start.click, again.click], lambda: "", outputs=said, **PRIVATE)
    filled = opened.change(fill_in, opened, form.shown, **PRIVATE)
    filled.then(follower.show_named, opened, outputs, **PRIVATE_LIVE)
    root = Context.root_block
    assert root is not None, "pages are built within an app"
    root.load(None, None, opened, js=FIND_RUN, **PRIVATE)
    _hand_in(settings, live, submissions, parts, said)
    _add_endpoint(runs)


def _results(settings: Settings, again: gr.Button, go_on: gr.Button) -> Results:
    """Status; figures beside the radar; disagreements; downloads and handing in."""
    status = html(empty(words.EMPTY), "run-status")
    with gr.Column(elem_classes="qb-found"):
        with gr.Row(equal_height=False):
            with gr.Column(scale=5, min_width=320):
                results = html("", "run-results")
            with gr.Column(scale=5, min_width=320):
                standing = html("", "run-standing")
                radar = add_plot("run-radar", "Beside the models of the board", visible=False)
                under = html()
        worst = html("", "run-worst")
        with gr.Row():
            archive = gr.DownloadButton(
                "Record and raw responses (ZIP)", visible=False, size="sm", elem_id="run-archive"
            )
            hand_in = gr.Button("Submit to the board", visible=False, size="sm", elem_id="run-hand-in")
        if settings.login:
            gr.LoginButton(size="sm", elem_id="run-login")
    found = (results, standing, radar, under, worst, archive)
    return Results(status, *found, again, go_on, hand_in, gr.State(None))


def _copies(disagreement: Disagreement, folder: Path) -> list[Path]:
    """Byte for byte, for they are to be looked at closely; the page may not serve files of a dataset itself."""
    copies = []
    for image in map(Path, disagreement.images):
        copy = folder / f"{hashlib.sha256(str(image).encode()).hexdigest()[:12]}{image.suffix}"
        shutil.copyfile(image, copy)
        copies.append(copy)
    return copies


def _hand_in(settings: Settings, live: Live, submissions: SubmissionService, parts: Results, said: gr.HTML) -> None:
    def hand(profile: gr.OAuthProfile | None, request: gr.Request, records: RunRecords | None) -> Any:
        """Gradio fills in the profile of whoever is logged in."""
        account = profile.username if profile else None
        if records is None:
            return gr.skip()
        try:
            if settings.login and account is None:
                raise UserError("log in first, with the button beside this one; results are handed in by an account")
            archive = bundle(records, live.uploads.folder_of(visitor_of(request)) / "run.zip")
            model = next(iter(records.results.values())).model
            receipt = submissions.submit_run(archive, model, account, senders_of(request))
        except UserError as fault:
            return {said: submit_words.not_handed_in(fault)}
        told = receipt_words.handed_in(receipt, submissions.link)
        return {said: told, parts.hand_in: gr.Button(visible=False)}

    parts.hand_in.click(hand, parts.finished, [said, parts.hand_in], **PRIVATE)


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
        name = runs.start(with_choices(plain, choices or ""), visitor_of(request))
        try:
            for kept, state in runs.watch(name):
                if state.failure and state.progress is None:
                    raise refused(not_done(state.failure))
                ended = state.ended
                yield {**to_json(state), "run": kept.id}
        finally:
            if not ended:
                runs.stop(name)  # a script that does not listen any more would never hear of it
        if not ended:
            raise refused(CANCELLED)

    asked = [*(gr.Textbox(visible=False) for _ in range(3)), whole(gr.Number(0, visible=False), "samples")]
    asked += optional("", "")
    gr.Button(visible=False).click(run, asked, gr.JSON(visible=False), api_name="run", **LIVE)
