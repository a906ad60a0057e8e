"""Studies on the Owner page: opened with photos or a dataset, shared by link and QR code, read while they grow."""

from __future__ import annotations

from pathlib import Path

import gradio as gr
from gradio.components import Component

from leaderboard.html import markup
from leaderboard.html import owner as owner_words
from leaderboard.html import study as words
from leaderboard.live.datasets import available_datasets
from leaderboard.live.study import (
    USUAL_PAIRS,
    USUAL_PEOPLE,
    list_studies,
    open_study,
    photos_of_dataset,
    set_open,
    study_link,
)
from leaderboard.live.study_answers import StudyService
from leaderboard.pages.widgets import COPY, PRIVATE, Update, html
from leaderboard.settings import Settings
from qbench.errors import UserError
from qbench.tasks import find_task

EVERY = 10
"""Seconds after which a study that is shown is read again."""
CLOSE, REOPEN = "Close the study", "Open the study again"


def build(settings: Settings, studies: StudyService) -> None:
    """Add what opens, shows and closes studies; each event asks for the account again."""
    fields, start = _form()
    chosen = gr.Dropdown([], label="Study", elem_id="study-chosen")
    shown = html("", "study-shown", js_on_load=COPY)
    close = gr.Button(CLOSE, size="sm", scale=0, min_width=160, visible=False, elem_id="study-close")
    opened = html(js_on_load='trigger("open");')
    again = gr.Timer(EVERY, active=False)
    outputs = [chosen, shown, close, again]

    def check(profile: gr.OAuthProfile | None) -> None:
        if not settings.is_owner(profile and profile.username):
            raise UserError(owner_words.NOT_YOURS)

    def told(name: str, request: gr.Request) -> Update:
        result = studies.result(name)
        base = settings.link or f"{request.headers.get('origin', '')}/"
        is_open = result.study.is_open
        return {
            shown: words.for_owner(result, study_link(result.study, base)),
            close: gr.Button(CLOSE if is_open else REOPEN, visible=True),
            again: gr.Timer(active=is_open),
        }

    def choices(name: str | None = None) -> gr.Dropdown:
        return gr.Dropdown([(study.title, study.name) for study in list_studies(studies.folder)], value=name)

    def look(profile: gr.OAuthProfile | None) -> Update:
        return (
            {chosen: choices()} if settings.is_owner(profile and profile.username) else {again: gr.Timer(active=False)}
        )

    def make(  # noqa: PLR0913 - one of each field
        profile: gr.OAuthProfile | None,
        given: list[str] | None,
        of: str,
        many: float,
        named: str,
        asked: str,
        each: float,
        most: float,
        request: gr.Request,
    ) -> Update:
        check(profile)
        photos = photos_of_dataset(of, int(many)) if of else [Path(path) for path in given or []]
        study = open_study(studies.folder, photos, named, asked, int(each), int(most))
        return {**told(study.name, request), chosen: choices(study.name)}

    def show(profile: gr.OAuthProfile | None, name: str | None, request: gr.Request) -> Update:
        check(profile)
        return told(name, request) if name else {shown: "", close: gr.Button(visible=False)}

    def end(profile: gr.OAuthProfile | None, name: str, pressed: str, request: gr.Request) -> Update:
        check(profile)
        set_open(studies.folder, name, is_open=pressed == REOPEN)
        return told(name, request)

    opened.open(look, outputs=outputs, **PRIVATE)
    start.click(make, fields, outputs, **PRIVATE)
    chosen.input(show, chosen, outputs, **PRIVATE)
    again.tick(show, chosen, outputs, **PRIVATE)
    close.click(end, [chosen, close], outputs, **PRIVATE)


def _form() -> tuple[list[Component], gr.Button]:
    """What a new study is made of, and what opens it."""
    html(markup.page(markup.heading("Studies"), markup.finding(words.FOR_OWNERS)))
    sets = [(facts.title, facts.name) for facts in available_datasets() if find_task(facts.task).rates_images]
    with gr.Row(equal_height=False):
        files = gr.File(label="Photos", file_count="multiple", file_types=["image"], elem_id="study-photos", height=140)
        with gr.Column():
            dataset = gr.Dropdown([("The photos given here", ""), *sets], value="", label="Photos of")
            number = gr.Number(8, label="How many of a dataset", precision=0)
    with gr.Row():
        title = gr.Textbox(label="Title", max_length=300, elem_id="study-title")
        question = gr.Textbox("Which photo looks better?", label="Question", max_length=300)
        pairs = gr.Number(USUAL_PAIRS, label="Pairs a person", precision=0, min_width=120)
        people = gr.Number(USUAL_PEOPLE, label="People at most", precision=0, min_width=120)
    start = gr.Button("Open the study", size="sm", scale=0, min_width=160, elem_id="study-start")
    return [files, dataset, number, title, question, pairs, people], start
