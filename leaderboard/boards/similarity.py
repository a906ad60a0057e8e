"""UniSim-Bench (https://arxiv.org/abs/2412.10594): tasks of perceptual similarity, core and out of distribution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain

from leaderboard.tables.columns import Address, Board, ChartLayout, Column, Metric, MetricView, Part, column_of
from qbench.datasets.known import benchmark_datasets, find_dataset

SIMILARITY_ACCURACY = Metric(
    "accuracy",
    "Accuracy",
    "Share of comparisons decided as people, or the construction of the data, say.",
    unit="%",
    decimals=1,
)
RETRIEVAL_PRECISION = Metric(
    "retrieval_map",
    "mAP",
    "Mean average precision of retrieving photos of the same landmark, over the medium and hard protocols.",
    unit="%",
    decimals=1,
)
TASK_MEAN = Metric("task_mean", "Mean", "Mean of the tasks' means.", unit="%", decimals=1)
_METHOD = "Perceptual similarity (UniSim-Bench)"
_PROTOCOL = {"it_2afc_training": (), "limit": (), "prompt": ("none", "naive", "paper")}
MOST_IMAGES = 9
"""Images to choose from, in the longest lists made of HPDv2."""
IT_2AFC_TRAINING = (("hq-edit",), ("hq-edit", "hpdv2"), ("hq-edit", "hpdv2", "magicbrush"))
"""Data for IT-2AFC that UniSim's CLIP models were trained on, in the order of UniSim-Bench's Table 3."""
_SEEN = ("hq-edit", "hpdv2", "magicbrush")
_UNSEEN = ("imagereward", "agiqa-3k-alignment")

CORE_TASKS = {"img-2afc": "Img-2AFC", "it-2afc": "IT-2AFC", "text-2afc": "Text-2AFC", "iqa-2afc": "IQA"}
OTHER_TASKS = {"attributes": "Attributes", "odd-one-out": "Odd one out", "retrieval": "Retrieval"}


def metric_of(task: str) -> Metric:
    """What the figures of a task are."""
    return RETRIEVAL_PRECISION if task == "retrieval" else SIMILARITY_ACCURACY


def _task_columns(task: str) -> list[Column]:
    """The task's mean, then a column for each of its datasets that `qbench/datasets/known.json` gives one."""
    datasets, metric = benchmark_datasets()[task], metric_of(task)
    columns = [
        column_of(f"{task}/{facts.record_name}", facts.column, task, metric, (task, facts.record_name, None))
        for facts in datasets
    ]
    mean = Column(
        f"{task}/mean",
        "Mean",
        (task, "means"),
        metric,
        Address(task, f"mean-of-{len(columns)}", None, metric.key),
        mean_of=tuple(column.key for column in columns),
        description="Plain mean over the task's datasets.",
    )
    return [mean, *columns]


def _more_images() -> Board:
    """IT-2AFC with more than two images (Fig. 3, a plot that nothing was transcribed from).

    No mean over the numbers is in the paper, so none ranks: the most images do, where guessing helps least.
    """
    pairs, *more = by_images({2: "hpdv2", **{count: f"hpdv2-{count}-way" for count in range(3, MOST_IMAGES + 1)}})
    columns = (replace(pairs, borrowed=True, description="The pairs of Tables 1 and 7."), *more)
    return Board(
        key="unisim-n-way",
        title="UniSim, more images",
        question="Which model finds the image that fits a prompt among many?",
        sentence=f"Which of up to {MOST_IMAGES} images fits a prompt (HPDv2; UniSim-Bench, Fig. 3).",
        columns=columns,
        method=_METHOD,
        primary=columns[-1].key,
        chart=ChartLayout("curve"),  # Fig. 3
        protocol=_PROTOCOL,
        facets=("kind",),
        empty=f"No results yet: a model's accuracy for 3 to {MOST_IMAGES} images appears here after "
        f"python -m qbench run --task it-2afc --dataset hpdv2-{MOST_IMAGES}-way --model MODEL "
        "(the paper's own are in a plot and not transcribed).",
    )


def by_images(datasets: Mapping[int, str]) -> tuple[Column, ...]:
    """For each number of images to choose from, the accuracy on its dataset; a column is a part of its own."""
    return tuple(
        column_of(key, f"{count} images", key, SIMILARITY_ACCURACY, ("it-2afc", dataset, None), alternatives=count)
        for count, dataset in datasets.items()
        for key in [f"{count}-way"]
    )


def _tasks(key: str, title: str, question: str, sentence: str, tasks: Mapping[str, str], other: str) -> Board:
    columns = [_task_columns(task) for task in tasks]
    overall_label = f"Overall, {title.removeprefix('UniSim, ')}"  # Compare draws both boards' tasks together
    # Over the datasets and not over the tasks' printed means, whose rounding would show in the last digit.
    overall = Column(
        key="overall",
        label=overall_label,
        parts=("overall", "means"),
        metric=TASK_MEAN,
        find=Address("similarity", f"mean-of-{len(tasks)}-tasks", None, TASK_MEAN.key),
        mean_of=tuple(column for mean, *_ in columns for column in mean.mean_of),
        weights=tuple(1 / len(mean.mean_of) for mean, *_ in columns for _ in mean.mean_of),
    )
    return Board(
        key=key,
        title=title,
        question=question,
        sentence=sentence,
        columns=(overall, *chain(*columns)),
        parts=(
            Part("overall", overall_label),
            Part("means", "Task means"),
            *(Part(task, label) for task, label in tasks.items()),
        ),
        views=(MetricView("accuracy", "Accuracy", ("task_mean", "accuracy", "retrieval_map")),),
        method=_METHOD,
        primary="overall",
        chart=ChartLayout(part="means", summaries=("overall",), joined_boards=(other,)),  # Fig. 1
        protocol=_PROTOCOL,
        facets=("kind",),
    )


def _training_data() -> Board:
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
        method=_METHOD,
        primary="unseen",
        chart=ChartLayout("dots", summaries=("means",)),
        protocol={"limit": (), "prompt": ("none", "naive", "paper")},
    )


BOARDS = (
    _tasks(
        "unisim-core",
        "UniSim, core tasks",
        "Which model judges similarity most like people?",
        "Which of two images or captions fits better, in four kinds of perceptual judgement (UniSim-Bench, Tables 1 "
        "and 7).",
        CORE_TASKS,
        "unisim-ood",
    ),
    _tasks(
        "unisim-ood",
        "UniSim, other tasks",
        "Which model judges similarity most like people in tasks that UniSim did not train on?",
        "Tasks the UniSim models were not trained for: attributes, odd one out, retrieval (UniSim-Bench, Tables 2 "
        "and 8).",
        OTHER_TASKS,
        "unisim-core",
    ),
    _more_images(),
    _training_data(),
)
