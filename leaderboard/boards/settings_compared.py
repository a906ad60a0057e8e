"""Tables that compare settings of one method: how choices become a ranking, and what a model was trained on."""

from __future__ import annotations

from leaderboard.boards import twoafc, unisim
from leaderboard.boards.twoafc import CORRELATION, NEWLY_RATED_SETS, RATED_SETS
from leaderboard.boards.unisim import SIMILARITY_ACCURACY
from leaderboard.tables.columns import Address, Board, ChartLayout, Column, MetricView, Part
from qbench.datasets.known import find_dataset
from qbench.pairing import ROUNDS

RANKINGS = {"map": "MAP", "mle": "MLE", "perron": "Perron rank", "trueskill": "TrueSkill"}
"""Ways of ranking of the 2AFC paper's Table V, its own first."""
RANKED_SETS = (*RATED_SETS, *(rated for rated in NEWLY_RATED_SETS if rated.dataset != "mixed"))
IT_2AFC_TRAINING = (("hq-edit",), ("hq-edit", "hpdv2"), ("hq-edit", "hpdv2", "magicbrush"))
"""Data for IT-2AFC that UniSim's CLIP models were trained on, in the order of UniSim-Bench's Table 3."""
_SEEN = ("hq-edit", "hpdv2", "magicbrush")
_UNSEEN = ("imagereward", "agiqa-3k-alignment")


def rankings_board() -> Board:
    """The same choices ranked in four ways (2AFC prompting, Table V)."""
    columns = [
        Column(
            key=f"average-6/{ranking}",
            label=label,
            parts=("average-6",),
            metric=CORRELATION,
            mean_of=tuple(f"{rated.dataset}/{ranking}" for rated in RATED_SETS),
            weights=tuple(float(rated.images) for rated in RATED_SETS),
            description="Weighted by the number of images sampled from each set; not printed in the paper.",
            borrowed=ranking == "map",
        )
        for ranking, label in RANKINGS.items()
    ]
    columns += [
        Column(
            key=f"{rated.dataset}/{ranking}",
            label=label,
            parts=(rated.dataset,),
            metric=CORRELATION,
            find=Address("comparison", rated.dataset, "coarse", CORRELATION.key),
            description=rated.description,
            protocol={"ranking": (ranking,)},
            borrowed=ranking == "map",
        )
        for rated in RANKED_SETS
        for ranking, label in RANKINGS.items()
    ]
    return Board(
        key="2afc-rankings",
        title="2AFC, ways of ranking",
        question="Which way of ranking makes the most of the same choices?",
        benchmark=twoafc.BENCHMARK,
        sentence="The same choices turned into a ranking in four ways, beside people's scores "
        "(2AFC prompting, Table V).",
        columns=tuple(columns),
        parts=(Part("average-6", "Average of 6"), *(Part(rated.dataset, rated.label) for rated in RANKED_SETS)),
        views=(MetricView("correlation", "Correlation ρ", (CORRELATION.key,)),),
        method="Pairwise comparison (2AFC)",
        primary="average-6",
        chart=ChartLayout("bars", part="average-6"),
        protocol={"schedule": ("random",), "rounds": (ROUNDS,), "limit": ()},
    )


def training_data_board() -> Board:
    """What training on more data for IT-2AFC changes (UniSim-Bench, Table 3)."""
    trained = {"it_2afc_training": IT_2AFC_TRAINING}

    def column(key: str, label: str, part: str, task: str, dataset: str, mean_of: tuple[str, ...] = ()) -> Column:
        address = Address(task, dataset, None, SIMILARITY_ACCURACY.key)
        return Column(key, label, (part,), SIMILARITY_ACCURACY, address, mean_of, protocol=trained)

    def label_of(dataset: str) -> str:
        facts = find_dataset(dataset)
        return facts.column if facts else dataset

    return Board(
        key="unisim-training-data",
        title="UniSim, by training data",
        question="What does training on more captions and images change?",
        benchmark=unisim.BENCHMARK,
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
        views=(MetricView("accuracy", "Accuracy", (SIMILARITY_ACCURACY.key,)),),
        method="Perceptual similarity (UniSim-Bench)",
        primary="unseen",
        chart=ChartLayout("bars", summaries=("means",)),
        protocol={"limit": (), "prompt": ("none", "naive", "paper")},
    )
