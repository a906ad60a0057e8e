"""Free descriptions that a judge compares with those of experts: Q-Bench's A2 (https://arxiv.org/abs/2309.14181), on
pairs (Q-Bench+), and of Q-Pathway."""

from __future__ import annotations

from typing import Any

from leaderboard.tables.columns import Address, Board, ChartLayout, Column, Metric, MetricView, column_of

SUM = Metric("sum", "Sum", "Completeness, precision and relevance added, 0 to 6.", decimals=2)
DESCRIPTION_METRICS = (
    Metric("completeness", "Score", "How much of the expert's description the model covers, 0 to 2.", decimals=2),
    Metric("precision", "Score", "How little the model contradicts the expert's description, 0 to 2.", decimals=2),
    Metric("relevance", "Score", "How much of the model's description is about low-level vision, 0 to 2.", decimals=2),
)
SHARE_METRICS = (
    Metric("p0", "0", "Share of judgements that gave 0.", unit="%", decimals=2, direction="lower"),
    Metric("p1", "1", "Share of judgements that gave 1.", unit="%", decimals=2, direction="neither"),
    Metric("p2", "2", "Share of judgements that gave 2.", unit="%", decimals=2),
)
_SCORES = ("sum", *(metric.key for metric in DESCRIPTION_METRICS))


def _descriptions(dataset: str, with_shares: bool = False, **facts: Any) -> Board:
    """A judge's grades of descriptions in three dimensions, ranked by their sum; with the shares of each grade."""
    place = ("description", dataset, None)
    columns = [column_of("sum", "Sum", "sum", SUM, place)]
    for metric in DESCRIPTION_METRICS:
        name, label = metric.key, metric.key.capitalize()
        columns.append(column_of(name, label, name, metric, place))
        columns += [
            Column(f"{name}/{share.key}", label, (name,), share, Address(*place, "share", name, share.key.upper()))
            for share in SHARE_METRICS
            if with_shares
        ]
    return Board(
        columns=tuple(columns),
        method="Description (A2)",
        primary="sum",
        chart=ChartLayout("dots", summaries=("sum",)),
        **facts,
    )


BOARDS = (
    _descriptions(
        "lldescribe",
        with_shares=True,
        key="description",
        title="A2 Description",
        question="Which model describes the quality of a photo best?",
        sentence="Descriptions of how 499 photos look; GPT compares them with those of experts (Q-Bench, Table 3).",
        views=(
            MetricView("scores", "Scores", _SCORES),
            MetricView("shares", "Scores and their shares", (*_SCORES, *(share.key for share in SHARE_METRICS))),
        ),
        facets=("language", "vision"),
    ),
    _descriptions(
        "lldescribe-pairs",
        key="description-pairs",
        title="A2 Description of pairs",
        question="Which model best describes how two photos differ?",
        sentence="Comparisons of two images in words; GPT compares them with those of experts (Q-Bench+, Co-Instruct).",
    ),
    _descriptions(
        "q-pathway",
        key="description-q-pathway",
        title="A2-like, Q-Pathway",
        question="Which model describes a photo best, graded by GPT-4o?",
        sentence="Descriptions of 100 photos of Q-Pathway, graded five times each by GPT-4o, which sees the photo. "
        "The judge and the references are not those of A2.",
    ),
)
