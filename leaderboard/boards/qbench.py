"""Q-Bench (ICLR 2024, https://arxiv.org/abs/2309.14181): perception, description and assessment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from leaderboard.tables.classes import TWO_WORDS
from leaderboard.tables.columns import (
    Address,
    Board,
    ChartLayout,
    Column,
    Metric,
    MetricView,
    Part,
    PlaceOf,
    column_of,
    metric_columns,
)

QUESTION_ACCURACY = Metric(
    "accuracy", "Accuracy", "Share of questions answered correctly.", unit="%", decimals=2, proportion=True
)
UNREAD = Metric(
    "unread",
    "Unreadable",
    "Share of replies that name no option; accuracy counts them as wrong.",
    unit="%",
    decimals=2,
    direction="neither",
    counted=True,
)
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
SRCC = Metric(
    "srcc",
    "SRCC",
    "Spearman rank correlation with human scores: does the model put the images in the same order as people? "
    "1 is the same order, 0 no relation, -1 the reverse.",
)
PLCC = Metric(
    "plcc",
    "PLCC",
    "Pearson correlation with human scores: do the model's scores rise in proportion with people's? "
    "Computed on the scores as they are, without a fitted curve.",
)
MEAN = Metric("mean", "Mean", "Mean of SRCC and PLCC.")

QUESTION_GROUPS = {
    "question_type": {"yes-or-no": "Yes or no", "what": "What", "how": "How"},
    "concern": {
        "distortion": "Distortion",
        "other": "Other",
        "in-context-distortion": "In-context distortion",
        "in-context-other": "In-context other",
    },
}
BY_TYPE = {"overall": "Overall", "question_type": "By question type"}
"""Parts of most boards of questions."""
ASSESSMENT_DATASETS = {
    "koniq-10k": ("KonIQ-10k", "10,073 photos taken in the wild."),
    "spaq": ("SPAQ", "11,125 smartphone photos."),
    "live-fb": ("LIVE-FB", "39,810 photos taken in the wild."),
    "live-itw": ("LIVE-itw", "1,169 photos taken in the wild."),
    "cgiqa-6k": ("CGIQA-6K", "6,000 computer-generated images; mean over games and movies."),
    "agiqa-3k": ("AGIQA-3K", "2,982 images made by generative models."),
    "kadid-10k": ("KADID-10k", "10,125 artificially distorted photos."),
}


def perception_board(split: str, table: str) -> Board:
    """A1: multiple-choice questions, one half of LLVisionQA."""
    return questions_board(
        ("perception", f"llvisionqa-{split}", split),
        QUESTION_GROUPS,
        {**BY_TYPE, "concern": "By quadrant"},
        with_unread=split == "dev",
        key=f"perception-{split}",
        title=f"A1 Perception, {split}",
        question=f"Which model answers questions about one photo best? ({split} half)",
        sentence=f"Questions about how 1,495 photos look, answered by choosing an option (Q-Bench, {table}).",
        facets=("language", "vision"),
    )


def questions_board(
    place: PlaceOf,
    groups: Mapping[str, Mapping[str, str]],
    parts: Mapping[str, str],
    with_unread: bool = False,
    **facts: Any,
) -> Board:
    """Accuracy on multiple-choice questions, ranked by the first part.

    Args:
        place: Task, dataset and split of the records.
        groups: Grouping -> group -> its label.
        parts: Groupings to show -> their labels; `overall` is the column of all questions.
        with_unread: Whether the share of replies that were not read stands beside the accuracy.
        facts: The other fields of the board.
    """
    columns = group_columns(place, groups)
    if "overall" in parts:
        overall = column_of("overall", "Overall", "overall", QUESTION_ACCURACY, place)
        unread = column_of("unread", UNREAD.label, "overall", UNREAD, place)
        columns = [overall, *([unread] if with_unread else []), *columns]
    return Board(
        columns=tuple(columns),
        parts=tuple(Part(key, label) for key, label in parts.items()),
        method="Perception (A1)",
        primary=next(iter(parts)),
        protocol={"choice": (), "subset": (), "limit": (), "question_language": ()},
        **facts,
    )


def group_columns(place: PlaceOf, groups: Mapping[str, Mapping[str, str]], part: str = "") -> list[Column]:
    """Accuracy in each group of questions; grouping -> group -> its label. Groupings are parts where none is named."""
    return [
        column_of(f"{grouping}/{group}", label, part or grouping, QUESTION_ACCURACY, place, grouping, group)
        for grouping, labels in groups.items()
        for group, label in labels.items()
    ]


def description_board() -> Board:
    """A2: free descriptions, judged against golden ones."""
    scores = ("sum", *(metric.key for metric in DESCRIPTION_METRICS))
    return _descriptions(
        "lldescribe",
        with_shares=True,
        key="description",
        title="A2 Description",
        question="Which model describes the quality of a photo best?",
        sentence="Descriptions of how 499 photos look; GPT compares them with those of experts (Q-Bench, Table 3).",
        views=(
            MetricView("scores", "Scores", scores),
            MetricView("shares", "Scores and their shares", (*scores, *(share.key for share in SHARE_METRICS))),
        ),
        facets=("language", "vision"),
    )


def pairs_description_board() -> Board:
    """A2 on pairs of images."""
    return _descriptions(
        "lldescribe-pairs",
        key="description-pairs",
        title="A2 Description of pairs",
        question="Which model best describes how two photos differ?",
        sentence="Comparisons of two images in words; GPT compares them with those of experts (Q-Bench+, Co-Instruct).",
    )


def pathway_board() -> Board:
    """Descriptions graded by another judge and against other references than A2's."""
    return _descriptions(
        "q-pathway",
        key="description-q-pathway",
        title="A2-like, Q-Pathway",
        question="Which model describes a photo best, graded by GPT-4o?",
        sentence="Descriptions of 100 photos of Q-Pathway, graded five times each by GPT-4o, which sees the photo. "
        "The judge and the references are not those of A2.",
    )


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


def assessment_board() -> Board:
    """A3: correlation of softmax scores with human ones, each model with its own score words."""
    datasets = {"average": ("Average", "Plain mean over the seven datasets."), **ASSESSMENT_DATASETS}
    columns: list[Column] = []
    for part, (label, about) in datasets.items():
        is_average = part == "average"
        dataset = f"average-of-{len(ASSESSMENT_DATASETS)}" if is_average else part
        place, mean_of = ("assessment", dataset, None), ASSESSMENT_DATASETS if is_average else ()
        columns += metric_columns(part, label, (SRCC, PLCC), place, about, mean_of=mean_of)
        both = (f"{part}/srcc", f"{part}/plcc")
        columns.append(Column(f"{part}/mean", label, (part,), MEAN, mean_of=both, description=about))
    return Board(
        key="assessment",
        title="A3 Assessment",
        question="Which model scores photos most like people, without training on ratings?",
        sentence="A photo's score says how much more probable the answer “good” is than “poor”. The board shows how "
        "well these scores agree with people's.",
        columns=tuple(columns),
        views=(
            MetricView("both", "SRCC and PLCC", ("srcc", "plcc")),
            MetricView("srcc", "SRCC", ("srcc",)),
            MetricView("plcc", "PLCC", ("plcc",)),
            MetricView("mean", "Mean of both", ("mean",)),
        ),
        method="Assessment (A3)",
        primary="average",
        chart=ChartLayout(metrics=("mean", "srcc", "plcc"), summaries=("average",)),  # Fig. 14
        protocol={"strategy": ("softmax",), "limit": (), "class": (TWO_WORDS,), "prefill": ()},
        own_words=True,
        references=("niqe",),  # the baseline of Sec. 3.3
        facets=("language", "vision"),
    )
