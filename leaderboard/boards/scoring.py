"""Scores of photos against people's: Q-Bench's A3 (https://arxiv.org/abs/2309.14181) and its later relatives.

Scores asked in different ways are never ranked together: those by two words are on Q-Bench's own board, by its own
words or by others, and the further boards have those asked otherwise, those of models that were trained on people's
ratings, and those of metrics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.tables.classes import (
    FIVE_LEVELS,
    FULL_REFERENCE,
    NO_REFERENCE,
    NUMBER_IN_TEXT,
    OTHERWISE,
    TRAINED,
    TWO_WORDS,
)
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
from qbench.tasks.words import DEFAULT_WORDS, TABLE_11, WordPair

SRCC = Metric(
    "srcc",
    "SRCC",
    "Spearman rank correlation with human scores: does the model put the images in the same order as people? "
    "1 is the same order, 0 no relation, -1 the reverse.",
)
PLCC = Metric(
    "plcc",
    "PLCC",
    "Pearson correlation with human scores: do the model's scores rise in proportion with people's? "
    "Computed on the scores as they are, without a fitted curve.",
)
MEAN = Metric("mean", "Mean", "Mean of SRCC and PLCC.")
ASSESSMENT_DATASETS = {
    "koniq-10k": ("KonIQ-10k", "10,073 photos taken in the wild."),
    "spaq": ("SPAQ", "11,125 smartphone photos."),
    "live-fb": ("LIVE-FB", "39,810 photos taken in the wild."),
    "live-itw": ("LIVE-itw", "1,169 photos taken in the wild."),
    "cgiqa-6k": ("CGIQA-6K", "6,000 computer-generated images; mean over games and movies."),
    "agiqa-3k": ("AGIQA-3K", "2,982 images made by generative models."),
    "kadid-10k": ("KADID-10k", "10,125 artificially distorted photos."),
}
RATED = {
    **{key: ASSESSMENT_DATASETS[key] for key in ("live-itw", "agiqa-3k", "koniq-10k", "spaq", "live-fb", "kadid-10k")},
    "csiq": ("CSIQ", "866 artificially distorted photos."),
    "tid2013": ("TID2013", "3,000 artificially distorted photos."),
    "live": ("LIVE", "779 artificially distorted photos."),
    "pipal": ("PIPAL", "Photos restored by algorithms."),
    "bid": ("BID", "585 photos with real blur."),
}
"""Databases of the later tables, those that most scorers were not trained on first."""
UNSEEN_MEAN = ("live-itw", "agiqa-3k")
"""What the average of scorers trained on ratings is taken over: neither is in the usual training sets."""
ARGMAX_SETS = tuple(dataset for dataset in ASSESSMENT_DATASETS if dataset != "cgiqa-6k")
"""Q-Bench's Table 9 leaves CGIQA-6K out."""
SWAPPED = {"cgiqa-6k": "AGIQA-3K", "agiqa-3k": "CGIQA-6K"}
"""Datasets whose figures Table 11 prints under each other's names -> the other's name."""
SOFTMAX = ("softmax", "synonym-ensemble", None)
"""How records call the odds of words: of a pair, and of several pairs at once (Q-Bench, Eq. 4)."""


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


def _two_words() -> Board:
    """A3: correlation of softmax scores with human ones, each model with its own score words."""
    datasets = {"average": ("Average", "Plain mean over the seven datasets."), **ASSESSMENT_DATASETS}
    columns: list[Column] = []
    for part, (label, about) in datasets.items():
        is_average = part == "average"
        dataset = f"average-of-{len(ASSESSMENT_DATASETS)}" if is_average else part
        place, mean_of = ("assessment", dataset, None), ASSESSMENT_DATASETS if is_average else ()
        columns += metric_columns(part, label, (SRCC, PLCC), place, about, mean_of=mean_of)
        both = (f"{part}/srcc", f"{part}/plcc")
        columns.append(Column(f"{part}/mean", label, (part,), MEAN, mean_of=both, description=about))
    return Board(
        key="assessment",
        title="A3 Assessment",
        question="Which model scores photos most like people, without training on ratings?",
        sentence="A photo's score says how much more probable the answer “good” is than “poor”. The board shows how "
        "well these scores agree with people's.",
        columns=tuple(columns),
        views=(
            MetricView("both", "SRCC and PLCC", ("srcc", "plcc")),
            MetricView("srcc", "SRCC", ("srcc",)),
            MetricView("plcc", "PLCC", ("plcc",)),
            MetricView("mean", "Mean of both", ("mean",)),
        ),
        method="Assessment (A3)",
        primary="average",
        chart=ChartLayout(metrics=("mean", "srcc", "plcc"), summaries=("average",)),  # Fig. 14
        protocol={"strategy": ("softmax",), "limit": (), "class": (TWO_WORDS,), "prefill": ()},
        own_words=True,
        references=("niqe",),  # the baseline of Sec. 3.3
        facets=("language", "vision"),
    )


def _other_words() -> Board:
    """A3 by other score words, and by the likelier word alone (Q-Bench, Tables 9 to 11)."""
    average = f"average-of-{len(ASSESSMENT_DATASETS)}"
    places = {average: ("Average", "Plain mean over the seven datasets."), **ASSESSMENT_DATASETS}
    columns: list[Column] = []
    for dataset, (_, about) in places.items():
        place = ("assessment", dataset, None)
        printed = f"{about} Table 11 prints here what belongs to {SWAPPED[dataset]}." if dataset in SWAPPED else about
        likelier = f"Good or poor, whichever is likelier, as 1 or 0. {about}"
        for metric in (SRCC, PLCC):
            for pair in TABLE_11:
                columns += metric_columns(
                    dataset,
                    pair.label.replace("+", " + ").replace("/", " / "),
                    [metric],
                    place,
                    printed,
                    key=f"{dataset}/{pair.label}",
                    mean_of=[f"{each}/{pair.label}" for each in ASSESSMENT_DATASETS] if dataset == average else (),
                    protocol=_by_words(pair, SOFTMAX),
                    borrowed=pair == DEFAULT_WORDS,
                )
            if dataset in ARGMAX_SETS:
                asked = _by_words(DEFAULT_WORDS, ("argmax",))
                key = f"{dataset}/argmax"
                columns += metric_columns(dataset, "Argmax", [metric], place, likelier, key=key, protocol=asked)
    return Board(
        key="assessment-words",
        title="A3 Assessment, by score words",
        question="Which score words work best for a model?",
        sentence="Models scored by other words, by several at once, and by naming the likelier word alone (argmax), "
        "beside people's scores (Q-Bench, Tables 9 to 11).",
        columns=tuple(columns),
        parts=tuple(Part(key, label) for key, (label, _) in places.items()),
        views=(MetricView("srcc", "SRCC", ("srcc",)), MetricView("plcc", "PLCC", ("plcc",))),
        method="Assessment (A3)",
        primary=average,
        chart=ChartLayout("dots", metrics=("srcc", "plcc"), part=average),
        protocol={"limit": (), "class": (TWO_WORDS,), "prefill": ()},
    )


def _by_words(pair: WordPair, strategies: tuple[str | None, ...]) -> dict[str, tuple[Any, ...]]:
    """The protocol of records of these words."""
    return {"strategy": strategies, "words": ((("negative", pair.negative), ("positive", pair.positive)),)}


def _of_class(
    *,
    kinds: tuple[str, ...],
    primary: str,
    unseen: tuple[str, ...],
    seen: tuple[str, ...] = (),
    averages: Sequence[PrintedAverage] = (),
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
    columns += _printed(averages, kinds, in_training=bool(seen))
    return Board(
        columns=tuple(columns),
        parts=parts_of(columns, printed="Averages as printed"),
        views=(
            MetricView("srcc", "SRCC", ("srcc", "mean")),
            MetricView("both", "SRCC and PLCC", ("srcc", "plcc", "mean")),
        ),
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


BOARDS = (
    _of_class(
        key="assessment-trained",
        title="A3 Assessment, trained on ratings",
        question="Which trained scorer does best on new photos?",
        sentence="Scorers that learnt from people's ratings, on databases they have not seen and on those they have.",
        kinds=(TRAINED,),
        primary="unseen",
        unseen=tuple(dataset for dataset in RATED if dataset != "live-fb"),
        seen=("koniq-10k", "spaq", "kadid-10k", "live-itw", "csiq", "live", "bid"),
        averages=(_Q_SIT, _MR_IQA, _Q_INSIGHT, _Q_REALIGN, _VISUALQUALITY_R1, _UNIPERCEPT),
    ),
    _two_words(),
    _of_class(
        key="assessment-levels",
        title="A3 Assessment, zero-shot by five levels",
        question="Which model scores photos best by the odds of five words, “bad” to “excellent”?",
        sentence="Quality scores by the odds of excellent, good, fair, poor and bad, of models not trained on ratings.",
        kinds=(FIVE_LEVELS,),
        primary="koniq-10k",
        unseen=("koniq-10k", "spaq", "live-itw", "agiqa-3k", "kadid-10k"),
        averages=(_Q_SIT,),
    ),
    _of_class(
        key="assessment-number",
        title="A3 Assessment, zero-shot by a number",
        question="Which model scores photos best when it writes a number?",
        sentence="Quality scores of models not trained on ratings, by a number that the model writes. For some scores "
        "the source does not say how the model gave them.",
        kinds=(NUMBER_IN_TEXT, OTHERWISE),
        primary="koniq-10k",
        unseen=("koniq-10k", "spaq", "live-itw", "agiqa-3k", "kadid-10k", "bid", "csiq", "pipal"),
        averages=(_VISUALQUALITY_R1, _UNIPERCEPT),
    ),
    _other_words(),
    _of_class(
        key="assessment-metrics",
        title="A3 Assessment, no-reference metrics",
        question="Which no-reference metric agrees most with people?",
        sentence="Classical and learned metrics of image quality that see the image alone.",
        kinds=(NO_REFERENCE,),
        primary="live-itw",
        unseen=(*RATED, "cgiqa-6k"),
        seen=("koniq-10k", "spaq", "live-fb", "kadid-10k", "csiq", "live", "bid", "live-itw"),
        averages=(_Q_SIT, _MR_IQA, _Q_INSIGHT, _VISUALQUALITY_R1),
    ),
    _of_class(  # of metrics that also see the undistorted image
        key="assessment-full-reference",
        title="A3 Assessment, full-reference metrics",
        question="Which metric agrees most with people when it also sees the undamaged original?",
        sentence="Metrics that compare an image with its undistorted original, which nobody on the other boards sees; "
        "the source does not say what the learned ones were trained on.",
        kinds=(FULL_REFERENCE,),
        primary="csiq",
        unseen=("csiq", "tid2013", "live"),
    ),
)
