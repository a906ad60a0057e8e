"""A-Bench (https://arxiv.org/abs/2406.03070): questions about generated images, on their content and their quality."""

from __future__ import annotations

from leaderboard.boards.qbench import QUESTION_ACCURACY
from leaderboard.tables.columns import Address, Board, ChartLayout, Column, MetricView, Part

BENCHMARK = "A-Bench"
PARTS = {"part1": "P1 Semantic understanding", "part2": "P2 Quality perception"}
CATEGORIES = {
    "technical": "Technical quality",
    "aesthetic": "Aesthetic quality",
    "generative": "Generative distortion",
    "basic": "Basic recognition",
    "bag-of-words": "Bag-of-words pitfalls",
    "outside": "Outside knowledge",
}
"""The second level of a question's category; those of quality first, which this board is about."""
ASPECTS = {
    "major": "Major object",
    "minor": "Minor object",
    "attribute": "Attributes",
    "nouns-as-adjectives": "Nouns as adjectives",
    "composition": "Composition",
    "number": "Number",
    "term": "Terms",
    "contradiction": "Contradictions",
}
"""The third level, of questions on content alone."""
_PROTOCOL = {"choice": (), "subset": (), "limit": ()}


def whole_board() -> Board:
    """All 2,864 questions, whose answers the authors keep."""
    return _board(
        "a-bench",
        "A-Bench: generated images",
        "Which model sees best what is wrong with generated images?",
        "2,864 questions about generated images, answered by choosing an option (A-Bench, README).",
        ("perception", "a-bench", None),
        {"category": {key: CATEGORIES[key] for key in ("technical", "aesthetic", "generative")}, "aspect": ASPECTS},
        (Part("category", "Quality perception"), Part("aspect", "Semantic understanding")),
    )


def dev_board() -> Board:
    """The part whose answers are public, as evaluation tools run it."""
    return _board(
        "a-bench-dev",
        "A-Bench, dev",
        "Which model answers best about generated images? (dev questions)",
        "Those of A-Bench's questions about generated images whose answers are public (A-Bench-HF, dev).",
        ("perception", "a-bench-dev", "dev"),
        {"part": PARTS, "category": CATEGORIES},
        (Part("overall", "Overall"), Part("part", "By part"), Part("category", "By category")),
    )


def _board(
    key: str,
    title: str,
    question: str,
    sentence: str,
    place: tuple[str, str, str | None],
    groups: dict[str, dict[str, str]],
    parts: tuple[Part, ...],
) -> Board:
    address = (*place, QUESTION_ACCURACY.key)
    columns = [
        Column(f"{grouping}/{group}", label, (grouping,), QUESTION_ACCURACY, Address(*address, grouping, group))
        for grouping, labels in groups.items()
        for group, label in labels.items()
    ]
    if parts[0].key == "overall":
        columns.insert(0, Column("overall", "Overall", ("overall",), QUESTION_ACCURACY, Address(*address)))
    return Board(
        key=key,
        title=title,
        question=question,
        benchmark=BENCHMARK,
        sentence=sentence,
        columns=tuple(columns),
        parts=parts,
        views=(MetricView("accuracy", "Accuracy", (QUESTION_ACCURACY.key,)),),
        method="Perception (A1)",
        primary=parts[0].key,
        chart=ChartLayout(summaries=("overall",) if parts[0].key == "overall" else ()),
        protocol=_PROTOCOL,
        empty="No results yet: what lmms-eval writes for abench_dev, or VLMEvalKit for A-Bench_VAL, is read on Submit.",
    )
