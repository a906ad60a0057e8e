"""The Probe page: one photo, what a model makes of it, and whether the model notices when it is damaged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gradio as gr

from leaderboard.charts import live as charts
from leaderboard.html import markup
from leaderboard.html import probe as words
from leaderboard.html.live import ASKED_ANEW, about, answers, file_name, job_text, refusal, source_here
from leaderboard.live import photo_scores, probe, questions
from leaderboard.live.service.jobs import JobState
from leaderboard.live.service.limits import Visitor
from leaderboard.live.service.live import Live
from leaderboard.live.service.uploads import EXAMPLES
from leaderboard.pages import asking, widgets
from leaderboard.pages.asking import Asked
from leaderboard.pages.widgets import Update
from leaderboard.settings import Settings
from leaderboard.tables.words import dataset_title
from qbench.distortions import TYPES
from qbench.errors import UserError

KIND = "probe"
Question = tuple[str, str, int]
"""A question of the visitor's own, its options, and how often they have asked one."""


def build(settings: Settings, live: Live) -> None:
    widgets.html(markup.opening(words.TITLE, words.INTRODUCTION))
    with gr.Row(equal_height=False, elem_classes="qb-probe"):
        with gr.Column(scale=5, min_width=320):
            shown = widgets.photo(label="Photo", height=360, elem_id="probe-photo")
            facts = widgets.html("", "probe-file")
            widgets.add_examples([[str(path)] for path in EXAMPLES], [shown], "probe-examples")
        with gr.Column(scale=6, min_width=320):
            with gr.Row(elem_classes="qb-controls"):
                model = gr.Dropdown(live.models.names, label="Model", elem_id="probe-model")
            widgets.add_model_line(model, "probe")
            asked = _add_question(live, model)
            mount = widgets.importing("map.js", "({ mountMap }) => mountMap(element)")
            result = widgets.html(markup.sentence(words.EMPTY), "probe-result", js_on_load=mount)
    widgets.hide_outdated("probe", photo=shown, model=model)
    _restore_model(live, model)
    _answer_changes(live, [shown, model, asked], facts, result)
    _add_dataset_scores(settings, live, [shown, model])
    _add_degradation(live, shown)
    _add_endpoint(live, [shown, model, *asking.optional("", "")])


def _add_question(live: Live, model: gr.Dropdown) -> gr.State:
    """Where a question is written, for models that answer any; what is returned changes when one is asked.

    What is no question is said here, and nothing is asked.
    """
    asked = gr.State(("", "", 0))

    def offer(name: str) -> Update:
        unable = probe.answers_nothing(live, name)
        return {fields: gr.Column(visible=not unable), said: markup.sentence(unable and f"{unable}.")}

    def ask(text: str, listed: str, before: Question) -> Update:
        try:
            questions.own_question(text or "", listed or "")
        except UserError as fault:
            return {said: refusal(fault)}
        return {said: "", asked: (text, listed, before[2] + 1)}

    unable = probe.answers_nothing(live, model.value)
    with gr.Accordion("Ask a question of your own", open=False, elem_id="probe-own"):
        with gr.Column(visible=not unable) as fields:
            question = gr.Textbox(label="Question", max_length=questions.LONGEST_TEXT, elem_id="probe-question")
            options = gr.Textbox(label="Options, one a line", lines=3, elem_id="probe-options")
            button = gr.Button("Ask", elem_id="probe-ask")
        said = widgets.html(markup.sentence(unable and f"{unable}."), "probe-asked")
    model.change(offer, model, [fields, said], **widgets.PRIVATE, queue=False)
    button.click(ask, [question, options, asked], [said, asked], **widgets.PRIVATE)
    return asked


def _restore_model(live: Live, model: gr.Dropdown) -> None:
    """Choose the model that the address names, where it is offered: other pages link here with it."""

    def choose(event: gr.EventData) -> Any:
        asked = str(event.model or "")
        return gr.Dropdown(value=asked) if asked in live.models.names else gr.skip()

    opened = widgets.html("", js_on_load='trigger("open", {model: new URLSearchParams(location.search).get("model")});')
    opened.open(choose, outputs=model, **widgets.PRIVATE)


def _answer_changes(live: Live, inputs: Sequence[Any], facts: gr.HTML, result: gr.HTML) -> None:
    """Ask at once whenever there is another photo, model or question."""

    def look(visitor: Visitor, path: str | None, name: str, asked: Question) -> Asked:
        if not path:
            return {facts: "", result: markup.sentence(words.EMPTY)}

        def view(state: JobState[probe.ProbeResult, probe.ProbeResult]) -> Update:
            known, subject = state.result or state.known, f"{file_name(path)}, judged by {name}"
            found = words.probe_results(known) if known else markup.NOTHING
            shown = answers(subject, state, asking.asking_text(live, name), name, found)
            told = words.photo_facts(known.picture, known.scaled_from) if known else markup.NOTHING
            return {
                facts: about("probe", told, photo=path),
                result: about("probe", shown, outdated=ASKED_ANEW, photo=path, model=name),
            }

        own = ("", "") if probe.answers_nothing(live, name) else asked[:2]
        return probe.probe_job(live, visitor, path, name, own), view

    changes = [each.change for each in inputs]
    asking.ask_by(changes, live, KIND, look, inputs, [facts, result], changes=True)


def _add_dataset_scores(settings: Settings, live: Live, inputs: Sequence[Any]) -> None:
    """Where the photo's score falls among those of a dataset."""
    widgets.html(markup.page(markup.heading("Among other pictures")))
    datasets = [(dataset_title(name), name) for name in photo_scores.rated_datasets()]
    with gr.Row(elem_classes="qb-controls qb-asking"):
        chosen = gr.Dropdown(datasets, label="Compare with the scores of", elem_id="probe-dataset", min_width=240)
        place = gr.Button("Place this photo", elem_id="probe-place", size="sm", scale=0, min_width=140)
        stop = widgets.stop_button("probe-stop-placing")
    with gr.Column(elem_classes="qb-found"):
        said = widgets.html("", "probe-standing")
        plot = widgets.add_plot("probe-standing-plot", "This photo among others", visible=False)

    def compare_scores(visitor: Visitor, path: str | None, name: str, dataset: str) -> Asked:
        def view(state: JobState[None, photo_scores.DatasetScores]) -> Update:
            chart = charts.draw_dataset_scores(state.result) if state.result else None
            found = markup.sentence(job_text(state) or asking.asking_text(live, name))
            if chart is not None:
                source = source_here(f"{file_name(path or '')} and {dataset}, judged by {name}")
                found = markup.join(markup.sentence(chart.text), markup.under_chart("", source))
            return {said: about("probe", found, photo=path, model=name, dataset=dataset), plot: widgets.plotted(chart)}

        return photo_scores.dataset_scores_job(live, visitor, path, name, dataset, settings.runs / "datasets"), view

    widgets.hide_outdated("probe", dataset=chosen)
    about_what = [*inputs, chosen]
    asking.ask_by([place.click], live, "dataset-scores", compare_scores, about_what, [said, plot], stop)


def _add_degradation(live: Live, shown: gr.Image) -> None:
    """A distortion at five levels, and what models make of it."""
    widgets.html(markup.page(markup.heading("Degrade it")))
    kinds = [(kind.label, key) for key, kind in TYPES.items()]
    with gr.Row(elem_classes="qb-controls qb-asking"):
        chosen = gr.Dropdown(kinds, value="white-noise", label="Distortion", elem_id="probe-kind", min_width=200)
        models, label = live.models.names, f"Models, up to {photo_scores.MOST_MODELS}"
        names = widgets.several_models(
            models, label, "probe-models", models[: photo_scores.MOST_MODELS], photo_scores.MOST_MODELS, min_width=220
        )
        start = gr.Button("Degrade it", elem_id="probe-degrade", size="sm", scale=0, min_width=140)
        stop = widgets.stop_button("probe-stop")
    with gr.Column(elem_classes="qb-found"):
        said, pictures = widgets.html("", "probe-noticed"), widgets.html("", "probe-strip")
        plot = widgets.add_plot("probe-curves", "Score by level of damage", visible=False)
        under = widgets.html("", "probe-under")

    def damage(visitor: Visitor, path: str | None, kind: str, models: list[str]) -> Asked:
        label = TYPES[kind].label if kind in TYPES else kind

        def view(state: JobState[photo_scores.Degradation, photo_scores.Degradation]) -> Update:
            known, text = state.result or state.known, job_text(state)
            curves = known.curves if known else ()
            chart = charts.draw_curves(curves, label) if curves else None
            if not state.ended and len(curves) < len(models):
                text = text or asking.asking_text(live, models[len(curves)])
            told = markup.sentence(text or words.curve_sentences(curves, label))
            below = markup.NOTHING
            if chart is not None:
                asked = ", ".join(curve.model for curve in curves)
                source = source_here(f"{file_name(path or '')}, judged by {asked}")
                below = markup.join(markup.under_chart(chart.text, source), markup.page(words.curve_table(curves)))
            return {
                said: about("probe", told, photo=path, kind=kind, models=models),
                pictures: words.level_strip(known, label) if known else "",
                plot: widgets.plotted(chart),
                under: below,
            }

        return photo_scores.degradation_job(live, visitor, path, kind, models), view

    widgets.hide_outdated("probe", kind=chosen, models=names)
    # Not `chosen.input`, which Gradio raises twice for one choice: of two works the page may show the cancelled one.
    events, outputs = [start.click, chosen.change], [said, pictures, plot, under]
    asking.ask_by(events, live, "degrade", damage, [shown, chosen, names], outputs, stop)


def _add_endpoint(live: Live, inputs: Sequence[Any]) -> None:
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
        job = probe.probe_job(live, asking.visitor_of(request), photo, model, (question or "", options or ""))
        return probe.to_json(asking.result_of(live, request, KIND, job))

    asking.add_endpoint("probe", answer, inputs)
