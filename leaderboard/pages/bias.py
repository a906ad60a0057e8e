"""The Bias page: four strips, each a finding in one sentence, its chart with the chance level, its table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr

from leaderboard.analysis import score_words
from leaderboard.analysis.findings import Findings, find_habits, findings_json
from leaderboard.charts import habits as charts
from leaderboard.html import bias as words
from leaderboard.html import markup
from leaderboard.html.markup import Html
from leaderboard.pages.widgets import PRIVATE, add_plot, plotted
from leaderboard.settings import Settings
from leaderboard.snapshot import Snapshot
from leaderboard.tables.chance import read_simulated
from leaderboard.tables.words import cite


def build(settings: Settings, current: Callable[[], Snapshot]) -> None:
    """Add the page and its endpoint; `current` gives the snapshot to show."""
    simulated = read_simulated(settings.assets / "recomputed" / "chance_2afc.json")
    found: list[Findings] = []

    def findings() -> Findings:
        """Computed once for each revision."""
        if not found or found[0].revision != current().loaded.revision:
            found[:] = [find_habits(current(), simulated)]
        return found[0]

    def bias() -> dict[str, Any]:
        """Answer habits: preferring Yes, a position or a good word, and correlations that chance alone explains."""
        return findings_json(findings())

    gr.HTML(words.introduction(), apply_default_css=False)
    # Tabs mount their content when they are first opened, which is when the charts are wanted.
    opened = gr.HTML("", js_on_load='trigger("open");', apply_default_css=False, render=False)
    _add_yes_no(findings, opened.open)
    _add_position(findings, opened.open)
    _add_score_words(findings, opened.open)
    opened.render()
    gr.api(bias, api_name="bias", concurrency_limit=None)


def _add_yes_no(findings: Callable[[], Findings], opened: Callable[..., Any]) -> None:
    head = gr.HTML(apply_default_css=False)
    questions = gr.Radio([], label="Questions", visible=False, elem_id="bias-questions")
    with gr.Row():
        accuracies = add_plot("bias-yes-no", "Accuracy by the right answer")
        ranks = add_plot("bias-ranks", "Rank by all questions and by the mean of both kinds")
    foot = gr.HTML(apply_default_css=False)

    def show(label: str | None) -> list[Any]:
        finding = next((finding for finding in findings().yes_no if finding.questions.label == label), None)
        if finding is None:
            return [words.head(words.YES_NO, words.NONE_YET), gr.HTML(visible=False), gr.HTML(visible=False), ""]
        first, second = charts.yes_no_chart(finding), charts.rank_moves_chart(finding)
        notes = markup.join(*(markup.paragraph(remark, "qb-note") for remark in finding.remarks))
        text = " ".join(chart.text for chart in (first, second) if chart)
        under = _under(text, cite(finding.sources, findings().as_of), notes, words.yes_no_table(finding))
        return [words.head(words.YES_NO, finding.finding), plotted(first), plotted(second), under]

    def offer() -> gr.Radio:
        labels = [finding.questions.label for finding in findings().yes_no]
        return gr.Radio(choices=labels, value=labels[0] if labels else None, visible=len(labels) > 1)

    outputs = [head, accuracies, ranks, foot]
    opened(offer, outputs=questions, **PRIVATE).then(show, inputs=questions, outputs=outputs, **PRIVATE)
    questions.input(show, inputs=questions, outputs=outputs, **PRIVATE)


def _add_position(findings: Callable[[], Findings], opened: Callable[..., Any]) -> None:
    pairs = gr.Radio(
        [("Random pairs", "coarse"), ("Pairs close in quality", "fine")],
        value="coarse",
        label="Pairs",
        container=False,
        elem_id="bias-pairs",
    )
    head = gr.HTML(apply_default_css=False)
    kept = add_plot("bias-kept", "Answers kept when the photos change places")
    named = add_plot("bias-named", "How often each place was named", visible=False)
    foot = gr.HTML(apply_default_css=False)
    head_of_chance = gr.HTML(apply_default_css=False)
    correlations = add_plot("bias-correlation", "Correlation above coin flips")
    foot_of_chance = gr.HTML(apply_default_css=False)

    def show(kind: str) -> list[Any]:
        finding, shares = findings().position[kind], list(findings().shares)
        if not finding.cells:
            return [words.head(words.ORDER, words.NONE_YET), gr.HTML(visible=False), gr.HTML(visible=False), ""]
        first, second = charts.consistency_chart(finding), charts.position_shares_chart(shares)
        text = " ".join(chart.text for chart in (first, second) if chart)
        source = cite(finding.sources, findings().as_of)
        note = markup.paragraph(words.SHARES_SOURCE, "qb-note") if second else markup.NOTHING
        under = _under(text, source, words.consistency_table(finding), note, words.shares_table(shares))
        return [words.head(words.ORDER, finding.on_consistency), plotted(first), plotted(second), under]

    def show_chance(kind: str) -> list[Any]:
        finding = findings().position[kind]
        if not finding.on_correlation:
            return [words.head(words.CHANCE_ALONE, words.NONE_YET), gr.HTML(visible=False), ""]
        chart = charts.chance_chart(finding)
        source = cite(finding.sources, findings().as_of)
        note = markup.paragraph(words.OPEN_DOTS, "qb-note")
        under = _under(chart.text, source, note, words.correlation_table(finding))
        return [words.head(words.CHANCE_ALONE, finding.on_correlation), plotted(chart), under]

    for start in (opened, pairs.input):
        start(show, inputs=pairs, outputs=[head, kept, named, foot], **PRIVATE)
        start(show_chance, inputs=pairs, outputs=[head_of_chance, correlations, foot_of_chance], **PRIVATE)


def _add_score_words(findings: Callable[[], Findings], opened: Callable[..., Any]) -> None:
    head = gr.HTML(apply_default_css=False)
    plot = add_plot("bias-words", "How often the good word is the likelier one")
    foot = gr.HTML(apply_default_css=False)

    def show() -> list[Any]:
        finding = findings().score_words
        if not finding.habits:
            return [words.head(words.GOOD_WORD, words.NONE_YET), gr.HTML(visible=False), ""]
        chart = charts.score_words_chart(finding)
        source = cite(finding.sources, findings().as_of)
        under = _under(
            chart.text, source, markup.paragraph(score_words.REPORTED_WORDS, "qb-note"), words.words_table(finding)
        )
        return [words.head(words.GOOD_WORD, finding.finding), plotted(chart), under]

    opened(show, outputs=[head, plot, foot], **PRIVATE)


def _under(text: str, source: str, *more: Html) -> Html:
    return markup.join(markup.under_chart(text, source), markup.page(*more))
