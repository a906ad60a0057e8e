"""Below the Run page: a visitor's own images, scored by a model; and datasets that are not here, how each is got."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gradio as gr

from leaderboard.charts.live import draw_own_images, plot_page
from leaderboard.html import below_run as words
from leaderboard.html import markup
from leaderboard.html.live import refusal
from leaderboard.live.datasets import FetchedDataset, absent_datasets, get_job
from leaderboard.live.own_images import LISTS, OwnRun, bundle, own_images_job
from leaderboard.live.run_request import feasible_tasks
from leaderboard.live.service.jobs import JobState, stream_job
from leaderboard.live.service.limits import Visitor
from leaderboard.live.service.live import Live
from leaderboard.pages import asking, widgets
from leaderboard.pages.asking import Asked
from leaderboard.pages.widgets import Update
from leaderboard.settings import Settings
from qbench.datasets import data_root
from qbench.datasets.get import FetchProgress
from qbench.datasets.known import DatasetFacts, find_dataset
from qbench.datasets.places import look_for
from qbench.tasks import assessment


def add_own_images(live: Live) -> None:
    """Add the section of own images, closed until it is wanted; nothing of them is kept."""
    names = [name for name in live.models.names if feasible_tasks(live.models.wants(name), [assessment.NAME])]
    linked = widgets.html(js_on_load='if (location.hash === "#own") trigger("open");')
    with gr.Accordion("Your own images", open=False, elem_id="own") as section:
        widgets.html(markup.page(markup.paragraph(words.INTRODUCTION)))
        with gr.Row(equal_height=False):
            files = gr.File(
                label="Images, a zip, a CSV of scores",
                file_count="multiple",
                file_types=["image", ".zip", *LISTS],
                height=140,
                elem_id="own-files",
            )
            with gr.Column(min_width=280):
                model = gr.Dropdown(names, label="Model", elem_id="own-model", min_width=160)
                with gr.Row():
                    start = gr.Button("Score", variant="primary", elem_id="own-start", min_width=80)
                    stop = gr.Button("Stop", visible=False, elem_id="own-stop", min_width=80)
        status = widgets.html("", "own-status")
        with gr.Row(equal_height=False):
            with gr.Column(scale=5, min_width=320):
                results = widgets.html("", "own-results")
            with gr.Column(scale=5, min_width=320):
                plot = widgets.add_plot("own-plot", "Your scores and the model's", visible=False)
        archive = gr.DownloadButton(
            "Record, raw answers, CSV and plot (ZIP)", visible=False, size="sm", elem_id="own-archive"
        )

    def score(visitor: Visitor, paths: list[str] | None, name: str) -> Asked:
        def view(state: JobState[None, OwnRun]) -> Update:
            update: Update = {status: words.own_status(state, name)}
            if (done := state.result) is None:
                nothing = {plot: gr.HTML(visible=False), archive: gr.DownloadButton(visible=False)}
                return {**update, results: "", **nothing}
            chart = draw_own_images(done)
            packed = bundle(done, plot_page(chart), live.uploads.folder_of(visitor) / "own-images.zip")
            shown = gr.DownloadButton(value=str(packed), visible=True)
            return {**update, results: words.own_results(done), plot: widgets.plotted(chart), archive: shown}

        return own_images_job(live, visitor, paths, name), view

    linked.open(None, outputs=section, js='() => ({open: true, __type__: "update"})', **widgets.PRIVATE)
    outputs = [status, results, plot, archive]
    asking.ask_by([start.click], live, "own-images", score, [files, model], outputs, stop)


def add_datasets(settings: Settings, live: Live) -> None:
    """Add the section of datasets, closed too; on a Space, where everybody is a visitor, its button is owners'."""
    public = settings.space is not None
    missing = absent_datasets(data_root())
    first = missing[0] if missing else None

    with gr.Accordion(words.DATASETS, open=False, elem_id="get-datasets"):
        widgets.html(markup.page(markup.paragraph(words.DATASETS_INTRODUCTION)))
        with gr.Row(equal_height=False):
            choices = [(facts.title, facts.name) for facts in missing]
            name = gr.Dropdown(choices, label="Dataset", elem_id="get-name", min_width=240)
            with gr.Row(visible=not public, elem_id="get-buttons") as buttons:
                start = gr.Button(words.button_label(first), variant="primary", elem_id="get-start", min_width=120)
                stop = gr.Button("Stop", visible=False, elem_id="get-stop", min_width=80)
        told, status = widgets.html(_about(first, owner=not public), "get-about"), widgets.html("", "get-status")

    def may(profile: gr.OAuthProfile | None) -> bool:
        return not public or settings.is_owner(profile and profile.username)

    def describe(profile: gr.OAuthProfile | None, chosen: str | None) -> Update:
        facts = find_dataset(chosen) if chosen else None
        button = gr.Button(words.button_label(facts), interactive=facts is not None and bool(facts.fetch))
        return {told: _about(facts, owner=may(profile)), start: button, status: ""}

    def show(profile: gr.OAuthProfile | None) -> gr.Row:
        return gr.Row(visible=may(profile))

    def view(state: JobState[FetchProgress, FetchedDataset]) -> Update:
        return {status: words.fetch_status(state), stop: gr.Button(visible=not state.ended)}

    def get(profile: gr.OAuthProfile | None, chosen: str | None, request: gr.Request) -> Iterator[Any]:
        if not may(profile):
            yield {status: refusal(words.NOT_YOURS)}
            return
        job = get_job(chosen or "", data_root())
        states = stream_job(live, asking.visitor_of(request), "get-dataset", job)
        yield from asking.follow({}, "", states, view)

    if public and settings.owners:
        widgets.html(js_on_load='trigger("open");').open(show, outputs=buttons, **widgets.PRIVATE)
    name.change(describe, name, [told, start, status], **widgets.PRIVATE)
    start.click(get, name, [status, stop], **asking.PRIVATE_LIVE)
    asking.stop_by(stop, live, "get-dataset")


def _about(facts: DatasetFacts | None, *, owner: bool) -> str:
    return words.about_dataset(facts, look_for(facts, data_root()), owner=owner) if facts else ""
