"""Tables that compare settings of one method: score words, ways of ranking, and what a model was trained on."""

from __future__ import annotations

from typing import Any

from leaderboard.boards import qbench
from leaderboard.boards.twoafc import CORRELATION, NEWLY_RATED_SETS, RATED_SETS
from leaderboard.boards.unisim import SIMILARITY_ACCURACY
from leaderboard.tables.classes import TWO_WORDS
from leaderboard.tables.columns import Address, Board, ChartLayout, Column, MetricView, Part, column_of, metric_columns
from qbench.datasets.known import find_dataset
from qbench.pairing import ROUNDS
from qbench.tasks.words import DEFAULT_WORDS, TABLE_11, WordPair

RANKINGS = {"map": "MAP", "mle": "MLE", "perron": "Perron rank", "trueskill": "TrueSkill"}
"""Ways of ranking of the 2AFC paper's Table V, its own first."""
RANKED_SETS = (*RATED_SETS, *(rated for rated in NEWLY_RATED_SETS if rated.dataset != "mixed"))
ARGMAX_SETS = tuple(dataset for dataset in qbench.ASSESSMENT_DATASETS if dataset != "cgiqa-6k")
"""Q-Bench's Table 9 leaves CGIQA-6K out."""
SWAPPED = {"cgiqa-6k": "AGIQA-3K", "agiqa-3k": "CGIQA-6K"}
"""Datasets whose figures Table 11 prints under each other's names -> the other's name."""
SOFTMAX = ("softmax", "synonym-ensemble", None)
"""How records call the odds of words: of a pair, and of several pairs at once (Q-Bench, Eq. 4)."""
IT_2AFC_TRAINING = (("hq-edit",), ("hq-edit", "hpdv2"), ("hq-edit", "hpdv2", "magicbrush"))
"""Data for IT-2AFC that UniSim's CLIP models were trained on, in the order of UniSim-Bench's Table 3."""
_SEEN = ("hq-edit", "hpdv2", "magicbrush")
_UNSEEN = ("imagereward", "agiqa-3k-alignment")


def rankings_board() -> Board:
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


def score_words_board() -> Board:
    """A3 by other score words, and by the likelier word alone (Q-Bench, Tables 9 to 11)."""
    datasets = qbench.ASSESSMENT_DATASETS
    average = f"average-of-{len(datasets)}"
    places = {average: ("Average", "Plain mean over the seven datasets."), **datasets}
    columns: list[Column] = []
    for dataset, (_, about) in places.items():
        place = ("assessment", dataset, None)
        printed = f"{about} Table 11 prints here what belongs to {SWAPPED[dataset]}." if dataset in SWAPPED else about
        likelier = f"Good or poor, whichever is likelier, as 1 or 0. {about}"
        for metric in (qbench.SRCC, qbench.PLCC):
            for pair in TABLE_11:
                columns += metric_columns(
                    dataset,
                    pair.label.replace("+", " + ").replace("/", " / "),
                    [metric],
                    place,
                    printed,
                    key=f"{dataset}/{pair.label}",
                    mean_of=[f"{each}/{pair.label}" for each in datasets] if dataset == average else (),
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


def training_data_board() -> Board:
    """What training on more data for IT-2AFC changes (UniSim-Bench, Table 3)."""
    trained = {"it_2afc_training": IT_2AFC_TRAINING}

    def column(key: str, label: str, part: str, task: str, dataset: str, mean_of: tuple[str, ...] = ()) -> Column:
        place = (task, dataset, None)
        return column_of(key, label, part, SIMILARITY_ACCURACY, place, mean_of=mean_of, protocol=trained)

    def label_of(dataset: str) -> str:
        facts = find_dataset(dataset)
        return facts.column if facts else dataset

    return Board(
        key="unisim-training-data",
        title="UniSim, by training data",
        question="What does training on more captions and images change?",
        sentence="UniSim's two CLIP models after training on one, two and three datasets of captions and images "
        "(UniSim-Bench, Table 3).",
        columns=(
            column("unseen/mean", "Mean of 2", "unseen", "it-2afc", "mean-of-2", _UNSEEN),
            *(column(dataset, label_of(dataset), "unseen", "it-2afc", dataset) for dataset in _UNSEEN),
            *(column(dataset, label_of(dataset), "trained", "it-2afc", dataset) for dataset in _SEEN),
            column("it-2afc/mean", "IT-2AFC", "means", "it-2afc", "mean-of-5", (*_UNSEEN, *_SEEN)),
            column("text-2afc/mean", "Text-2AFC", "means", "text-2afc", "mean-of-3"),
        ),
        parts=(
            Part("unseen", "Trained on by none"),
            Part("trained", "Trained on by some"),
            Part("means", "Means of tasks"),
        ),
        method="Perceptual similarity (UniSim-Bench)",
        primary="unseen",
        chart=ChartLayout("dots", summaries=("means",)),
        protocol={"limit": (), "prompt": ("none", "naive", "paper")},
    )
