"""Where a photo's score falls among a model's scores of a dataset."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from leaderboard.live.limits import Work
from qbench.cache import Cache
from qbench.datasets import is_here, open_dataset
from qbench.datasets.known import known_datasets
from qbench.evaluation import RunOptions, make_plan
from qbench.models import Model
from qbench.runner import Progress, Runner


def rated_datasets() -> list[str]:
    """Datasets of rated pictures that are here; the demo set, which is made here, comes first."""
    here = [one for one in known_datasets() if one.task == "assessment" and one.opens and is_here(one)]
    return [one.name for one in sorted(here, key=lambda one: one.truth)]


def scores_on(
    dataset: str, model: Model, runs: Path, work: Work, tell: Callable[[Progress], None]
) -> tuple[float, ...]:
    """What scores are ranked on, of every picture of a dataset; answers are kept, and runs of the same find them.

    Raises:
        Cancelled: The work was cancelled; the answers so far are kept.
        UserError: The time is used up, or most pictures fail.
    """
    samples = open_dataset(dataset).samples
    plan = make_plan("assessment", samples, model, RunOptions(), judged=False)
    runner = Runner(
        model, Cache(runs / "responses.jsonl"), watch=lambda progress, _: tell(progress), cancel=work.cancel
    )
    scores = runner.run(plan).scores["quality"]
    ranked = (score.value if score.order is None else score.order for score in scores)
    return tuple(sorted(value for value in ranked if value is not None))
