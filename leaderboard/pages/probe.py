"""The Probe page: one photo, what a model makes of it, and whether the model notices when it is damaged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import gradio as gr

from leaderboard.charts import live as charts
from leaderboard.charts.chart import Chart
from leaderboard.html import markup
from leaderboard.html import probe as probe_text
from leaderboard.html.live import ASKED_ANEW, about, answer_status, answers_status, file_name, message_text, refusal
from leaderboard.html.markup import Html
from leaderboard.html.run_choices import dataset_title
from leaderboard.live import probe, questions
from leaderboard.live.dataset_scores import dataset_scores_job, open_answers, rated_datasets
from leaderboard.live.degrade import MOST_MODELS, Degradation, degradation_job
from leaderboard.live.service.examples import EXAMPLES
from leaderboard.live.service.jobs import stream_job
from leaderboard.live.service.messages import Failure, JobCancelled, JobResult, PartialResult
from leaderboard.live.service.open import Live
from leaderboard.pages.endpoint_inputs import optional
from leaderboard.pages.widgets import (
    LIVE,
    PRIVATE,
    PRIVATE_LIVE,
    REPLACING,
    add_examples,
    add_model_line,
    add_plot,
    asking_text,
    end_earlier,
    hide_outdated,
    photo,
    plotted,
    result_of,
    stop_by,
    visitor_of,
)
from leaderboard.settings import Settings
from qbench.distortions import TYPES
from qbench.errors import UserError

KIND = "probe"

MOUNT = """
import(`${window.gradio_config?.root ?? ""}/gradio_api/file=${props.folder}/map.js`)
  .then(({ mountMap }) => mountMap(element));
"""


def build(settings: Settings, live: Live) -> None:
    """Add the page and its endpoint."""
    gr.HTML(markup.opening(probe_text.TITLE, probe_text.INTRODUCTION), apply_default_css=False)
    with gr.Row(equal_height=False, elem_classes="qb-probe"):
        with gr.Column(scale=5, min_width=320):
            shown = photo(label="Photo", sources=["upload", "clipboard", "webcam"], height=360, elem_id="probe-photo")
            facts = gr.HTML(apply_default_css=False, elem_id="probe-file")
            add_examples([[str(path)] for path in EXAMPLES], [shown], "probe-examples")
        with gr.Column(scale=6, min_width=320):
            model = gr.Dropdown(live.models.names, label="Model", elem_id="probe-model")
            add_model_line(model, "probe")
            asked = _add_question(live, model)
            result = gr.HTML(
                markup.sentence(probe_text.EMPTY),
                js_on_load=MOUNT,
                folder=markup.BOARD_FILES,
                apply_default_css=False,
                elem_id="probe-result",
            )
    scores, degradation = _dataset_scores_parts(), _degradation_parts(live)
    more = {"dataset": scores.choices[0], "kind": degradation.choices[0], "models": degradation.choices[1]}
    hide_outdated("probe", photo=shown, model=model, **more)  # before other events: Gradio goes in order
    _restore_model(live, model)
    _answer_changes(live, [shown, model, asked], [facts, result])
    _add_dataset_scores(settings, live, [shown, model], scores)
    _add_degradation(live, shown, degradation)
    _add_endpoint(live, [shown, model, *optional("", "")])


def _add_question(live: Live, model: gr.Dropdown) -> gr.State:
    """Where a question is written, for models that answer any; what is returned changes when one is asked.

    It holds question, options and how often was asked. What is no question is said here, and nothing is asked.
    """
    asked = gr.State(("", "", 0))

    def offer(name: str) -> list[Any]:
        unable = probe.answers_nothing(live, name)
        return [gr.Column(visible=not unable), markup.sentence(unable and f"{unable}.")]

    def ask(text: str, listed: str, before: tuple[str, str, int]) -> list[Any]:
        try:
            questions.own_question(text, listed)
        except UserError as fault:
            return [refusal(Failure(str(fault))), before]
        return ["", (text, listed, before[2] + 1)]

    able, unable = offer(model.value)
    with gr.Accordion("Ask a question of your own", open=False, elem_id="probe-own"):
        with gr.Column(visible=able.visible) as fields:
            question = gr.Textbox(label="Question", max_length=questions.LONGEST_TEXT, elem_id="probe-question")
            options = gr.Textbox(label="Options, one a line", lines=3, elem_id="probe-options")
            button = gr.Button("Ask", elem_id="probe-ask")
        said = gr.HTML(unable, apply_default_css=False, elem_id="probe-asked")
    model.change(offer, model, [fields, said], **PRIVATE, queue=False)
    button.click(ask, [question, options, asked], [said, asked], **PRIVATE)
    return asked


def _restore_model(live: Live, model: gr.Dropdown) -> None:
    """Choose the model that the address names, where it is offered: other pages link here with it."""

    def choose(event: gr.EventData) -> Any:
        asked = str(event.model or "")
        return gr.Dropdown(value=asked) if asked in live.models.names else gr.skip()

    opened = gr.HTML(
        "", js_on_load='trigger("open", {model: new URLSearchParams(location.search).get("model")});', visible=True
    )
    opened.open(choose, outputs=model, **PRIVATE)


def _answer_changes(live: Live, inputs: list[Any], outputs: list[gr.HTML]) -> None:
    """Ask at once whenever there is another photo, model or question."""
    changes = [each.change for each in inputs]
    end_earlier(changes, live, KIND)

    def look(path: str | None, name: str, asked: tuple[str, str, int], request: gr.Request) -> Iterator[list[Any]]:
        if not path:
            yield ["", markup.sentence(probe_text.EMPTY)]
            return
        visitor, known = visitor_of(request), None

        def show(status: str, ended_early: bool = False) -> list[Any]:
            line = answers_status(f"{file_name(path)}, asked of {name}", status, ended_early=ended_early)
            answers = markup.join(line, probe_text.probe_results(known)) if known else line
            facts = probe_text.photo_facts(known.picture, known.scaled_from) if known else markup.NOTHING
            return [
                about("probe", facts, photo=path),
                about("probe", answers, outdated=ASKED_ANEW, photo=path, model=name),
            ]

        yield show(asking_text(live, name))
        own = ("", "") if probe.answers_nothing(live, name) else asked[:2]
        for message in stream_job(live, visitor, KIND, probe.probe_job(live, visitor, path, name, own)):
            if isinstance(message, PartialResult | JobResult):
                known = message.value
            if status := answer_status(message, name, asking_text(live, name)):
                yield show(status, isinstance(message, Failure | JobCancelled))

    gr.on(changes, look, inputs, outputs, **PRIVATE_LIVE)


class Panel(NamedTuple):
    """A part of the page that is asked for by its own button."""

    choices: list[Any]
    start: gr.Button
    stop: gr.Button
    outputs: list[Any]


def _dataset_scores_parts() -> Panel:
    """Where the photo's score falls among those of a dataset."""
    gr.HTML(markup.page(markup.heading("Among other pictures")), apply_default_css=False)
    datasets = [(dataset_title(name), name) for name in rated_datasets()]
    with gr.Row(elem_classes="qb-controls qb-asking"):
        dataset = gr.Dropdown(datasets, label="Scores of", elem_id="probe-dataset", min_width=240)
        place = gr.Button("Place this photo", elem_id="probe-place", size="sm", scale=0, min_width=140)
        stop = gr.Button("Stop", elem_id="probe-stop-placing", size="sm", scale=0, min_width=96)
    with gr.Column(elem_classes="qb-found"):
        said = gr.HTML(apply_default_css=False, elem_id="probe-standing")
        plot = add_plot("probe-standing-plot", "This photo among others", visible=False)
    return Panel([dataset], place, stop, [said, plot])


def _add_dataset_scores(settings: Settings, live: Live, inputs: list[Any], panel: Panel) -> None:
    def compare_scores(path: str | None, name: str, dataset: str, request: gr.Request) -> Iterator[list[Any]]:
        visitor = visitor_of(request)

        def show(html: Html, chart: Chart | None = None) -> list[Any]:
            return [about("probe", html, photo=path, model=name, dataset=dataset), plotted(chart)]

        yield show(markup.NOTHING)
        job = dataset_scores_job(live, visitor, path, name, dataset, open_answers(settings))
        for message in stream_job(live, visitor, "dataset-scores", job):
            if isinstance(message, JobResult):
                chart = charts.draw_dataset_scores(message.value)
                source = f"Source: {file_name(path or '')} and {dataset}, asked of {name} here."
                yield show(markup.join(markup.sentence(chart.text), markup.under_chart("", source)), chart)
            elif text := message_text(message):
                yield show(markup.sentence(text))

    panel.start.click(compare_scores, [*inputs, *panel.choices], panel.outputs, **REPLACING)
    stop_by(panel.stop, live, "dataset-scores")


def _degradation_parts(live: Live) -> Panel:
    """A distortion at five levels, and what models make of it."""
    gr.HTML(markup.page(markup.heading("Degrade it")), apply_default_css=False)
    kinds = [(kind.label, key) for key, kind in TYPES.items()]
    with gr.Row(elem_classes="qb-controls qb-asking"):
        kind = gr.Dropdown(kinds, value="white-noise", label="Distortion", elem_id="probe-kind", min_width=200)
        names = gr.Dropdown(
            live.models.names,
            value=live.models.names[:MOST_MODELS],
            multiselect=True,
            max_choices=MOST_MODELS,
            label=f"Models, up to {MOST_MODELS}",
            elem_id="probe-models",
            min_width=220,
        )
        start = gr.Button("Degrade it", elem_id="probe-degrade", size="sm", scale=0, min_width=140)
        stop = gr.Button("Stop", elem_id="probe-stop", size="sm", scale=0, min_width=96)
    with gr.Column(elem_classes="qb-found"):
        said = gr.HTML(apply_default_css=False, elem_id="probe-noticed")
        pictures = gr.HTML(apply_default_css=False, elem_id="probe-strip")
        plot = add_plot("probe-curves", "Score by level of damage", visible=False)
        under = gr.HTML(apply_default_css=False, elem_id="probe-under")
    return Panel([kind, names], start, stop, [said, pictures, plot, under])


def _add_degradation(live: Live, shown: gr.Image, panel: Panel) -> None:
    def damage(path: str | None, kind: str, models: list[str], request: gr.Request) -> Iterator[list[Any]]:
        visitor = visitor_of(request)

        def show(html: Html) -> Html:
            return about("probe", html, photo=path, kind=kind, models=models)

        seen: list[Any] = ["", gr.HTML(visible=False), ""]
        yield [show(markup.NOTHING), *seen]
        for message in stream_job(live, visitor, "degrade", degradation_job(live, visitor, path, kind, models)):
            text = markup.sentence(message_text(message))
            if isinstance(message, PartialResult | JobResult):
                text, *seen = _draw_degradation(message.value, file_name(path or ""))
            elif not message_text(message):
                continue
            yield [show(text), *seen]

    inputs = [shown, *panel.choices]
    # Not `kind.input`, which Gradio raises twice for one choice: of two works the page may show the cancelled one.
    gr.on([panel.start.click, panel.choices[0].change], damage, inputs, panel.outputs, **REPLACING)
    stop_by(panel.stop, live, "degrade")


def _draw_degradation(known: Degradation, photo_name: str) -> list[Any]:
    """Which models notice, the photos, the curves, and what stands under these."""
    label = TYPES[known.kind].label
    photos, curves = probe_text.level_strip(known, label), known.curves
    if not curves:
        return [markup.NOTHING, photos, gr.HTML(visible=False), ""]
    chart = charts.draw_curves(curves, label)
    source = f"Source: {photo_name}, asked of {', '.join(curve.model for curve in curves)} here."
    under = markup.join(markup.under_chart(chart.text, source), markup.page(probe_text.curve_table(curves)))
    return [markup.sentence(probe_text.curve_sentences(curves, label)), photos, plotted(chart), under]


def _add_endpoint(live: Live, inputs: list[Any]) -> None:
    def answer(
        photo: str | None, model: str, request: gr.Request, question: str = "", options: str = ""
    ) -> dict[str, Any]:
        """Ask a model about one photo: quality score with its logits, questions, description, attributes.

        Args:
            photo: The photo; the model gets its bytes as they are. A tool of MCP is given data:image/jpeg;base64,….
            model: Name of a model of the Probe page.
            question: A question of your own; empty for none.
            options: Its options, one a line.
        """
        visitor = visitor_of(request)
        job = probe.probe_job(live, visitor, photo, model, (question or "", options or ""))
        return probe.to_json(result_of(stream_job(live, visitor, KIND, job)))

    hidden = gr.Button(visible=False)
    answer.__name__ = "probe"  # as the tool of MCP is called
    hidden.click(answer, inputs, gr.JSON(visible=False), api_name="probe", **LIVE)
