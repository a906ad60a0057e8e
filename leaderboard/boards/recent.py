"""Figures of 2024 to 2026 beyond the benchmarks' first papers: pairs and groups of images, scorers trained on ratings.

Scores asked in different ways are never ranked together: those by two words are on Q-Bench's own board, and here are
those asked otherwise, those of models that were trained on people's ratings, and those of metrics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from leaderboard.boards.qbench import (
    ASSESSMENT_DATASETS,
    BY_TYPE,
    MEAN,
    PLCC,
    QUESTION_GROUPS,
    SRCC,
    questions_board,
)
from leaderboard.tables.classes import FIVE_LEVELS, FULL_REFERENCE, NO_REFERENCE, NUMBER_IN_TEXT, OTHERWISE, TRAINED
from leaderboard.tables.columns import (
    Board,
    ChartLayout,
    Column,
    Metric,
    MetricView,
    Part,
    column_of,
    metric_columns,
    parts_of,
)
from leaderboard.tables.words import listed

PAIR_GROUPS = {
    "question_type": QUESTION_GROUPS["question_type"],
    "concern": {"distortion": "Distortion", "other": "Other"},
    "comparison": {"compare": "Compare", "joint": "Joint"},
}
"""What the pairs' questions are grouped by; their concerns are not those of single images."""
SEVERAL_GROUPS = {
    "question_type": {"yes-or-no": "Yes or no", "which": "Which", "other": "Other"},
    "images": {"three": "Three images", "four": "Four images"},
}
RATED = {
    **{key: ASSESSMENT_DATASETS[key] for key in ("live-itw", "agiqa-3k", "koniq-10k", "spaq", "live-fb", "kadid-10k")},
    "csiq": ("CSIQ", "866 artificially distorted photos."),
    "tid2013": ("TID2013", "3,000 artificially distorted photos."),
    "live": ("LIVE", "779 artificially distorted photos."),
    "pipal": ("PIPAL", "Photos restored by algorithms."),
    "bid": ("BID", "585 photos with real blur."),
}
"""Databases of the tables, those that most scorers were not trained on first."""
UNSEEN_MEAN = ("live-itw", "agiqa-3k")
"""What the average of scorers trained on ratings is taken over: neither is in the usual training sets."""
PAIR_ACCURACY = Metric(
    "accuracy",
    "Accuracy",
    "Share of pairs in which the image that people rated higher was named; each pair asked in one order only.",
    unit="%",
    decimals=2,
    proportion=True,
)


@dataclass(frozen=True)
class PrintedAverage:
    """An average as one source prints it, over databases of its own choice."""

    key: str
    source: str
    databases: tuple[str, ...]
    """As its records name them."""
    metrics: tuple[Metric, ...] = (SRCC, PLCC)
    named: str = ""
    """The same in words, where some have no columns here."""


_Q_SIT = PrintedAverage(
    "q-sit",
    "Q-SiT",
    ("koniq-10k", "spaq", "live-itw", "agiqa-3k", "kadid-10k"),
    (MEAN,),
)
_MR_IQA = PrintedAverage(
    "mr-iqa",
    "MR-IQA",
    ("koniq-10k", "spaq", "live-itw", "agiqa-3k", "kadid-10k", "csiq"),
)
_Q_INSIGHT = PrintedAverage(
    "q-insight",
    "Q-Insight",
    ("koniq-10k", "spaq", "kadid-10k", "pipal", "live-itw", "agiqa-3k", "csiq"),
)
_Q_REALIGN = PrintedAverage(
    "q-realign",
    "Q-ReAlign",
    ("koniq-10k", "spaq", "kadid-10k", "agi-unnamed", "live-unnamed", "ava", "lsvq"),
    named="KonIQ-10k, SPAQ, KADID-10k, AVA (aesthetics), LSVQ (video) and two databases that it calls AGI and LIVE",
)
_VISUALQUALITY_R1 = PrintedAverage(
    "visualquality-r1",
    "VisualQuality-R1",
    ("bid", "live-itw", "koniq-10k", "spaq", "liu13-deblurring", "sriqa-bench", "min19-dehazing", "agiqa-3k"),
    named="BID, LIVE-itw, KonIQ-10k, SPAQ, AGIQA-3K and sets of deblurred, upscaled and dehazed photos",
)
_UNIPERCEPT = PrintedAverage(
    "unipercept",
    "UniPercept",
    ("koniq-10k", "spaq", "kadid-10k", "pipal"),
)
PRINTED_AVERAGES = {
    "assessment-levels": (_Q_SIT,),
    "assessment-number": (_VISUALQUALITY_R1, _UNIPERCEPT),
    "assessment-trained": (_Q_SIT, _MR_IQA, _Q_INSIGHT, _Q_REALIGN, _VISUALQUALITY_R1, _UNIPERCEPT),
    "assessment-metrics": (_Q_SIT, _MR_IQA, _Q_INSIGHT, _VISUALQUALITY_R1),
}
"""Board -> the averages printed of its models."""
_VIEWS = (MetricView("srcc", "SRCC", ("srcc", "mean")), MetricView("both", "SRCC and PLCC", ("srcc", "plcc", "mean")))


def pairs_board(split: str, count: str) -> Board:
    """A1 on pairs of images."""
    return questions_board(
        ("perception", f"q-bench2-{split}", split),
        PAIR_GROUPS,
        {**BY_TYPE, "concern": "By concern", "comparison": "Compare or joint"},
        key=f"perception-pairs-{split}",
        title=f"A1 Perception of pairs, {split}",
        question=f"Which model compares two photos best? ({split} questions)",
        sentence=f"{count} questions about two images, answered by choosing an option (Q-Bench+, LLVisionQA+).",
    )


def several_images_board() -> Board:
    """Questions about three or four images."""
    return questions_board(
        ("perception", "micbench-test", "test"),
        SEVERAL_GROUPS,
        {**BY_TYPE, "images": "By number of images"},
        key="micbench-test",
        title="MICBench: several images",
        question="Which model compares three or four photos best?",
        sentence="996 questions about three or four images, answered by choosing an option (Co-Instruct, Table 6).",
    )


def generated_quality_board() -> Board:
    """Questions about the quality of generated images."""
    return questions_board(
        ("perception", "square-bench-quality", "test"),
        {"aspect": {"aesthetic": "Aesthetic", "generative": "Generative", "technical": "Technical"}},
        {"overall": "Overall", "aspect": "By aspect"},
        key="square-bench-quality",
        title="SQUARE-Bench: quality",
        question="Which model judges generated images best?",
        sentence="368 questions about the quality of generated images, answered by choosing an option (SQUARE-Bench, "
        "Table 3).",
    )


def damage_questions_board() -> Board:
    """Questions about the damage of photos."""
    kinds = QUESTION_GROUPS["question_type"] | {"which": "Which", "why": "Why", "level-prediction": "Level"}
    return questions_board(
        ("perception", "unipercept-vqa-quality", "test"),
        {"aspect": {"location": "Location", "severity": "Severity", "type": "Type"}, "question_type": kinds},
        {"overall": "Overall", "aspect": "By aspect", "question_type": "By question type"},
        key="unipercept-quality",
        title="UniPercept-Bench: quality",
        question="Which model tells where and how a photo is damaged?",
        sentence="1,088 questions about where damage is, how severe and of what type (UniPercept, Table 3). Two "
        "large models score below random guessing, probably because unreadable replies count as wrong.",
    )


def close_set_board() -> Board:
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


def levels_board() -> Board:
    """A3 of models never trained on ratings, by five level words."""
    return _scores(
        key="assessment-levels",
        title="A3 Assessment, zero-shot by five levels",
        question="Which model scores photos best by the odds of five words, “bad” to “excellent”?",
        sentence="Quality scores by the odds of excellent, good, fair, poor and bad, of models not trained on ratings.",
        kinds=(FIVE_LEVELS,),
        primary="koniq-10k",
        unseen=("koniq-10k", "spaq", "live-itw", "agiqa-3k", "kadid-10k"),
    )


def number_board() -> Board:
    """A3 of models never trained on ratings, by a number that they write."""
    return _scores(
        key="assessment-number",
        title="A3 Assessment, zero-shot by a number",
        question="Which model scores photos best when it writes a number?",
        sentence="Quality scores of models not trained on ratings, by a number that the model writes. For some scores "
        "the source does not say how the model gave them.",
        kinds=(NUMBER_IN_TEXT, OTHERWISE),
        primary="koniq-10k",
        unseen=("koniq-10k", "spaq", "live-itw", "agiqa-3k", "kadid-10k", "bid", "csiq", "pipal"),
    )


def trained_board() -> Board:
    """A3 of models trained on people's ratings."""
    return _scores(
        key="assessment-trained",
        title="A3 Assessment, trained on ratings",
        question="Which trained scorer does best on new photos?",
        sentence="Scorers that learnt from people's ratings, on databases they have not seen and on those they have.",
        kinds=(TRAINED,),
        primary="unseen",
        unseen=tuple(dataset for dataset in RATED if dataset != "live-fb"),
        seen=("koniq-10k", "spaq", "kadid-10k", "live-itw", "csiq", "live", "bid"),
    )


def metrics_board() -> Board:
    """A3 of no-reference metrics."""
    return _scores(
        key="assessment-metrics",
        title="A3 Assessment, no-reference metrics",
        question="Which no-reference metric agrees most with people?",
        sentence="Classical and learned metrics of image quality that see the image alone.",
        kinds=(NO_REFERENCE,),
        primary="live-itw",
        unseen=(*RATED, "cgiqa-6k"),
        seen=("koniq-10k", "spaq", "live-fb", "kadid-10k", "csiq", "live", "bid", "live-itw"),
    )


def full_reference_board() -> Board:
    """A3 of metrics that also see the undistorted image."""
    return _scores(
        key="assessment-full-reference",
        title="A3 Assessment, full-reference metrics",
        question="Which metric agrees most with people when it also sees the undamaged original?",
        sentence="Metrics that compare an image with its undistorted original, which nobody on the other boards sees; "
        "the source does not say what the learned ones were trained on.",
        kinds=(FULL_REFERENCE,),
        primary="csiq",
        unseen=("csiq", "tid2013", "live"),
    )


def pair_accuracy_board() -> Board:
    """Which of two images is better, in one order."""
    labels = {key: RATED[key][0] for key in ("live-itw", "agiqa-3k", "pipal")}
    columns = tuple(
        column_of(
            key,
            label,
            key,
            PAIR_ACCURACY,
            ("comparison", key, None),
            protocol={"orders": ("one",)},
            alternatives=2,
        )
        for key, label in {"pooled": "All pairs", **labels}.items()
    )
    return Board(
        key="2afc-pair-accuracy",
        title="2AFC, one order",
        question="Which model picks the better of two photos, asked once?",
        sentence="The model says which of two images is better, once for each of 2,575 pairs. Chance is 50 % "
        "(QualiRAG, Table 3).",
        columns=columns,
        method="Pairwise comparison (2AFC)",
        primary="pooled",
    )


def _scores(
    *,
    key: str,
    kinds: tuple[str, ...],
    primary: str,
    unseen: tuple[str, ...],
    seen: tuple[str, ...] = (),
    **facts: Any,
) -> Board:
    """A board of one class of scorers; what was in training stands in columns of its own and ranks nobody."""
    columns: list[Column] = []
    if primary == "unseen":
        about = "Mean over LIVE-itw and AGIQA-3K, of scorers that were trained on neither."
        columns += metric_columns("unseen", "Unseen", (SRCC, PLCC), None, about, mean_of=UNSEEN_MEAN)
    # Where there are columns for what was in training, a training set that is not told cannot count as unseen.
    for trained, datasets, taken in (
        (False, unseen, (False,) if seen else (False, None)),
        (True, seen, (True, None)),
    ):
        for dataset in datasets:
            label, about = (RATED | ASSESSMENT_DATASETS)[dataset]
            columns += metric_columns(
                f"{dataset}/seen" if trained else dataset,
                f"{label}, seen" if trained else label,
                (SRCC, PLCC),
                ("assessment", dataset, None),
                f"{about} Seen in training, or the source does not tell." if trained else about,
                protocol={"class": kinds, "trained_on": taken},
                in_training=trained,
            )
    columns += _printed(PRINTED_AVERAGES.get(key, ()), kinds, in_training=bool(seen))
    return Board(
        key=key,
        columns=tuple(columns),
        parts=parts_of(columns, printed="Averages as printed"),
        views=_VIEWS,
        method="Assessment (A3)",
        primary=primary,
        chart=ChartLayout("dots", metrics=("srcc", "plcc"), summaries=("unseen", "printed")),
        protocol={"limit": (), "pixels": ()},
        **facts,
    )


def _printed(averages: Sequence[PrintedAverage], kinds: tuple[str, ...], in_training: bool) -> list[Column]:
    """Averages as sources print them; where models were trained on some of the databases they rank nobody."""
    return [
        column_of(
            f"printed/{average.key}/{metric.key}",
            f"{average.source}, of {len(average.databases)}{', mean of both' if metric is MEAN else ''}",
            "printed",
            metric,
            ("assessment", f"average-of-{len(average.databases)}", None),
            description="As "
            f"{average.source} prints it, over {average.named or listed(RATED[name][0] for name in average.databases)}"
            f"{', seen in training or not' if in_training else ''}.",
            protocol={"class": kinds, "average_of": (average.databases,)},
            in_training=in_training,
        )
        for average in averages
        for metric in average.metrics
    ]
