"""The demo sets: synthetic damage whose truth is its construction. Never beside what papers report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from leaderboard.boards import comparing, questions, scoring, similarity
from leaderboard.tables.columns import Board, ChartLayout, Column, Metric, Part, column_of

_SRCC = replace(
    scoring.SRCC,
    description="Spearman rank correlation with how strongly the pictures were damaged, within a type of damage. "
    "1 is the same order, 0 no relation, -1 the reverse.",
)
_PLCC = replace(
    scoring.PLCC,
    description="Pearson correlation with how strongly the pictures were damaged, within a type of damage.",
)
_COMPARED = (
    replace(
        comparing.JOINT_ACCURACY,
        description="Share of all pairs where the less damaged picture is picked in both orders.",
    ),
    comparing.CONSISTENCY,
    replace(
        comparing.CORRELATION,
        description="Correlation of the ranking built from the choices with how strongly the pictures were damaged, "
        "after a fitted curve. Eight pictures a set: a judge who flips coins is often far above zero.",
    ),
)
WAY_COUNTS = (2, 3, 4, 5, 6)
_COARSE = {"lens-blur": "lens blur", "white-noise": "white noise", "jpeg": "JPEG"}
_METHOD = "Demo sets (synthetic truth)"
_PROTOCOL: Mapping[str, tuple[str, ...]] = {"limit": (), "scoring": (), "prefill": (), "other_words": ()}
"""The papers' own way of asking alone; a run of a part is listed below the table."""
_FINE = {
    "levels": ("Levels", _COMPARED[0]),
    "types": ("Types", comparing.CONSISTENCY),  # construction does not say which type is worse
    "intervals": ("Intervals", _COMPARED[0]),
}
_QUESTIONS = ("perception", "demo-perception", None)


def _column(key: str, label: str, task: str, dataset: str, metric: Metric, part: str = "") -> Column:
    return column_of(key, label, part or task, metric, (task, dataset, None))


def _more_images() -> Board:
    """UniSim-Bench's question of more images than two, on the demo sets of it."""
    columns = similarity.by_images({count: f"demo-it-2afc-{count}-way" for count in WAY_COUNTS})
    return Board(
        key="demo-n-way",
        title="Synthetic, more images",
        question=f"Which model finds the photo that fits a caption, among {WAY_COUNTS[0]} to {WAY_COUNTS[-1]} damaged "
        "versions?",
        sentence=f"Synthetic: which of {WAY_COUNTS[0]} to {WAY_COUNTS[-1]} versions of a photo, damaged on purpose, a "
        "caption is about; each column asks the same questions with one version more. Not comparable with the papers' "
        "tables.",
        columns=columns,
        method=_METHOD,
        primary=columns[-1].key,
        chart=ChartLayout("curve"),
        protocol=_PROTOCOL,
        facets=("kind",),
        empty=f"No results yet: a model's accuracy for {WAY_COUNTS[0]} to {WAY_COUNTS[-1]} images appears here after "
        f"python -m qbench run --task it-2afc --dataset demo-it-2afc-{WAY_COUNTS[-1]}-way --model nano-clip.",
    )


BOARDS = (
    Board(
        key="demo",
        title="Demo (synthetic)",
        question="Which model sees damage done on purpose?",
        sentence="Photos damaged on purpose: what is right follows from how they were made and is nobody's opinion. "
        "Small sets to try a model on; not comparable with the papers' tables.",
        columns=(
            column_of("perception/overall", "Overall", "perception", questions.QUESTION_ACCURACY, _QUESTIONS),
            *questions.group_columns(_QUESTIONS, questions.QUESTION_GROUPS, "perception"),
            _column("assessment/srcc", "SRCC", "assessment", "demo-assessment", _SRCC),
            _column("assessment/plcc", "PLCC", "assessment", "demo-assessment", _PLCC),
            *(
                _column(f"{kind}/{metric.key}", metric.label, "comparison", f"demo-comparison/{kind}", metric, kind)
                for kind in _COARSE
                for metric in _COMPARED
            ),
            *(
                _column(f"comparison-{key}", label, "comparison", f"demo-comparison-{key}", metric, "fine")
                for key, (label, metric) in _FINE.items()
            ),
            *(
                _column(f"similarity/{task}", label, task, f"demo-{task}", similarity.metric_of(task), "similarity")
                for task, label in (similarity.CORE_TASKS | similarity.OTHER_TASKS).items()
            ),
        ),
        parts=(
            Part("perception", "Perception"),
            Part("assessment", "Assessment"),
            *(Part(kind, f"Comparison, {label}") for kind, label in _COARSE.items()),
            Part("fine", "Fine comparison"),
            Part("similarity", "Similarity"),
        ),
        method=_METHOD,
        primary="assessment",
        chart=ChartLayout(summaries=("perception", "assessment", *_COARSE, "fine")),
        protocol=_PROTOCOL,
        facets=("kind",),
    ),
    _more_images(),
)
