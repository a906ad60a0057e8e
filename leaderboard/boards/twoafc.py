"""2AFC prompting (https://arxiv.org/abs/2402.01162): which of two images looks better, asked in both orders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from leaderboard.columns import Address, Board, Column, Metric, MetricView, Part
from qbench.pairing import ROUNDS

ACCURACY = Metric(
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
    "A coin-flip judge already reaches 0.13 to 0.66, the more the fewer images.",
    words="correlation",
)
METRICS = (ACCURACY, CONSISTENCY, CORRELATION)
"""Accuracy first: it ranks the models, since a judge can be consistent and wrong."""
VIEWS = (
    MetricView("three", "α, κ and ρ", ("accuracy_joint", "consistency", "correlation")),
    MetricView("accuracy_joint", "Accuracy α", ("accuracy_joint",)),
    MetricView("consistency", "Consistency κ", ("consistency",)),
    MetricView("correlation", "Correlation ρ", ("correlation",)),
)
PROTOCOL = {"ranking": ("map",), "schedule": ("random",), "rounds": (ROUNDS,), "limit": ()}


@dataclass(frozen=True)
class Sampled:
    """One image set of the coarse setting."""

    dataset: str
    label: str
    images: int
    """Sampled from the set; the weight in the averages."""
    description: str


PUBLIC = (
    Sampled("csiq", "CSIQ", 30, "Synthetic distortions, 30 images."),
    Sampled("kadid-10k", "KADID-10k", 81, "Synthetic distortions, 81 images."),
    Sampled("mm21", "MM21", 129, "Synthetic distortions, 129 images."),
    Sampled("live-itw", "CLIVE", 100, "Realistic distortions (LIVE in the Wild), 100 images."),
    Sampled("koniq-10k", "KonIQ-10k", 160, "Realistic distortions, 160 images."),
    Sampled("spaq", "SPAQ", 160, "Realistic distortions, 160 images."),
)
FRESH = (
    Sampled("kadis-700k", "KADIS-700k", 100, "Synthetic distortions, 100 images first rated for this paper."),
    Sampled("sqad", "SQAD", 100, "Realistic distortions, 100 images first rated for this paper."),
    Sampled(
        "mixed",
        "Mixed",
        200,
        "KADIS-700k and SQAD together, by its weight in the printed averages of ρ; the paper gives no number.",
    ),
)


def coarse() -> Board:
    """Random pairs within one dataset (Table II)."""
    blocks = {"average-6": ("Average of 6", PUBLIC), "average-3": ("Average of 3", FRESH)}
    columns: list[Column] = []
    parts: list[Part] = []
    for average, (label, sets) in blocks.items():
        weights = tuple(float(one.images) for one in sets)
        parts += [Part(average, label), *(Part(one.dataset, one.label) for one in sets)]
        columns += [
            Column(
                key=f"{average}/{metric.key}",
                label=label,
                parts=(average,),
                metric=metric,
                find=Address("comparison", f"weighted-average-of-{len(sets)}", "coarse", metric.key),
                mean_of=tuple(f"{one.dataset}/{metric.key}" for one in sets),
                weights=weights,
                description="Weighted by the number of images sampled from each set.",
            )
            for metric in METRICS
        ]
        columns += [
            Column(
                key=f"{one.dataset}/{metric.key}",
                label=one.label,
                parts=(one.dataset,),
                metric=metric,
                find=Address("comparison", one.dataset, "coarse", metric.key),
                description=one.description,
            )
            for one in sets
            for metric in METRICS
        ]
    return Board(
        key="2afc-coarse",
        title="2AFC, coarse pairs",
        sentence="Which of two images of one dataset looks better, asked in both orders (2AFC prompting, Table II).",
        columns=tuple(columns),
        parts=tuple(parts),
        views=VIEWS,
        method="Pairwise comparison (2AFC)",
        primary="average-6",
        protocol=PROTOCOL,
    )


@dataclass(frozen=True)
class Rule:
    """One way of pairing images that are close in quality."""

    split: str
    label: str
    dataset: str
    dataset_label: str
    grouping: str
    groups: Mapping[str, str]


RULES = (
    Rule(
        split="fine-levels",
        label="Same distortion, other level",
        dataset="csiq",
        dataset_label="CSIQ average",
        grouping="distortion",
        groups={"awgn": "AWGN", "jpeg": "JPEG", "jp2k": "JP2K", "pink": "Pink", "blur": "Blur"},
    ),
    Rule(
        split="fine-types",
        label="Same level, other distortion",
        dataset="csiq",
        dataset_label="CSIQ average",
        grouping="level",
        groups={f"level-{level}": f"Level {level}" for level in range(1, 6)},
    ),
    Rule(
        split="fine-intervals",
        label="Same interval of human scores",
        dataset="spaq",
        dataset_label="SPAQ average",
        grouping="mos",
        groups={"0-25": "0–25", "25-50": "25–50", "50-75": "50–75", "75-100": "75–100"},
    ),
)


def fine() -> Board:
    """Pairs that are close in quality (Tables III and IV)."""
    columns: list[Column] = []
    for rule in RULES:
        place = ("comparison", rule.dataset, rule.split)
        columns += [
            Column(
                key=f"{rule.split}/{metric.key}",
                label=rule.dataset_label,
                parts=(rule.split, "averages"),
                metric=metric,
                find=Address(*place, metric.key),
                description=f"{rule.label}.",
            )
            for metric in METRICS
        ]
        columns += [
            Column(
                key=f"{rule.split}/{group}/{metric.key}",
                label=label,
                parts=(rule.split,),
                metric=metric,
                find=Address(*place, metric.key, rule.grouping, group),
                description=f"{rule.label}.",
            )
            for group, label in rule.groups.items()
            for metric in METRICS
        ]
    return Board(
        key="2afc-fine",
        title="2AFC, fine pairs",
        sentence="The same question for images that are close in quality (2AFC prompting, Tables III and IV).",
        columns=tuple(columns),
        parts=(Part("averages", "Averages"), *(Part(rule.split, rule.label) for rule in RULES)),
        views=VIEWS,
        method="Pairwise comparison (2AFC)",
        primary="fine-levels",
        protocol=PROTOCOL,
    )
