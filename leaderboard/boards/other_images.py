"""Questions about the quality of other images than photos: generated ones, videos and medical images."""

from __future__ import annotations

from dataclasses import replace

from leaderboard.boards.questions import BY_TYPE, QUESTION_ACCURACY, QUESTION_GROUPS, questions_board
from leaderboard.tables.columns import Board, ChartLayout, Metric, Part, column_of

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
_VIDEO_SCORE = Metric(
    "video_score",
    "Score",
    "Mean over all questions: right or wrong where there are options, GPT-4o's grade where the answer is open-ended.",
    unit="%",
    decimals=2,
)
_VIDEO_GRADE = replace(
    _VIDEO_SCORE, key="video_grade", description="Open-ended answers, graded 0 to 2 by GPT-4o five times, in % of 2."
)

GENERATED = (
    questions_board(  # its authors keep the answers
        ("perception", "a-bench", None),
        {
            "part": dict(reversed(PARTS.items())),
            "category": {key: CATEGORIES[key] for key in ("technical", "aesthetic", "generative")},
            "aspect": ASPECTS,
        },
        {"part": "By part", "category": "Quality perception", "aspect": "Semantic understanding"},
        key="a-bench",
        title="A-Bench: generated images",
        question="Which model best sees what is wrong with generated images?",
        sentence="2,864 questions about generated images, answered by choosing an option (A-Bench, both parts).",
        chart=ChartLayout(summaries=("part",)),
        empty=EMPTY,
    ),
    questions_board(  # the part whose answers are public, as evaluation tools run it
        ("perception", "a-bench-dev", "dev"),
        {"part": PARTS, "category": CATEGORIES},
        {"overall": "Overall", "part": "By part", "category": "By category"},
        key="a-bench-dev",
        title="A-Bench, dev",
        question="Which model answers best about generated images? (dev questions)",
        sentence="Those of A-Bench's questions about generated images whose answers are public (A-Bench-HF, dev).",
        chart=ChartLayout(summaries=("overall",)),
        empty=EMPTY,
    ),
    questions_board(
        ("perception", "square-bench-quality", "test"),
        {"aspect": {"aesthetic": "Aesthetic", "generative": "Generative", "technical": "Technical"}},
        {"overall": "Overall", "aspect": "By aspect"},
        key="square-bench-quality",
        title="SQUARE-Bench: quality",
        question="Which model judges generated images best?",
        sentence="368 questions about the quality of generated images, answered by choosing an option (SQUARE-Bench, "
        "Table 3).",
    ),
)


def _video() -> Board:
    """Questions about the quality of videos."""
    place = ("perception", "q-bench-video", "test")
    concerns = {"technical": "Technical", "aesthetic": "Aesthetic", "temporal": "Over time", "aigc": "Generated"}
    kinds = {
        "yes-or-no": ("Yes or no", QUESTION_ACCURACY),
        "what-how": ("What or how", QUESTION_ACCURACY),
        "open-ended": ("Open-ended", _VIDEO_GRADE),
    }
    return Board(
        key="q-bench-video",
        title="Q-Bench-Video",
        question="Which model sees what is wrong with a video?",
        sentence="2,378 questions about single videos and pairs; GPT-4o grades open-ended answers (Q-Bench-Video, "
        "README).",
        columns=(
            column_of("overall", "Overall", "overall", _VIDEO_SCORE, place),
            *(
                column_of(key, label, "question_type", metric, place, "question_type", key)
                for key, (label, metric) in kinds.items()
            ),
            *(
                column_of(f"concern/{key}", label, "concern", _VIDEO_SCORE, place, "concern", key)
                for key, label in concerns.items()
            ),
        ),
        parts=(Part("overall", "Overall"), Part("question_type", "By question type"), Part("concern", "By concern")),
        method="Perception (A1)",
        primary="overall",
    )


VIDEOS_AND_MEDICAL = (
    _video(),
    questions_board(
        ("perception", "medq-bench", "test"),
        {"question_type": QUESTION_GROUPS["question_type"]},
        BY_TYPE,
        key="medq-bench",
        title="MedQ-Bench: medical images",
        question="Which model judges the quality of medical images best?",
        sentence="Questions about the quality of CT, MRI, histology, endoscopy and fundus images (MedQ-Bench, README, "
        "which prints the five best models and two more).",
    ),
)
