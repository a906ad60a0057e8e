"""Below the Run page: a visitor's own images, scored by a model; and datasets that are not here, how each is got."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gradio as gr
from gradio.context import Context

from leaderboard.charts.live import draw_own_images, plot_page
from leaderboard.html import below_run as words
from leaderboard.html import markup
from leaderboard.html.live import refusal
from leaderboard.live.datasets import FetchedDataset, absent_datasets, get_job
from leaderboard.live.own_images import OwnRun, bundle, own_images_job
from leaderboard.live.run_request import feasible_tasks
from leaderboard.live.service.jobs import JobState
from leaderboard.live.service.live import Live
from leaderboard.live.service.uploads import LISTS
from leaderboard.pages.widgets import (
    PRIVATE,
    PRIVATE_LIVE,
    REPLACING,
    Update,
    add_plot,
    follow,
    html,
    plotted,
    states_of,
    stop_by,
    visitor_of,
)
from leaderboard.settings import Settings
from qbench.datasets import data_root
from qbench.datasets.get import FetchProgress
from qbench.datasets.known import DatasetFacts, find_dataset
from qbench.datasets.places import look_for
from qbench.tasks import assessment

OPEN = """if (location.hash === "#own") {
  const seek = (tries) => {
    const head = document.querySelector("#own > button");
    if (head?.classList.contains("open")) return;
    head?.click();
    if (tries) setTimeout(seek, 200, tries - 1);
  };
  seek(50);
}"""
"""A link leads to the section, which is closed at first."""


def add_own_images(live: Live) -> None:
    """Add the section of own images, closed until it is wanted; nothing of them is kept."""
    names = [name for name in live.models.names if feasible_tasks(live.models.wants(name), [assessment.NAME])]
    html(js_on_load=OPEN)
    with gr.Accordion("Your own images", open=False, elem_id="own"):
        html(markup.page(markup.paragraph(words.INTRODUCTION)))
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
        status = html("", "own-status")
        with gr.Row(equal_height=False):
            with gr.Column(scale=5, min_width=320):
                results = html("", "own-results")
            with gr.Column(scale=5, min_width=320):
                plot = add_plot("own-plot", "Your scores and the model's", visible=False)
        archive = gr.DownloadButton(
            "Record, raw answers, CSV and plot (ZIP)", visible=False, size="sm", elem_id="own-archive"
        )

    def score(paths: list[str] | None, name: str, request: gr.Request) -> Iterator[Any]:
        visitor = visitor_of(request)

        def view(state: JobState[None, OwnRun]) -> Update:
            update: Update = {status: words.own_status(state, name), stop: gr.Button(visible=not state.ended)}
            if state.result is None:
                return update
            chart = draw_own_images(state.result)
            packed = bundle(state.result, plot_page(chart), live.uploads.folder_of(visitor) / "own-images.zip")
            shown = gr.DownloadButton(value=str(packed), visible=True)
            return {**update, results: words.own_results(state.result), plot: plotted(chart), archive: shown}

        yield {status: "", results: "", plot: gr.HTML(visible=False), archive: gr.DownloadButton(visible=False)}
        job = own_images_job(paths, name, lambda work: live.models.lend(name, work), visitor, live.uploads)
        yield from follow(states_of(live, request, "own-images", job), view)

    start.click(score, [files, model], [status, results, plot, archive, stop], **REPLACING)
    stop_by(stop, live, "own-images")


def add_datasets(settings: Settings, live: Live) -> None:
    """Add the section of datasets, closed too; on a Space, where everybody is a visitor, its button is owners'."""
    public = settings.space is not None
    missing = absent_datasets(data_root())
    first = missing[0] if missing else None

    with gr.Accordion(words.DATASETS, open=False, elem_id="get-datasets"):
        html(markup.page(markup.paragraph(words.DATASETS_INTRODUCTION)))
        with gr.Row(equal_height=False):
            choices = [(facts.title, facts.name) for facts in missing]
            name = gr.Dropdown(choices, label="Dataset", elem_id="get-name", min_width=240)
            with gr.Row(visible=not public, elem_id="get-buttons") as buttons:
                start = gr.Button(words.button_label(first), variant="primary", elem_id="get-start", min_width=120)
                stop = gr.Button("Stop", visible=False, elem_id="get-stop", min_width=80)
        told, status = html(_about(first, owner=not public), "get-about"), html("", "get-status")

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
        yield from follow(states_of(live, request, "get-dataset", get_job(chosen or "", data_root())), view)

    if public and settings.owners:
        root = Context.root_block
        assert root is not None, "pages are built within an app"
        root.load(show, outputs=buttons, **PRIVATE)
    name.change(describe, name, [told, start, status], **PRIVATE)
    start.click(get, name, [status, stop], **PRIVATE_LIVE)
    stop_by(stop, live, "get-dataset")


def _about(facts: DatasetFacts | None, *, owner: bool) -> str:
    return words.about_dataset(facts, look_for(facts, data_root()), owner=owner) if facts else ""
