"""Below the Run page: a visitor's own images, scored by a model; nothing of it is kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gradio as gr

from leaderboard.charts.own_images import draw_own_images, plot_page
from leaderboard.html import markup
from leaderboard.html import own_images as words
from leaderboard.html.live import refusal
from leaderboard.live.own_images import OwnRun, bundle, own_images_job
from leaderboard.live.run_choices import feasible_tasks
from leaderboard.live.service.image_files import LISTS
from leaderboard.live.service.jobs import stream_job
from leaderboard.live.service.messages import Failure, JobCancelled, JobResult, StillWorking
from leaderboard.live.service.open import Live
from leaderboard.pages.widgets import REPLACING, add_plot, plotted, stop_by, unchanged, visitor_of
from qbench.tasks import assessment

KIND = "own-images"


def build(live: Live) -> None:
    """Add the section, closed until it is wanted."""
    names = [name for name in live.models.names if feasible_tasks(live.models.wants(name), [assessment.NAME])]
    with gr.Accordion("Your own images", open=False, elem_id="own"):
        gr.HTML(markup.page(markup.paragraph(words.INTRODUCTION)), apply_default_css=False)
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
                    stop = gr.Button("Stop", elem_id="own-stop", min_width=80)
        status = gr.HTML(apply_default_css=False, elem_id="own-status")
        with gr.Row(equal_height=False):
            with gr.Column(scale=5, min_width=320):
                results = gr.HTML(apply_default_css=False, elem_id="own-results")
            with gr.Column(scale=5, min_width=320):
                plot = add_plot("own-plot", "Your scores and the model's", visible=False)
        archive = gr.DownloadButton(
            "Record, raw answers, CSV and plot (ZIP)", visible=False, size="sm", elem_id="own-archive"
        )

    shown = [status, results, plot, archive]

    def score(paths: list[str] | None, name: str, request: gr.Request) -> Iterator[list[Any]]:
        visitor = visitor_of(request)
        job = own_images_job(paths, name, lambda work: live.models.lend(name, work), visitor, live.uploads)
        yield ["", *_nothing()]
        message = None
        for message in stream_job(live, visitor, KIND, job):
            if isinstance(message, Failure):
                yield [refusal(message), *_nothing()]
            elif isinstance(message, JobResult):
                folder = live.uploads.folder_of(visitor)
                yield [words.own_status(message, name), *_closing(message.value, folder / "own-images.zip")]
            elif not isinstance(message, StillWorking):
                yield [words.own_status(message, name), *[gr.skip()] * 3]
        if not isinstance(message, Failure | JobResult | JobCancelled):
            yield unchanged(shown)

    start.click(score, [files, model], shown, **REPLACING)
    stop_by(stop, live, KIND)


def _closing(done: OwnRun, path: Any) -> list[Any]:
    chart = draw_own_images(done)
    archive = bundle(done, plot_page(chart), path)
    return [words.own_results(done), plotted(chart), gr.DownloadButton(value=str(archive), visible=True)]


def _nothing() -> list[Any]:
    return ["", gr.HTML(visible=False), gr.DownloadButton(visible=False)]
