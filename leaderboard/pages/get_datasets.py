"""Below the Run page: datasets that are not here, how each is got, and for owners a button that does it."""

from __future__ import annotations

from collections.abc import Iterator

import gradio as gr
from gradio.context import Context

from leaderboard.html import datasets as words
from leaderboard.html import markup
from leaderboard.html.live import refusal
from leaderboard.live.datasets import absent_datasets, get_job
from leaderboard.live.service.jobs import stream_job
from leaderboard.live.service.messages import Failure, StillWorking
from leaderboard.live.service.open import Live
from leaderboard.pages.widgets import PRIVATE, PRIVATE_LIVE, stop_by, visitor_of
from leaderboard.settings import Settings
from qbench.datasets import data_root
from qbench.datasets.here import look_for
from qbench.datasets.known import DatasetFacts, find_dataset

KIND = "get-dataset"


def build(settings: Settings, live: Live) -> None:
    """Add the section, closed until it is wanted; on a Space, where everybody is a visitor, the button is owners'."""
    public = settings.space is not None
    missing = absent_datasets(data_root())
    first = missing[0] if missing else None
    with gr.Accordion(words.SECTION, open=False, elem_id="get-datasets"):
        gr.HTML(markup.page(markup.paragraph(words.INTRODUCTION)), apply_default_css=False)
        with gr.Row(equal_height=False):
            choices = [(facts.title, facts.name) for facts in missing]
            name = gr.Dropdown(choices, label="Dataset", elem_id="get-name", min_width=240)
            with gr.Row(visible=not public, elem_id="get-buttons") as buttons:
                start = gr.Button(words.button_label(first), variant="primary", elem_id="get-start", min_width=120)
                stop = gr.Button("Stop", elem_id="get-stop", min_width=80)
        told = gr.HTML(_about(first, owner=not public), apply_default_css=False, elem_id="get-about")
        status = gr.HTML(apply_default_css=False, elem_id="get-status")

    def describe(profile: gr.OAuthProfile | None, chosen: str | None) -> tuple[str, gr.Button, str]:
        facts = find_dataset(chosen) if chosen else None
        button = gr.Button(words.button_label(facts), interactive=facts is not None and bool(facts.fetch))
        return _about(facts, owner=may(profile)), button, ""

    def may(profile: gr.OAuthProfile | None) -> bool:
        return not public or (profile is not None and profile.username in settings.owners)

    def show(profile: gr.OAuthProfile | None) -> gr.Row:
        return gr.Row(visible=may(profile))

    def get(profile: gr.OAuthProfile | None, chosen: str | None, request: gr.Request) -> Iterator[str]:
        if not may(profile):
            yield refusal(Failure(words.NOT_YOURS))
            return
        for message in stream_job(live, visitor_of(request), KIND, get_job(chosen or "", data_root())):
            if isinstance(message, Failure):
                yield refusal(message)
            elif not isinstance(message, StillWorking):
                yield words.fetch_status(message)

    if public and settings.owners:
        root = Context.root_block
        assert root is not None, "pages are built within an app"
        root.load(show, outputs=buttons, **PRIVATE)
    name.change(describe, name, [told, start, status], **PRIVATE)
    start.click(get, name, status, **PRIVATE_LIVE)
    stop_by(stop, live, KIND)


def _about(facts: DatasetFacts | None, *, owner: bool) -> str:
    return words.about_dataset(facts, look_for(facts, data_root()), owner=owner) if facts else ""
