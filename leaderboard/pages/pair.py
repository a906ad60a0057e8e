"""The Pair page: two photos, both orders, and whether the model keeps its answer."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import gradio as gr

from leaderboard.html import markup
from leaderboard.html import pair as pair_text
from leaderboard.html.live import ASKED_ANEW, about, answer_status, answers_status, file_name
from leaderboard.live import pair
from leaderboard.live.service.examples import EXAMPLES
from leaderboard.live.service.jobs import stream_job
from leaderboard.live.service.messages import Failure, JobCancelled, JobResult, PartialResult
from leaderboard.live.service.open import Live
from leaderboard.pages.widgets import (
    LIVE,
    PRIVATE,
    PRIVATE_LIVE,
    add_model_line,
    asking_text,
    end_earlier,
    hide_outdated,
    photo,
    result_of,
    visitor_of,
)

KIND = "pair"

MOUNT = """
import(`${window.gradio_config?.root ?? ""}/gradio_api/file=${props.folder}/pair.js`)
  .then(({ mountViewer }) => mountViewer(element));
"""


def build(live: Live) -> None:
    """Add the page and its endpoint."""
    gr.HTML(markup.sentence(pair_text.INTRODUCTION), apply_default_css=False)
    with gr.Row(equal_height=False):
        photos = [
            photo(
                label=f"Photo {name}",
                sources=["upload", "clipboard", "webcam"],
                height=200,
                elem_id=f"pair-{name.lower()}",
                min_width=280,
            )
            for name in pair.PHOTO_NAMES
        ]
    with gr.Row(elem_classes="qb-controls qb-asking"):
        model = gr.Dropdown(live.models.names, label="Model", elem_id="pair-model", min_width=240)
        swap = gr.Button("Swap", elem_id="pair-swap", size="sm", scale=0, min_width=96)
        stop = gr.Button("Stop", elem_id="pair-stop", size="sm", scale=0, min_width=96)
    add_model_line(model, "pair")
    result = gr.HTML(markup.sentence(pair_text.EMPTY), apply_default_css=False, elem_id="pair-result")
    viewer = gr.HTML(
        "",
        js_on_load=MOUNT,
        folder=markup.BOARD_FILES,
        apply_default_css=False,
        elem_id="pair-viewer",
    )
    gr.Examples(
        [[str(first), str(second)] for first, second in pairwise(EXAMPLES)][::5],
        photos,
        elem_id="pair-examples",
    )

    hide_outdated("pair", a=photos[0], b=photos[1], model=model)
    changes = [*(each.change for each in photos), model.change]
    end_earlier(changes, live, KIND)

    def look(first: str | None, second: str | None, name: str, request: gr.Request) -> Iterator[list[Any]]:
        if not first or not second:
            yield [markup.sentence(pair_text.EMPTY), ""]
            return
        visitor, known = visitor_of(request), None
        subject = f"{file_name(first)} and {file_name(second)}, asked of {name}"

        def show(status: str, ended_early: bool = False) -> str:
            line = answers_status(subject, status, ended_early=ended_early)
            answers = markup.join(line, pair_text.pair_results(known)) if known else line
            return about("pair", answers, outdated=ASKED_ANEW, a=first, b=second, model=name)

        yield [show(asking_text(live, name)), ""]
        for message in stream_job(live, visitor, KIND, pair.pair_job(live, visitor, (first, second), name)):
            photos = gr.skip()  # whoever looks at them already goes on in the same way
            if isinstance(message, PartialResult | JobResult):
                if known is None:
                    photos = about("pair", pair_text.viewer(message.value.pictures), a=first, b=second)
                known = message.value
            if status := answer_status(message, name, asking_text(live, name)):
                yield [show(status, isinstance(message, Failure | JobCancelled)), photos]

    def halt(request: gr.Request) -> None:
        live.visits.cancel(visitor_of(request), KIND)

    inputs = [*photos, model]
    gr.on(changes, look, inputs, [result, viewer], **PRIVATE_LIVE)
    swap.click(lambda first, second: (second, first), photos, photos, **PRIVATE)
    stop.click(halt, **PRIVATE, queue=False)
    _add_endpoint(live, inputs)


def _add_endpoint(live: Live, inputs: list[Any]) -> None:
    def answer(first: str | None, second: str | None, model: str, request: gr.Request) -> dict[str, Any]:
        """Ask a model which of two photos looks better, in both orders and several forms of the question.

        Args:
            first: Photo A; the model gets its bytes as they are.
            second: Photo B.
            model: Name of a model of the Pair page.
        """
        visitor = visitor_of(request)
        job = pair.pair_job(live, visitor, (first, second), model)
        return pair.to_json(result_of(stream_job(live, visitor, KIND, job)))

    hidden = gr.Button(visible=False)
    hidden.click(answer, inputs, gr.JSON(visible=False), api_name="pair", **LIVE)
