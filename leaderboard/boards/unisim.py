"""UniSim-Bench (https://arxiv.org/abs/2412.10594): tasks of perceptual similarity, core and out of distribution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from leaderboard.tables.columns import Address, Board, ChartLayout, Column, Metric, MetricView, Part, column_of
from qbench.datasets.known import benchmark_datasets

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


@dataclass(frozen=True)
class TaskColumns:
    """One task, with a column for each of its datasets that `qbench/datasets/known.json` gives one."""

    key: str
    label: str
    metric: Metric = SIMILARITY_ACCURACY

    @property
    def datasets(self) -> Mapping[str, str]:
        """Name in records -> label of the column."""
        return {facts.record_name: facts.column for facts in benchmark_datasets()[self.key]}

    @property
    def columns(self) -> tuple[Column, ...]:
        """The task's mean, then its datasets."""
        mean = Column(
            key=f"{self.key}/mean",
            label="Mean",
            parts=(self.key, "means"),
            metric=self.metric,
            find=Address(self.key, f"mean-of-{len(self.datasets)}", None, self.metric.key),
            mean_of=tuple(f"{self.key}/{dataset}" for dataset in self.datasets),
            description="Plain mean over the task's datasets.",
        )
        return mean, *(
            column_of(f"{self.key}/{dataset}", label, self.key, self.metric, (self.key, dataset, None))
            for dataset, label in self.datasets.items()
        )


def core_board() -> Board:
    """The four core tasks (Tables 1 and 7)."""
    tasks = (
        TaskColumns("img-2afc", "Img-2AFC"),
        TaskColumns("it-2afc", "IT-2AFC"),
        TaskColumns("text-2afc", "Text-2AFC"),
        TaskColumns("iqa-2afc", "IQA"),
    )
    sentence = "Which of two images or captions fits better, in four kinds of perceptual judgement"
    return _board(
        "unisim-core",
        "UniSim, core tasks",
        "Which model judges similarity most like people?",
        f"{sentence} (UniSim-Bench, Tables 1 and 7).",
        tasks,
        "unisim-ood",
    )


def other_tasks_board() -> Board:
    """The tasks UniSim was not trained for (Tables 2 and 8)."""
    tasks = (
        TaskColumns("attributes", "Attributes"),
        TaskColumns("odd-one-out", "Odd one out"),
        TaskColumns("retrieval", "Retrieval", RETRIEVAL_PRECISION),
    )
    sentence = "Tasks the UniSim models were not trained for: attributes, odd one out, retrieval"
    return _board(
        "unisim-ood",
        "UniSim, other tasks",
        "Which model judges similarity most like people in tasks that UniSim did not train on?",
        f"{sentence} (UniSim-Bench, Tables 2 and 8).",
        tasks,
        "unisim-core",
    )


def more_images_board() -> Board:
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


def _board(key: str, title: str, question: str, sentence: str, tasks: tuple[TaskColumns, ...], other: str) -> Board:
    overall_label = f"Overall, {title.removeprefix('UniSim, ')}"  # Compare draws both boards' tasks together
    # Over the datasets and not over the tasks' printed means, whose rounding would show in the last digit.
    overall = Column(
        key="overall",
        label=overall_label,
        parts=("overall", "means"),
        metric=TASK_MEAN,
        find=Address("similarity", f"mean-of-{len(tasks)}-tasks", None, TASK_MEAN.key),
        mean_of=tuple(column for task in tasks for column in task.columns[0].mean_of),
        weights=tuple(1 / len(task.datasets) for task in tasks for _ in task.datasets),
    )
    return Board(
        key=key,
        title=title,
        question=question,
        sentence=sentence,
        columns=(overall, *(column for task in tasks for column in task.columns)),
        parts=(
            Part("overall", overall_label),
            Part("means", "Task means"),
            *(Part(task.key, task.label) for task in tasks),
        ),
        views=(MetricView("accuracy", "Accuracy", ("task_mean", "accuracy", "retrieval_map")),),
        method=_METHOD,
        primary="overall",
        chart=ChartLayout(part="means", summaries=("overall",), joined_boards=(other,)),  # Fig. 1
        protocol=_PROTOCOL,
        facets=("kind",),
    )
