"""The figures of a run, as HTML: every metric with its interval, the habits, what has no usable answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from leaderboard.html import markup
from leaderboard.html.habits import kept_sentence, places_sentence
from leaderboard.html.markup import NO_FIGURE, Html, HtmlCell, HtmlRow, template
from leaderboard.live.run import FinishedRun, Missing
from leaderboard.tables.words import PER_CENT, begin, minus, percent
from qbench.datasets.known import SYNTHETIC
from qbench.records import Estimate, Metrics, Result
from qbench.tasks import TASKS, description

SYNTHETIC_NOTE = (
    "Synthetic truth: in demo sets, the damage done to the pictures decides what is right. No person judged "
    "them, so no figure here says how people would see them."
)
SHARES = (
    "accuracy",
    "parser_accuracy",
    "accuracy_balanced",
    "accuracy_joint",
    "accuracy_consistent",
    "consistency",
    "first_rate",
    "second_rate",
    "tie_rate",
    "yes_accuracy",
    "no_accuracy",
    "debiased_accuracy",
)
"""Metrics that are shares, shown in per cent."""
NAMES: Mapping[str, str] = {
    "srcc": "SRCC",
    "plcc": "PLCC",
    "plcc_fitted": "PLCC after a fitted curve",
    "krcc": "KRCC",
    "rmse": "RMSE",
    "accuracy_joint": "Right and consistent (α)",
    "accuracy_consistent": "Right, of the consistent pairs",
    "consistency": "Same answer in both orders (κ)",
    "correlation": "Correlation of the ranking (ρ)",
    "dprime": "d′",
    "first_rate": "Named the first",
    "second_rate": "Named the second",
    "tie_rate": "Named neither",
    "yes_accuracy": "Right where the answer is Yes",
    "no_accuracy": "Right where the answer is No",
    "debiased_accuracy": "Mean of Yes and No",
    "accuracy_balanced": "Accuracy in every order",
    "position_bias": "First less second",
    "retrieval_map": "mAP, mean of medium and hard",
    "map_easy": "mAP, easy",
    "map_medium": "mAP, medium",
    "map_hard": "mAP, hard",
}
PAGE_WORDS: Mapping[str, str] = {
    description.UNGRADED: "not graded, because you chose no judge model; the descriptions are in the ZIP below",
}
"""What records say of an absent figure to who runs a command -> what the page says."""
_SYNTHETIC = template('<p class="qb-synthetic" role="note">{{ text }}</p>', "text")
_HEADERS = ["", "Value", "95 % interval", "Independent items"]
MOST_REASONS, MOST_NAMED = 10, 3


def run_results(finished: FinishedRun, task: str) -> Html:
    """Every figure of every record, and the figures of groups one click away."""
    records = list(finished.records.results.values())
    synthetic = any(record.protocol.get("truth") == SYNTHETIC for record in records)
    sentence = TASKS[task].sentence
    return markup.page(
        _SYNTHETIC(SYNTHETIC_NOTE) if synthetic else markup.NOTHING,
        markup.heading("Figures"),
        *(metrics_table(record.metrics, record.dataset) for record in records),
        *(markup.finding(_why_absent(record)) for record in records),
        *(markup.folded("By group", _groups(record)) for record in records if record.groups),
        markup.note(_part_said(records[0])),
        markup.note(f"{begin(sentence)}. {_asked(records[0])}."),
    )


def _part_said(result: Result) -> str:
    """Of which part of the dataset the figures are; empty where they are of the whole."""
    limit, coverage = result.protocol.get("limit"), result.protocol.get("coverage")
    if not limit:
        return ""
    here = f"the {coverage['used']:,} of {coverage['of']:,} samples whose images are here" if coverage else ""
    return f"Only {here or f'{limit:,} samples'}: figures of a part say little about the whole."


def _why_absent(result: Result) -> str:
    """Why figures may be absent where a part of the samples was asked."""
    limit, missing_some = result.protocol.get("limit"), any(metric.value is None for metric in result.metrics.values())
    if not limit or not missing_some or "averaged_over" not in result.protocol:
        return ""
    return (
        f"Each figure is a mean over groups of pictures. Some groups have too few pictures among the first {limit} "
        "samples, so run more samples, or all."
    )


def metrics_table(metrics: Metrics, caption: str) -> Html:
    """Every figure with its interval, or the reason why it is absent."""
    rows = [_row(NAMES.get(name, name.replace("_", " ").capitalize()), name, each) for name, each in metrics.items()]
    return markup.table(_HEADERS, rows, caption, "Figures", "qb-figures", of_terms=True)


def _groups(result: Result) -> Html:
    rows = [
        _row(f"{grouping.replace('_', ' ')}: {group}, {NAMES.get(name, name)}", name, metric)
        for grouping, groups in result.groups.items()
        for group, metrics in groups.items()
        for name, metric in metrics.items()
    ]
    return markup.table(_HEADERS, rows, f"{result.dataset}, by group", "Groups", "qb-figures")


def _row(label: str, name: str, metric: Estimate) -> HtmlRow:
    if metric.value is None:
        note = metric.note or ""
        return [label, NO_FIGURE, HtmlCell(PAGE_WORDS.get(note, note), weight="wrap"), ""]
    if metric.low is None or metric.high is None:
        span = HtmlCell(f"none: {metric.note}", weight="wrap") if metric.note else NO_FIGURE
    else:
        span = HtmlCell(interval(name, metric))
    items = "" if metric.n is None else f"{metric.n:,}"
    return [label, HtmlCell(value(name, metric.value), weight="strong"), span, items]


def value(name: str, number: float) -> str:
    """A figure as people read it."""
    return percent(number, 1) if name in SHARES else minus(f"{number:.3f}")


def interval(name: str, metric: Estimate) -> str:
    """Both ends of an interval."""
    assert metric.low is not None and metric.high is not None
    return f"{value(name, metric.low).removesuffix(PER_CENT)} to {value(name, metric.high)}"


def _asked(result: Result) -> str:
    """How the model was asked, or that it gives scores without being asked anything."""
    if result.protocol.get("prompt") == "score":
        return "The model scores one picture at a time; nothing is asked in words"
    how = ("prompt", "scoring", "style", "prefill", "answer", "vectors", "mode", "options", "graded_by")
    kept = (*how, "pairing", "schedule", "rounds", "seed", "strategy", "temperature", "orders")
    asked = (
        f"{name.replace('_', ' ')} {result.protocol[name]}".rstrip(".") for name in kept if name in result.protocol
    )
    return f"Asked: {', '.join(asked)}"


def run_habits(finished: FinishedRun) -> Html:
    """Answer habits that the records measure, one sentence each."""
    records = finished.records.results.values()
    sentences = [
        (f"{record.dataset}: " if len(records) > 1 else "") + sentence
        for record in records
        for sentence in _habits(record.metrics)
    ]
    if any(record.protocol.get("answer") == "scores" for record in records):
        sentences = ["The model scores one picture at a time, so the order cannot matter."]
    quality = finished.outcome.scores.get("quality", ()) if finished.outcome else ()
    leaning = [score.order > 0 for score in quality if score.order is not None]
    if leaning:
        sentences.append(
            f"The good word was the likelier one for {percent(sum(leaning) / len(leaning))} of the pictures."
        )
    if not sentences:
        return markup.NOTHING
    return markup.page(markup.heading("Habits"), *(markup.finding(sentence) for sentence in sentences))


def _habits(metrics: Metrics) -> list[str]:
    known = {name: metric.value for name, metric in metrics.items() if metric.value is not None}
    sentences = []
    if {"first_rate", "second_rate"} <= known.keys():
        sentences.append(places_sentence(metrics))
    if "consistency" in known:
        sentences.append(kept_sentence(metrics["consistency"]))
    if {"yes_accuracy", "no_accuracy"} <= known.keys():
        leans = ""
        if "criterion" in known:
            side = "Yes" if known["criterion"] < 0 else "No"
            leans = f" (criterion {value('criterion', known['criterion'])}: it leans to {side})"
        sentences.append(
            f"Where the answer is Yes it was right in {percent(known['yes_accuracy'])} of the questions, where it is "
            f"No in {percent(known['no_accuracy'])}{leans}."
        )
    return sentences


def missing(found: Sequence[Missing]) -> Html:
    """What has no usable answer, by reason."""
    if not found:
        return markup.NOTHING
    rows: list[HtmlRow] = []
    for group in found[:MOST_REASONS]:
        named = "; ".join(group.samples[:MOST_NAMED]) + (" …" if len(group.samples) > MOST_NAMED else "")
        reason, such_as = (HtmlCell(text, weight="wrap") for text in (group.reason, named))
        rows.append([reason, f"{len(group.samples):,}", such_as])
    caption = "Samples without a usable answer; counted with the figures as each metric says"
    return markup.page(markup.heading("Without an answer"), markup.table(["Why", "Samples", "Such as"], rows, caption))
