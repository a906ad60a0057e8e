"""The Bias page: four strips, each a finding in one sentence, its chart with the chance level, its table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr

from leaderboard.analysis import score_words
from leaderboard.analysis.findings import Findings, find_habits, findings_json
from leaderboard.analysis.yes_no import YesNoFinding
from leaderboard.charts import habits as charts
from leaderboard.html import bias as words
from leaderboard.html import markup
from leaderboard.html.markup import Html
from leaderboard.pages.widgets import ARRIVES, AWAITED, KEEP_ADDRESS, LATEST, LINK_BUTTON, PRIVATE, add_plot, plotted
from leaderboard.settings import Settings
from leaderboard.snapshot import Snapshot
from leaderboard.tables.chance import read_simulated
from leaderboard.tables.words import cite

Event = Callable[..., Any]
Show = Callable[[Event], None]
PAIRS = {"coarse": "Random pairs", "fine": "Pairs close in quality"}
"""Kinds of pairs, by their names in an address; the first is shown where that says nothing."""


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

    def restore(event: gr.EventData) -> list[gr.Radio]:
        """The choices that the address asks for."""
        labels = [finding.questions.label for finding in findings().yes_no]
        named = [
            finding.questions.label for finding in findings().yes_no if _key(finding) == event.query.get("questions")
        ]
        pairs = event.query.get("pairs")
        return [
            gr.Radio(choices=labels, value=next(iter([*named, *labels]), None), visible=len(labels) > 1),
            gr.Radio(value=pairs if pairs in PAIRS else next(iter(PAIRS))),
        ]

    def remember(label: str | None, kind: str) -> dict[str, Any]:
        """The address of these choices: the usual ones are not named."""
        chosen = next((finding for finding in findings().yes_no[1:] if finding.questions.label == label), None)
        query = {"tab": "bias"}
        query |= {"questions": _key(chosen)} if chosen else {}
        query |= {"pairs": kind} if kind != next(iter(PAIRS)) else {}
        return {"query": query, "base": settings.link}

    with gr.Column(elem_classes=ARRIVES):
        gr.HTML(words.introduction(), apply_default_css=False)
        # Tabs mount their content when they are first opened, which is when the charts are wanted.
        place = gr.HTML(
            {"query": {}, "base": None},
            html_template=LINK_BUTTON,
            js_on_load=KEEP_ADDRESS % "bias",
            apply_default_css=False,
            folder=markup.BOARD_FILES,
            elem_id="bias-link",
        )
        questions, show_questions = _add_yes_no(findings)
        pairs, show_pairs = _add_position(findings)
        show_words = _add_score_words(findings)
    opened = place.open(restore, outputs=[questions, pairs], **PRIVATE)
    for show in (show_questions, show_pairs, show_words):
        show(opened.then)
    show_questions(questions.input)
    show_pairs(pairs.input)
    for event in (opened.then, questions.input, pairs.input):
        event(remember, inputs=[questions, pairs], outputs=place, **LATEST)
    gr.api(bias, api_name="bias", concurrency_limit=None)


def _key(finding: YesNoFinding) -> str:
    return finding.questions.dataset


def _add_yes_no(findings: Callable[[], Findings]) -> tuple[gr.Radio, Show]:
    """The first strip: its choice, and what shows it once an event is given."""
    head = gr.HTML(AWAITED, apply_default_css=False)
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

    def show_on(event: Event) -> None:
        event(show, inputs=questions, outputs=[head, accuracies, ranks, foot], **LATEST)

    return questions, show_on


def _add_position(findings: Callable[[], Findings]) -> tuple[gr.Radio, Show]:
    """The two strips on pairs of photos, for one kind of pairs."""
    head = gr.HTML(AWAITED, apply_default_css=False)
    pairs = gr.Radio(
        [(label, kind) for kind, label in PAIRS.items()],
        value=next(iter(PAIRS)),
        label="Pairs",
        container=False,
        elem_id="bias-pairs",
    )
    kept = add_plot("bias-kept", "Answers kept when the photos change places")
    named = add_plot("bias-named", "How often each place was named", visible=False)
    foot = gr.HTML(apply_default_css=False)
    head_of_chance = gr.HTML(AWAITED, apply_default_css=False)
    correlations = add_plot("bias-correlation", "Correlation above coin flips")
    foot_of_chance = gr.HTML(apply_default_css=False)

    def show(kind: str | None) -> list[Any]:
        finding, shares = findings().position[kind or next(iter(PAIRS))], list(findings().shares)
        if not finding.cells:
            return [words.head(words.ORDER, words.NONE_YET), gr.HTML(visible=False), gr.HTML(visible=False), ""]
        first, second = charts.consistency_chart(finding), charts.position_shares_chart(shares)
        text = " ".join(chart.text for chart in (first, second) if chart)
        source = cite(finding.sources, findings().as_of)
        note = markup.paragraph(words.SHARES_SOURCE, "qb-note") if second else markup.NOTHING
        under = _under(text, source, words.consistency_table(finding), note, words.shares_table(shares))
        return [words.head(words.ORDER, finding.on_consistency), plotted(first), plotted(second), under]

    def show_chance(kind: str | None) -> list[Any]:
        finding = findings().position[kind or next(iter(PAIRS))]
        if not finding.on_correlation:
            return [words.head(words.CHANCE_ALONE, words.NONE_YET), gr.HTML(visible=False), ""]
        chart = charts.chance_chart(finding)
        source = cite(finding.sources, findings().as_of)
        note = markup.paragraph(words.OPEN_DOTS, "qb-note")
        under = _under(chart.text, source, note, words.correlation_table(finding))
        return [words.head(words.CHANCE_ALONE, finding.on_correlation), plotted(chart), under]

    def show_on(event: Event) -> None:
        event(show, inputs=pairs, outputs=[head, kept, named, foot], **LATEST)
        event(show_chance, inputs=pairs, outputs=[head_of_chance, correlations, foot_of_chance], **LATEST)

    return pairs, show_on


def _add_score_words(findings: Callable[[], Findings]) -> Show:
    """The last strip, which has no choice."""
    head = gr.HTML(AWAITED, apply_default_css=False)
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

    def show_on(event: Event) -> None:
        event(show, outputs=[head, plot, foot], **PRIVATE)

    return show_on


def _under(text: str, source: str, *more: Html) -> Html:
    return markup.join(markup.under_chart(text, source), markup.page(*more))
