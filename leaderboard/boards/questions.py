"""Questions about photos, answered by choosing an option: Q-Bench's A1 (ICLR 2024, https://arxiv.org/abs/2309.14181),
on pairs (Q-Bench+), in Chinese, and what later benchmarks ask about one photo or several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

from leaderboard.tables.columns import Board, ChartLayout, Column, Metric, Part, PlaceOf, column_of

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
PAIR_GROUPS = {
    "question_type": QUESTION_GROUPS["question_type"],
    "concern": {"distortion": "Distortion", "other": "Other"},
    "comparison": {"compare": "Compare", "joint": "Joint"},
}
"""What the pairs' questions are grouped by; their concerns are not those of single images."""
_PLACES_OF_DAMAGE = (
    Metric("where_f1", "F1", "Harmonic mean of precision and recall of the boxes."),
    Metric("where_precision", "Precision", "Share of the model's boxes that match one of the truth."),
    Metric("where_recall", "Recall", "Share of the truth's boxes that the model finds."),
    Metric("where_miou", "mIoU", "How much matched boxes overlap, on average."),
    Metric("what_accuracy", "Type", "Share of damage whose type is named."),
    Metric("how_accuracy", "Severity", "Share of damage whose severity is named."),
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


def _halves() -> Iterable[Board]:
    """A1: multiple-choice questions, a board for each half of LLVisionQA."""
    for split, table in (("dev", "Table 7"), ("test", "Table 2")):
        yield questions_board(
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


def _pairs() -> Iterable[Board]:
    """A1 on pairs of images."""
    for split, count in (("test", "999"), ("dev", "1,000")):
        yield questions_board(
            ("perception", f"q-bench2-{split}", split),
            PAIR_GROUPS,
            {**BY_TYPE, "concern": "By concern", "comparison": "Compare or joint"},
            key=f"perception-pairs-{split}",
            title=f"A1 Perception of pairs, {split}",
            question=f"Which model compares two photos best? ({split} questions)",
            sentence=f"{count} questions about two images, answered by choosing an option (Q-Bench+, LLVisionQA+).",
        )


def _close_set() -> Board:
    """A1 without options to choose from: the loss of each option as an answer decides; beside it, choosing by reply."""
    board = questions_board(
        ("perception", "llvisionqa", "dev+test"),
        QUESTION_GROUPS,
        {**BY_TYPE, "concern": "By quadrant"},
        key="perception-close-set",
        title="A1 Perception, close-set",
        question="Which model assigns the highest probability to the right answer?",
        sentence="2,990 questions; the option that the model finds most probable is its answer (Q-Bench, Table 5).",
    )
    # Random guess states no way of choosing, and is the reference of both.
    by_loss = [replace(column, protocol={"choice": ("option of lowest perplexity", None)}) for column in board.columns]
    by_reply = [
        replace(
            column,
            key="by-reply" if column.key == "overall" else f"by-reply/{column.key}",
            label="By reply" if column.key == "overall" else f"{column.label}, by reply",
            parts=("by-reply",),
            description="The same questions asked as usual: the option that the reply names.",
            protocol={"choice": ("option named in the reply", None)},
            borrowed=True,
        )
        for column in board.columns
    ]
    protocol = {name: values for name, values in board.protocol.items() if name != "choice"}
    overall, *parts = board.parts
    return replace(
        board,
        columns=(by_loss[0], *by_reply, *by_loss[1:]),
        parts=(overall, Part("by-reply", "Asked as usual"), *parts),
        chart=ChartLayout(summaries=("overall", "by-reply")),
        protocol=protocol,
    )


def _chinese() -> Board:
    """A1 with its questions in English and translated into Chinese."""
    groups = {"overall": {"": "Overall"}, **QUESTION_GROUPS}
    asked = product(("dev", "test"), ("Chinese", "English"))
    languages = {f"{split}/{language}": f"{split.capitalize()}, {language}" for split, language in asked}
    columns = [
        column_of(
            "/".join(filter(None, (key, group))),
            label,
            key,
            QUESTION_ACCURACY,
            ("perception", f"llvisionqa-{split}", split),
            *((grouping, group) if group else ()),
            protocol={"question_language": (language,)},
        )
        for key in languages
        for split, language in (key.split("/"),)
        for grouping, labels in groups.items()
        for group, label in labels.items()
    ]
    return Board(
        key="perception-chinese",
        title="A1 Perception, in Chinese",
        question="What does a model lose when it is asked in Chinese?",
        sentence="The questions of A1 in English and translated into Chinese, same models, same photos "
        "(Chinese-Q-Bench, README); the English runs are older than A1's own.",
        columns=tuple(columns),
        parts=tuple(Part(key, label) for key, label in languages.items()),
        method="Perception (A1)",
        primary="dev/Chinese",
        chart=ChartLayout("dots"),
    )


ONE_PHOTO = (
    *_halves(),
    _close_set(),
    questions_board(
        ("perception", "unipercept-vqa-quality", "test"),
        {
            "aspect": {"location": "Location", "severity": "Severity", "type": "Type"},
            "question_type": QUESTION_GROUPS["question_type"]
            | {"which": "Which", "why": "Why", "level-prediction": "Level"},
        },
        {"overall": "Overall", "aspect": "By aspect", "question_type": "By question type"},
        key="unipercept-quality",
        title="UniPercept-Bench: quality",
        question="Which model tells where and how a photo is damaged?",
        sentence="1,088 questions about where damage is, how severe and of what type (UniPercept, Table 3). Two "
        "large models score below random guessing, probably because unreadable replies count as wrong.",
    ),
    Board(
        key="diag-bench",
        title="DIAG-Bench: where damage is",
        question="Which model finds the damaged part of a photo?",
        sentence="Boxes around damage, its type and its severity (GS-IQA, Table 1). The part of the paper that we "
        "read does not say how type and severity are scored if no box matches.",
        columns=tuple(
            column_of(metric.key, metric.label, metric.key.split("_")[0], metric, ("perception", "diag-bench", "test"))
            for metric in _PLACES_OF_DAMAGE
        ),
        parts=(Part("where", "Where"), Part("what", "What"), Part("how", "How severe")),
        method="Perception (A1)",
        primary="where",
        chart=ChartLayout("dots"),
    ),
    _chinese(),
)
SEVERAL = (
    *_pairs(),
    questions_board(
        ("perception", "micbench-test", "test"),
        {
            "question_type": {"yes-or-no": "Yes or no", "which": "Which", "other": "Other"},
            "images": {"three": "Three images", "four": "Four images"},
        },
        {**BY_TYPE, "images": "By number of images"},
        key="micbench-test",
        title="MICBench: several images",
        question="Which model compares three or four photos best?",
        sentence="996 questions about three or four images, answered by choosing an option (Co-Instruct, Table 6).",
    ),
)
