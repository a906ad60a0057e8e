"""The Run page: a model on a dataset while a visitor watches, then the figures and what lies behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import gradio as gr
from gradio.context import Context

from leaderboard.html import markup
from leaderboard.html import receipt as receipt_words
from leaderboard.html import run as words
from leaderboard.html import submit as submit_words
from leaderboard.html.live import empty, refusal
from leaderboard.live.run import to_json
from leaderboard.live.run_records import RunRecords, copy_records
from leaderboard.live.run_request import RunRequest, with_choices
from leaderboard.live.run_service import RunService
from leaderboard.live.service.messages import Failure
from leaderboard.live.service.open import Live
from leaderboard.pages.endpoint_inputs import optional, whole
from leaderboard.pages.run_following import RunFollower
from leaderboard.pages.run_form import COLLECT, NAMES, build_form
from leaderboard.pages.widgets import (
    CANCELLED,
    COPY,
    LIVE,
    PRIVATE,
    PRIVATE_LIVE,
    REPLACING,
    add_plot,
    hide_outdated,
    refused,
    senders_of,
    visitor_of,
)
from leaderboard.settings import Settings
from leaderboard.snapshot import Snapshot
from leaderboard.submissions.runs import hand_in_run
from leaderboard.submissions.service import SubmissionService
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


def build(
    settings: Settings, current: Callable[[], Snapshot], live: Live, runs: RunService, submissions: SubmissionService
) -> None:
    """Add the page and its endpoint."""
    gr.HTML(markup.opening(words.TITLE, words.INTRODUCTION), apply_default_css=False)
    form = build_form(live.models)
    start, stop, again, go_on = _buttons()
    # What is named here is followed: a run that was begun, or one that the page's address names.
    name, opened, finished = gr.Textbox(visible=False), gr.Textbox(visible=False), gr.State(None)
    shown, put, hand_in = _results(settings)
    hide_outdated("run", **dict(zip(NAMES, form.inputs, strict=True)))
    outputs = [*shown, again, go_on, put, hand_in, finished]

    follower = RunFollower(settings, current, live, runs)

    def fill_in(run: str) -> list[Any]:
        try:
            return form.show(runs.status(run).request)
        except UserError:
            return [gr.skip()] * len(form.shown)

    for button, anew in ((start, False), (again, True)):
        values = gr.Textbox(visible=False)
        chosen = button.click(None, form.inputs, values, js=COLLECT, **PRIVATE)
        chosen.then(follower.begin_by(anew=anew), values, [name, *outputs], **REPLACING)
    go_on.click(follower.take_up, name, outputs, **REPLACING)
    stop.click(lambda run: runs.stop(run) if run else None, name, **PRIVATE, queue=False)
    name.change(None, name, js=NAME_RUN, **PRIVATE)
    said = gr.HTML(apply_default_css=False, js_on_load=COPY, elem_id="run-on-board")
    gr.on([start.click, again.click], lambda: "", outputs=said, **PRIVATE)
    filled = opened.change(fill_in, opened, form.shown, **PRIVATE)
    filled.then(follower.show_named, opened, [name, *outputs], **PRIVATE_LIVE)
    _root().load(None, None, opened, js=FIND_RUN, **PRIVATE)
    _hand_in(settings, submissions, put, hand_in, finished, said)
    _add_endpoint(runs)


def _root() -> gr.Blocks:
    root = Context.root_block
    assert root is not None, "pages are built within an app"
    return root


def _buttons() -> list[gr.Button]:
    with gr.Row():
        start = gr.Button("Run", variant="primary", elem_id="run-start", size="md", min_width=80)
        stop = gr.Button("Stop", elem_id="run-stop", size="md", min_width=80)
        again = gr.Button("Run again", visible=False, elem_id="run-again", size="md", min_width=80)
        go_on = gr.Button("Go on", visible=False, elem_id="run-go-on", size="md", min_width=80)
    return [start, stop, again, go_on]


def _results(settings: Settings) -> tuple[list[Any], gr.Button, gr.Button]:
    """Status; figures beside the radar; disagreements; downloads, the local board and handing in."""
    status = gr.HTML(empty(words.EMPTY), apply_default_css=False, elem_id="run-status")
    with gr.Column(elem_classes="qb-found"):
        with gr.Row(equal_height=False):
            with gr.Column(scale=5, min_width=320):
                results = gr.HTML(apply_default_css=False, elem_id="run-results")
            with gr.Column(scale=5, min_width=320):
                standing = gr.HTML(apply_default_css=False, elem_id="run-standing")
                radar = add_plot("run-radar", "Beside the models of the board", visible=False)
                under = gr.HTML(apply_default_css=False)
        worst = gr.HTML(apply_default_css=False, elem_id="run-worst")
        with gr.Row():
            archive = gr.DownloadButton(
                "Record and raw responses (ZIP)", visible=False, size="sm", elem_id="run-archive"
            )
            board = gr.Button("Put on my local board", visible=False, size="sm", elem_id="run-put")
            hand_in = gr.Button("Hand in to the board", visible=False, size="sm", elem_id="run-hand-in")
        if settings.login:
            gr.LoginButton(size="sm", elem_id="run-login")
    return [status, results, standing, radar, under, worst, archive], board, hand_in


def _hand_in(
    settings: Settings,
    submissions: SubmissionService,
    put: gr.Button,
    hand_in: gr.Button,
    finished: gr.State,
    said: gr.HTML,
) -> None:
    def put_on_board(records: RunRecords | None) -> list[Any]:
        if records is None:
            return [refusal(Failure("there is no finished run to put on the board; run a model first")), gr.skip()]
        copy_records(records, settings.results)
        return [words.on_board(list(records.results)), gr.Button(visible=False)]

    def hand(profile: gr.OAuthProfile | None, request: gr.Request, records: RunRecords | None) -> list[Any]:
        """Gradio fills in the profile of whoever is logged in."""
        account = profile.username if profile else None
        if records is None:
            return [gr.skip(), gr.skip()]
        try:
            if settings.login and account is None:
                raise UserError("log in first, with the button beside this one; results are handed in by an account")
            receipt = hand_in_run(submissions, records.folder, records.results, account, senders_of(request))
        except UserError as fault:
            return [submit_words.not_handed_in(fault), gr.skip()]
        told = receipt_words.handed_in(receipt, submissions.link, submissions.review_days)
        return [told, gr.Button(visible=False)]

    if settings.writes_results:  # elsewhere results are handed in, and scored again
        put.click(put_on_board, finished, [said, put], **PRIVATE)
    hand_in.click(hand, finished, [said, hand_in], **PRIVATE)


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
        name, ended = "", False
        try:
            plain = RunRequest(task, dataset, samples or None, model, judge or None)
            chosen = with_choices(plain, choices or "")
            name = runs.start(chosen, visitor_of(request))
            for kept, state in runs.watch(name):
                if state.failure and state.progress is None:
                    raise refused(state.failure.sentence)
                ended = state.ended
                yield {**to_json(state), "run": kept.id}
        except UserError as fault:
            raise refused(Failure(str(fault)).sentence) from None
        finally:
            if name and not ended:
                runs.stop(name)  # a script that does not listen any more would never hear of it
        if not ended:
            raise refused(CANCELLED)

    asked = [*(gr.Textbox(visible=False) for _ in range(3)), whole(gr.Number(0, visible=False), "samples")]
    asked += optional("", "")
    gr.Button(visible=False).click(run, asked, gr.JSON(visible=False), api_name="run", **LIVE)
