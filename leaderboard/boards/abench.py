"""A-Bench (https://arxiv.org/abs/2406.03070): questions about generated images, on their content and their quality."""

from __future__ import annotations

from leaderboard.boards.qbench import questions_board
from leaderboard.tables.columns import Board, ChartLayout

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
EMPTY = "No results yet: what lmms-eval writes for abench_dev, or VLMEvalKit for A-Bench_VAL, is read on Submit."


def whole_board() -> Board:
    """All 2,864 questions, whose answers the authors keep."""
    quality = {key: CATEGORIES[key] for key in ("technical", "aesthetic", "generative")}
    return questions_board(
        ("perception", "a-bench", None),
        {"part": dict(reversed(PARTS.items())), "category": quality, "aspect": ASPECTS},
        {"part": "By part", "category": "Quality perception", "aspect": "Semantic understanding"},
        key="a-bench",
        title="A-Bench: generated images",
        question="Which model sees best what is wrong with generated images?",
        sentence="2,864 questions about generated images, answered by choosing an option (A-Bench, both parts).",
        chart=ChartLayout(summaries=("part",)),
        empty=EMPTY,
    )


def dev_board() -> Board:
    """The part whose answers are public, as evaluation tools run it."""
    return questions_board(
        ("perception", "a-bench-dev", "dev"),
        {"part": PARTS, "category": CATEGORIES},
        {"overall": "Overall", "part": "By part", "category": "By category"},
        key="a-bench-dev",
        title="A-Bench, dev",
        question="Which model answers best about generated images? (dev questions)",
        sentence="Those of A-Bench's questions about generated images whose answers are public (A-Bench-HF, dev).",
        chart=ChartLayout(summaries=("overall",)),
        empty=EMPTY,
    )
