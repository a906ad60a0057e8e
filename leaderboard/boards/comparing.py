"""2AFC prompting (https://arxiv.org/abs/2402.01162): which of two images looks better, asked in both orders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from leaderboard.boards.scoring import RATED
from leaderboard.tables.columns import (
    Address,
    Board,
    ChartLayout,
    Column,
    Metric,
    MetricView,
    Part,
    column_of,
    metric_columns,
)
from leaderboard.tables.words import named_metric
from qbench.pairing import ROUNDS

JOINT_ACCURACY = Metric(
    "accuracy_joint",
    "α",
    "Accuracy: share of all pairs answered consistently in both orders and in agreement with people.",
    words="accuracy",
)
CONSISTENCY = Metric(
    "consistency",
    "κ",
    "Consistency: share of pairs where the model picks the same image whichever is shown first.",
    words="consistency",
)
CORRELATION = Metric(
    "correlation",
    "ρ",
    "Correlation of the ranking built from the choices with human scores, after a fitted curve. "
    "A judge who flips coins already reaches 0.13 to 0.67; with fewer images, more.",
    words="correlation",
)
PAIR_ACCURACY = Metric(
    "accuracy",
    "Accuracy",
    "Share of pairs in which the image that people rated higher was named; each pair asked in one order only.",
    unit="%",
    decimals=2,
    proportion=True,
)
COMPARISON_METRICS = (JOINT_ACCURACY, CONSISTENCY, CORRELATION)
"""Accuracy first: it ranks the models, since a judge can be consistent and wrong."""
METRIC_KEYS = tuple(metric.key for metric in COMPARISON_METRICS)
METRIC_VIEWS = (
    MetricView("three", "α, κ and ρ", METRIC_KEYS),
    *(MetricView(metric.key, named_metric(metric), (metric.key,)) for metric in COMPARISON_METRICS),
)
_PROTOCOL = {"ranking": ("map",), "schedule": ("random",), "rounds": (ROUNDS,), "limit": ()}


@dataclass(frozen=True)
class CoarseSet:
    """One image set of the coarse setting."""

    dataset: str
    label: str
    images: int
    """Sampled from the set; the weight in the averages."""
    description: str


RATED_SETS = (
    CoarseSet("csiq", "CSIQ", 30, "Synthetic distortions, 30 images."),
    CoarseSet("kadid-10k", "KADID-10k", 81, "Synthetic distortions, 81 images."),
    CoarseSet("mm21", "MM21", 129, "Synthetic distortions, 129 images."),
    CoarseSet("live-itw", "CLIVE", 100, "Realistic distortions (LIVE in the Wild), 100 images."),
    CoarseSet("koniq-10k", "KonIQ-10k", 160, "Realistic distortions, 160 images."),
    CoarseSet("spaq", "SPAQ", 160, "Realistic distortions, 160 images."),
)
NEWLY_RATED_SETS = (
    CoarseSet("kadis-700k", "KADIS-700k", 100, "Synthetic distortions, 100 images first rated for this paper."),
    CoarseSet("sqad", "SQAD", 100, "Realistic distortions, 100 images first rated for this paper."),
    CoarseSet(
        "mixed",
        "Mixed",
        200,
        "KADIS-700k and SQAD together, by its weight in the printed averages of ρ; the paper gives no number.",
    ),
)
RANKINGS = {"map": "MAP", "mle": "MLE", "perron": "Perron rank", "trueskill": "TrueSkill"}
"""Ways of ranking of the paper's Table V, its own first."""
RANKED_SETS = (*RATED_SETS, *(rated for rated in NEWLY_RATED_SETS if rated.dataset != "mixed"))


def _coarse() -> Board:
    """Random pairs within one dataset (Table II)."""
    blocks = {"average-6": ("Average of 6", RATED_SETS), "average-3": ("Average of 3", NEWLY_RATED_SETS)}
    columns: list[Column] = []
    for average, (label, sets) in blocks.items():
        columns += metric_columns(
            average,
            label,
            COMPARISON_METRICS,
            ("comparison", f"weighted-average-of-{len(sets)}", "coarse"),
            "Weighted by the number of images sampled from each set.",
            mean_of=[image_set.dataset for image_set in sets],
            weights=tuple(float(image_set.images) for image_set in sets),
        )
        for each in sets:
            place = ("comparison", each.dataset, "coarse")
            columns += metric_columns(each.dataset, each.label, COMPARISON_METRICS, place, each.description)
    return Board(
        key="2afc-coarse",
        title="2AFC, coarse pairs",
        question="Which model picks the better of two photos, whichever comes first?",
        sentence="Which of two images of one dataset looks better, asked in both orders (2AFC prompting, Table II).",
        columns=tuple(columns),
        views=METRIC_VIEWS,
        method="Pairwise comparison (2AFC)",
        primary="average-6",
        chart=ChartLayout(metrics=METRIC_KEYS, summaries=("average-6", "average-3")),
        protocol=_PROTOCOL,
    )


@dataclass(frozen=True)
class FineRule:
    """One way of pairing images that are close in quality."""

    split: str
    label: str
    dataset: str
    dataset_label: str
    grouping: str
    groups: Mapping[str, str]
    sizes: tuple[int, int] = (5, 4)
    """Images ranked together, and rankings averaged in one cell (four scenes of CSIQ)."""


FINE_RULES = (
    FineRule(
        split="fine-levels",
        label="Same distortion, other level",
        dataset="csiq",
        dataset_label="CSIQ average",
        grouping="distortion",
        groups={"awgn": "AWGN", "jpeg": "JPEG", "jp2k": "JP2K", "pink": "Pink", "blur": "Blur"},
    ),
    FineRule(
        split="fine-types",
        label="Same level, other distortion",
        dataset="csiq",
        dataset_label="CSIQ average",
        grouping="level",
        groups={f"level-{level}": f"Level {level}" for level in range(1, 6)},
    ),
    FineRule(
        split="fine-intervals",
        label="Same interval of human scores",
        dataset="spaq",
        dataset_label="SPAQ average",
        grouping="mos",
        groups={"0-25": "0–25", "25-50": "25–50", "50-75": "50–75", "75-100": "75–100"},
        sizes=(25, 1),
    ),
)


def _fine() -> Board:
    """Pairs that are close in quality (Tables III and IV)."""
    columns: list[Column] = []
    for rule in FINE_RULES:
        place = ("comparison", rule.dataset, rule.split)
        about, both = f"{rule.label}.", (rule.split, "averages")
        columns += metric_columns(rule.split, rule.dataset_label, COMPARISON_METRICS, place, about, parts=both)
        for group, label in rule.groups.items():
            columns += metric_columns(
                rule.split,
                label,
                COMPARISON_METRICS,
                place,
                about,
                rule.grouping,
                group,
                key=f"{rule.split}/{group}",
            )
    return Board(
        key="2afc-fine",
        title="2AFC, fine pairs",
        question="Which model tells apart photos of similar quality?",
        sentence="The same question for images that are close in quality (2AFC prompting, Tables III and IV).",
        columns=tuple(columns),
        parts=(Part("averages", "Averages"), *(Part(rule.split, rule.label) for rule in FINE_RULES)),
        views=METRIC_VIEWS,
        method="Pairwise comparison (2AFC)",
        primary="fine-levels",
        chart=ChartLayout(metrics=METRIC_KEYS, summaries=("averages",)),
        protocol=_PROTOCOL,
    )


def _rankings() -> Board:
    """The same choices ranked in four ways (2AFC prompting, Table V)."""

    def column(part: str, ranking: str, about: str, **facts: Any) -> Column:
        borrowed = ranking == "map"
        key, label = f"{part}/{ranking}", RANKINGS[ranking]
        return Column(key, label, (part,), CORRELATION, description=about, borrowed=borrowed, **facts)

    columns = [
        column(
            "average-6",
            ranking,
            "Weighted by the number of images sampled from each set; not printed in the paper.",
            mean_of=tuple(f"{rated.dataset}/{ranking}" for rated in RATED_SETS),
            weights=tuple(float(rated.images) for rated in RATED_SETS),
        )
        for ranking in RANKINGS
    ]
    for rated in RANKED_SETS:
        address = Address("comparison", rated.dataset, "coarse", CORRELATION.key)
        columns += [
            column(rated.dataset, ranking, rated.description, find=address, protocol={"ranking": (ranking,)})
            for ranking in RANKINGS
        ]
    return Board(
        key="2afc-rankings",
        title="2AFC, ways of ranking",
        question="Which way of ranking agrees best with people?",
        sentence="The same choices turned into a ranking in four ways, beside people's scores "
        "(2AFC prompting, Table V).",
        columns=tuple(columns),
        parts=(Part("average-6", "Average of 6"), *(Part(rated.dataset, rated.label) for rated in RANKED_SETS)),
        views=(MetricView("correlation", "Correlation ρ", (CORRELATION.key,)),),
        method="Pairwise comparison (2AFC)",
        primary="average-6",
        chart=ChartLayout("dots", part="average-6"),
        protocol={"schedule": ("random",), "rounds": (ROUNDS,), "limit": ()},
    )


BOARDS = (
    _coarse(),
    _fine(),
    Board(
        key="2afc-pair-accuracy",
        title="2AFC, one order",
        question="Which model picks the better of two photos, asked once?",
        sentence="The model says which of two images is better, once for each of 2,575 pairs. Chance is 50 % "
        "(QualiRAG, Table 3).",
        columns=tuple(
            column_of(
                key,
                label,
                key,
                PAIR_ACCURACY,
                ("comparison", key, None),
                protocol={"orders": ("one",)},
                alternatives=2,
            )
            for key, label in {
                "pooled": "All pairs",
                **{key: RATED[key][0] for key in ("live-itw", "agiqa-3k", "pipal")},
            }.items()
        ),
        method="Pairwise comparison (2AFC)",
        primary="pooled",
    ),
    _rankings(),
)
