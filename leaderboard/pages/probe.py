"""The Probe page: one photo, what a model makes of it, and whether the model notices when it is damaged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import gradio as gr

from leaderboard import markup, probe_text
from leaderboard.charts import live as charts
from leaderboard.charts.chart import Chart
from leaderboard.live import probe, questions
from leaderboard.live.asking import Asking
from leaderboard.live.degrade import MOST_MODELS, Curve, degrade, follow_levels
from leaderboard.live.examples import EXAMPLES
from leaderboard.live.limits import Visitor, Work
from leaderboard.live.opening import Live
from leaderboard.live.probe import Probed
from leaderboard.live.serving import Ahead, Tell, Trouble, serve
from leaderboard.live.standing import rated_datasets, scores_on
from leaderboard.settings import Settings
from leaderboard.widgets import LIVE, PRIVATE, PRIVATE_LIVE, ended_by, last_of, photo, plotted, visitor_of
from qbench.distortions import TYPES
from qbench.errors import UserError
from qbench.runner import Progress

Job = Callable[[Work, Tell], None]
PACE = 0.25
"""Seconds between two drawings; for each answer of a quick model they would take longer than the model."""
ONLY_CHOSEN = """(photo, model) => {
  const rule = document.getElementById("probe-chosen") ?? document.head.appendChild(document.createElement("style"));
  const other = (what, chosen) => `[data-${what}]:not([data-${what}="${CSS.escape(chosen ?? "")}"])`;
  rule.id = "probe-chosen";
  rule.textContent = `.qb-found:has(${other("photo", photo?.path)}, ${other("model", model)}) {
    visibility: hidden; height: 0; overflow: hidden;
  }`;
}"""
"""Keeps what was found about another photo or model out of sight, however late it comes. The browser does it with what
is chosen at that moment: an event that the server answers could arrive after the visitor has asked anew. Plots keep the
width that they are drawn for."""
REPLACING: dict[str, Any] = {**PRIVATE_LIVE, "trigger_mode": "multiple"}
"""Of buttons that may be pressed while what they asked before goes on, which then ends."""


def build(settings: Settings, live: Live) -> None:
    """Add the page and its endpoint."""
    gr.HTML(markup.sentence(probe_text.INTRODUCTION), apply_default_css=False)
    with gr.Row(equal_height=False):
        with gr.Column(scale=5, min_width=320):
            shown = photo(label="Photo", sources=["upload", "clipboard", "webcam"], height=360, elem_id="probe-photo")
            about = gr.HTML(apply_default_css=False, elem_id="probe-file")
            gr.Examples(
                [[str(path)] for path in EXAMPLES], shown, examples_per_page=len(EXAMPLES), elem_id="probe-examples"
            )
        with gr.Column(scale=6, min_width=320):
            model = gr.Dropdown(live.models.names, label="Model", elem_id="probe-model")
            with gr.Accordion("Ask a question of your own", open=False, elem_id="probe-own"):
                question = gr.Textbox(label="Question", max_length=questions.LONGEST, elem_id="probe-question")
                options = gr.Textbox(label="Options, one a line", lines=3, elem_id="probe-options")
                ask = gr.Button("Ask", elem_id="probe-ask")
            result = gr.HTML(markup.sentence(probe_text.EMPTY), apply_default_css=False, elem_id="probe-result")
    changes = [shown.change, model.change]
    gr.on(changes, None, [shown, model], js=ONLY_CHOSEN, **PRIVATE)  # before others: Gradio goes in order
    going = ended_by([*changes, ask.click], live)

    def look(
        path: str | None, name: str, text: str | None, listed: str | None, request: gr.Request
    ) -> Iterator[list[Any]]:
        if not path:
            yield ["", markup.sentence(probe_text.EMPTY), ""]
            return
        visitor, known, kind = visitor_of(request), None, f"probe {uuid4().hex}"
        yield [gr.skip(), markup.sentence(f"Asking {name} …"), kind]
        job = _prober(live, path, name, (text or "", listed or ""), visitor)
        for news in serve(live, visitor, kind, job, pace=PACE):
            if isinstance(news, Probed):
                known = news
                done = "" if news.seconds is None else f"Answered in {news.seconds:.2f} s."
                found = probe_text.found(news, done or f"Asking {name} …")
                yield [probe_text.photo_facts(news.picture), found, kind]
            elif isinstance(news, Ahead):
                waiting = f"Waiting for {name}: {news.count} before you."
                yield [gr.skip(), probe_text.found(known, waiting) if known else markup.sentence(waiting), kind]
            else:
                yield [gr.skip() if known else "", markup.sentence(news.sentence), kind]

    inputs, outputs = [shown, model, question, options], [about, result, going]
    gr.on([*changes, ask.click], look, inputs, outputs, **PRIVATE_LIVE)
    _add_standing(settings, live, shown, model)
    _add_strip(live, shown)
    _add_endpoint(live, inputs)


def _prober(live: Live, path: str | None, name: str, own: tuple[str, str], visitor: Visitor) -> Job:
    """The job of one probe: the picture, then what the model finds."""

    def job(work: Work, tell: Tell) -> None:
        if not path:
            raise UserError("choose a photo first")
        asked = [*filter(None, [questions.own_question(*own)]), *questions.USUAL]
        picture = live.uploads.take_in(Path(path), visitor)
        asking = Asking(live.models.lend(name, work), work, live.recent)
        for known in probe.probe(asking, name, picture, asked):
            tell(known)

    return job


def _add_standing(settings: Settings, live: Live, shown: gr.Image, model: gr.Dropdown) -> None:
    """Where the photo's score falls among those of a dataset."""
    gr.HTML(markup.page(markup.heading("Among other pictures")), apply_default_css=False)
    with gr.Row(elem_classes="qb-controls qb-asking"):
        dataset = gr.Dropdown(rated_datasets(), label="Scores of", elem_id="probe-dataset", min_width=240)
        place = gr.Button("Place this photo", elem_id="probe-place", size="sm", scale=0, min_width=140)
        stop = gr.Button("Stop", elem_id="probe-stop-placing", size="sm", scale=0, min_width=96)
    with gr.Column(elem_classes="qb-found"):
        said = gr.HTML(apply_default_css=False, elem_id="probe-standing")
        plot = gr.Plot(show_label=False, container=False, visible=False, elem_id="probe-standing-plot")

    def stand(path: str | None, name: str, among: str, request: gr.Request) -> Iterator[list[Any]]:
        visitor = visitor_of(request)

        def told(html: str, chart: Chart | None = None) -> list[Any]:
            return [probe_text.about(html, photo=path, model=name), plotted(chart)]

        def job(work: Work, tell: Tell) -> None:
            if not path:
                raise UserError("choose a photo first")
            lent = live.models.lend(name, work)
            quality = probe.judge(Asking(lent, work, live.recent), live.uploads.take_in(Path(path), visitor))
            if quality.order is None:
                raise UserError(f"{name} gave this photo no score: {quality.reason}")
            unit = "logits of good words less bad" if quality.mode == "words" else "score"
            tell((quality.order, scores_on(among, lent, settings.runs, work, tell), unit))

        yield told("")
        for news in serve(live, visitor, "standing", job):
            if isinstance(news, tuple):
                own, scores, unit = news
                chart = charts.place_among(scores, own, f"{name}: {unit}, higher is better", among)
                source = f"Source: {among}, asked of {name} here."
                yield told(markup.sentence(chart.text) + markup.under_chart("", source), chart)
            else:
                yield told(markup.sentence(_going_on(news)))

    place.click(stand, [shown, model, dataset], [said, plot], **REPLACING)
    _stops(live, stop, "standing")


def _add_strip(live: Live, shown: gr.Image) -> None:
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
            min_width=320,
        )
        start = gr.Button("Degrade it", elem_id="probe-degrade", size="sm", scale=0, min_width=140)
        stop = gr.Button("Stop", elem_id="probe-stop", size="sm", scale=0, min_width=96)
    with gr.Column(elem_classes="qb-found"):
        said = gr.HTML(apply_default_css=False, elem_id="probe-noticed")
        pictures = gr.HTML(apply_default_css=False, elem_id="probe-strip")
        plot = gr.Plot(show_label=False, container=False, visible=False, elem_id="probe-curves")
        under = gr.HTML(apply_default_css=False, elem_id="probe-under")

    def damage(path: str | None, asked: str, chosen: list[str], request: gr.Request) -> Iterator[list[Any]]:
        visitor = visitor_of(request)
        label = TYPES[asked].label if asked in TYPES else asked

        def job(work: Work, tell: Tell) -> None:
            if not path or not chosen:
                raise UserError("choose a photo and at least one model first")
            steps = degrade(live.uploads.take_in(Path(path), visitor), asked, live.uploads.folder_of(visitor))
            tell(steps)
            for name in chosen[:MOST_MODELS]:
                tell(follow_levels(Asking(live.models.lend(name, work), work, live.recent), name, steps))

        curves: list[Curve] = []
        seen: list[Any] = ["", gr.Plot(visible=False), ""]
        told = ""
        yield [probe_text.about(told, photo=path), *seen]
        for news in serve(live, visitor, "degrade", job):
            if isinstance(news, Curve):
                curves.append(news)
                chart = charts.draw_curves(curves, label)
                source = f"Source: this photo, asked of {', '.join(one.model for one in curves)} here."
                table = markup.page(probe_text.curve_table(curves))
                told = markup.sentence(probe_text.noticed(curves, label))
                seen[1:] = [plotted(chart), markup.under_chart(chart.text, source) + table]
            elif isinstance(news, tuple):
                told, seen[0] = "", probe_text.strip(news, label)
            else:
                told = markup.sentence(_going_on(news))
            yield [probe_text.about(told, photo=path), *seen]

    outputs = [said, pictures, plot, under]
    # Not `kind.input`, which Gradio raises twice for one choice: of two works the page may show the cancelled one.
    gr.on([start.click, kind.change], damage, [shown, kind, names], outputs, **REPLACING)
    _stops(live, stop, "degrade")


def _stops(live: Live, button: gr.Button, kind: str) -> None:
    def stop(request: gr.Request) -> None:
        live.visits.cancel(visitor_of(request), kind)

    button.click(stop, **PRIVATE, queue=False)


def _going_on(news: Ahead | Progress | Trouble) -> str:
    if isinstance(news, Ahead):
        return f"Waiting: {news.count} before you."
    if isinstance(news, Trouble):
        return news.sentence
    left = f", about {news.seconds_left:.0f} s left" if news.seconds_left else ""
    return f"{news.done} of {news.total} pictures{left}"


def _add_endpoint(live: Live, inputs: list[Any]) -> None:
    def answer(photo: str | None, model: str, question: str, options: str, request: gr.Request) -> dict[str, Any]:
        """Ask a model about one photo: quality score with its logits, questions, description, attributes.

        Args:
            photo: The photo; the model gets its bytes as they are.
            model: Name of a model of the Probe page.
            question: A question of your own; empty for none.
            options: Its options, one a line.
        """
        visitor = visitor_of(request)
        job = _prober(live, photo, model, (question or "", options or ""), visitor)
        return probe.to_json(last_of(serve(live, visitor, "probe", job), Probed))

    hidden = gr.Button(visible=False)
    hidden.click(answer, inputs, gr.JSON(visible=False), api_name="probe", **LIVE)
