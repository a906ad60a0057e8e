"""Benchmarks of one source each: A-Bench, A1 asked in Chinese, where damage is, videos and medical images."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from leaderboard.boards.qbench import BY_TYPE, QUESTION_ACCURACY, QUESTION_GROUPS, questions_board
from leaderboard.tables.columns import Board, ChartLayout, Metric, Part, column_of

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


def chinese_board() -> Board:
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


def damage_places_board() -> Board:
    """Where damage is, of what type and how severe."""
    metrics = (
        Metric("where_f1", "F1", "Harmonic mean of precision and recall of the boxes."),
        Metric("where_precision", "Precision", "Share of the model's boxes that match one of the truth."),
        Metric("where_recall", "Recall", "Share of the truth's boxes that the model finds."),
        Metric("where_miou", "mIoU", "How much matched boxes overlap, on average."),
        Metric("what_accuracy", "Type", "Share of damage whose type is named."),
        Metric("how_accuracy", "Severity", "Share of damage whose severity is named."),
    )
    parts = {"where": "Where", "what": "What", "how": "How severe"}
    return Board(
        key="diag-bench",
        title="DIAG-Bench: where damage is",
        question="Which model finds the damaged part of a photo?",
        sentence="Boxes around damage, its type and its severity (GS-IQA, Table 1). The part of the paper that we "
        "read does not say how type and severity are scored if no box matches.",
        columns=tuple(
            column_of(metric.key, metric.label, metric.key.split("_")[0], metric, ("perception", "diag-bench", "test"))
            for metric in metrics
        ),
        parts=tuple(Part(key, label) for key, label in parts.items()),
        method="Perception (A1)",
        primary="where",
        chart=ChartLayout("dots"),
    )


def video_board() -> Board:
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


def medical_board() -> Board:
    """Questions about the quality of medical images."""
    return questions_board(
        ("perception", "medq-bench", "test"),
        {"question_type": QUESTION_GROUPS["question_type"]},
        BY_TYPE,
        key="medq-bench",
        title="MedQ-Bench: medical images",
        question="Which model judges the quality of medical images best?",
        sentence="Questions about the quality of CT, MRI, histology, endoscopy and fundus images (MedQ-Bench, README, "
        "which prints the five best models and two more).",
    )


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


def abench_whole_board() -> Board:
    """All 2,864 questions, whose answers the authors keep."""
    quality = {key: CATEGORIES[key] for key in ("technical", "aesthetic", "generative")}
    return questions_board(
        ("perception", "a-bench", None),
        {"part": dict(reversed(PARTS.items())), "category": quality, "aspect": ASPECTS},
        {"part": "By part", "category": "Quality perception", "aspect": "Semantic understanding"},
        key="a-bench",
        title="A-Bench: generated images",
        question="Which model best sees what is wrong with generated images?",
        sentence="2,864 questions about generated images, answered by choosing an option (A-Bench, both parts).",
        chart=ChartLayout(summaries=("part",)),
        empty=EMPTY,
    )


def abench_dev_board() -> Board:
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
