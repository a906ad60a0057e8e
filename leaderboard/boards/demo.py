"""The demo sets: synthetic damage whose truth is its construction. Never beside what papers report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from leaderboard.boards import qbench, twoafc, unisim
from leaderboard.columns import Address, Board, Column, Metric, MetricView, Part
from qbench.datasets.demo.lineup import WAYS

SRCC = replace(
    qbench.SRCC,
    description="Spearman rank correlation with how strongly the pictures were damaged, within a type of damage. "
    "1 is the same order, 0 no relation, -1 the reverse.",
)
PLCC = replace(
    qbench.PLCC,
    description="Pearson correlation with how strongly the pictures were damaged, within a type of damage.",
)
COMPARED = (
    replace(twoafc.ACCURACY, description="Share of all pairs where the less damaged picture is picked in both orders."),
    twoafc.CONSISTENCY,
    replace(
        twoafc.CORRELATION,
        description="Correlation of the ranking built from the choices with how strongly the pictures were damaged, "
        "after a fitted curve. Eight pictures a set: a judge who flips coins is often far above zero.",
    ),
)
SIMILARITY = {
    "img-2afc": "Img-2AFC",
    "it-2afc": "IT-2AFC",
    "text-2afc": "Text-2AFC",
    "iqa-2afc": "IQA",
    "attributes": "Attributes",
    "odd-one-out": "Odd one out",
    "retrieval": "Retrieval",
}
COARSE = {"lens-blur": "lens blur", "white-noise": "white noise", "jpeg": "JPEG"}
METHOD = "Demo sets (synthetic truth)"
PROTOCOL: Mapping[str, tuple[str, ...]] = {"limit": ()}
FINE = {
    "levels": ("Levels", COMPARED[0]),
    "types": ("Types", twoafc.CONSISTENCY),  # construction does not say which type is worse
    "intervals": ("Intervals", COMPARED[0]),
}


def synthetic() -> Board:
    """What the models that come with the project, and the simple measures, do on the demo sets."""
    questions = Address("perception", "demo-perception", None, "accuracy")
    groups = [
        Column(
            f"{grouping}/{group}",
            label,
            ("perception",),
            qbench.ACCURACY,
            questions._replace(grouping=grouping, group=group),
        )
        for grouping, labels in qbench.QUESTIONS.items()
        for group, label in labels.items()
    ]
    return Board(
        key="demo",
        title="Demo (synthetic)",
        sentence="Photos damaged on purpose: what is right follows from how they were made and is nobody's opinion. "
        "Small sets to try a model on; not comparable with the papers' tables.",
        columns=(
            Column("perception/overall", "Overall", ("perception",), qbench.ACCURACY, questions),
            *groups,
            _column("assessment/srcc", "SRCC", "assessment", "demo-assessment", SRCC),
            _column("assessment/plcc", "PLCC", "assessment", "demo-assessment", PLCC),
            *(
                _column(f"{kind}/{metric.key}", metric.label, "comparison", f"demo-comparison/{kind}", metric, kind)
                for kind in COARSE
                for metric in COMPARED
            ),
            *(
                _column(f"comparison-{key}", label, "comparison", f"demo-comparison-{key}", metric, "fine")
                for key, (label, metric) in FINE.items()
            ),
            *(_similarity(task, label) for task, label in SIMILARITY.items()),
        ),
        parts=(
            Part("perception", "Perception"),
            Part("assessment", "Assessment"),
            *(Part(kind, f"Comparison, {label}") for kind, label in COARSE.items()),
            Part("fine", "Fine comparison"),
            Part("similarity", "Similarity"),
        ),
        views=(
            MetricView(
                "all",
                "All",
                ("accuracy", "srcc", "plcc", "accuracy_joint", "consistency", "correlation", "retrieval_map"),
            ),
        ),
        method=METHOD,
        primary="assessment",
        protocol=PROTOCOL,
        facets=("kind",),
    )


def n_way() -> Board:
    """UniSim-Bench's question of more images than two, on the demo sets of it."""
    columns = unisim.by_images({count: f"demo-it-2afc-{count}-way" for count in WAYS})
    return Board(
        key="demo-n-way",
        title="Synthetic, more images",
        sentence=f"Synthetic: which of {WAYS[0]} to {WAYS[-1]} versions of a photo, damaged on purpose, a caption is "
        "about; each column asks the same questions with one version more. Not comparable with the papers' tables.",
        columns=columns,
        parts=tuple(Part(column.key, column.label) for column in columns),
        views=(MetricView("accuracy", "Accuracy", (unisim.ACCURACY.key,)),),
        method=METHOD,
        primary=columns[-1].key,
        protocol=PROTOCOL,
        facets=("kind",),
        empty=f"No results yet: a model's accuracy for {WAYS[0]} to {WAYS[-1]} images appears here after "
        f"python -m qbench run --task it-2afc --dataset demo-it-2afc-{WAYS[-1]}-way --model nano-clip.",
    )


def _column(key: str, label: str, task: str, dataset: str, metric: Metric, part: str = "") -> Column:
    return Column(key, label, (part or task,), metric, Address(task, dataset, None, metric.key))


def _similarity(task: str, label: str) -> Column:
    metric = unisim.RETRIEVAL if task == "retrieval" else unisim.ACCURACY
    return _column(f"similarity/{task}", label, task, f"demo-{task}", metric, "similarity")
