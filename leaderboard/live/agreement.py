"""How far two sides agree about the same pairs of photos: a person, models, and what is true of the photos."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np

from leaderboard.live.person import YOU
from leaderboard.live.service.jobs import Job
from leaderboard.live.service.limits import Work
from leaderboard.live.service.live_runner import LiveRunner
from leaderboard.live.service.messages import JobProgress, PartialResult, Publish
from leaderboard.live.service.open import Live
from qbench.datasets import open_dataset
from qbench.errors import UserError
from qbench.images import open_picture
from qbench.records import Estimate, Picture, Presented, Sample
from qbench.stats.intervals import image_mean
from qbench.stats.pairwise import Comparisons, win_matrix
from qbench.stats.votes import count_votes
from qbench.tasks import comparison

TRUTH = "what was done to the photos"
"""Stands for the truth of a demo set, which nobody was asked about."""
EXAMPLE_DATASET, EXAMPLE_COUNT = "demo-comparison", 8
"""Photos to begin with, at as many levels of one damage."""
MOST_MODELS = 6

Preferences = Mapping[tuple[str, str], str]
"""Pair of photos, by name -> the one that is preferred; pairs without a preference are not there."""


@dataclass(frozen=True)
class Agreement:
    """How often two sides prefer the same photo, of the pairs in which both prefer one."""

    sides: tuple[str, str]
    share: Estimate
    alike: int
    pairs: int


def preferences(presented: Sequence[Presented]) -> Preferences:
    """Who is preferred in each pair, by the answers that rank."""
    comparisons = Comparisons.of_presented(presented)
    wins = win_matrix(count_votes(comparisons).counted).toarray()
    preferred: dict[tuple[str, str], str] = {}
    for one, other in combinations(range(len(comparisons.items)), 2):
        if wins[one, other] != wins[other, one]:
            pair = (comparisons.items[one], comparisons.items[other])
            preferred[_in_order(pair)] = pair[0] if wins[one, other] > wins[other, one] else pair[1]
    return preferred


def preferences_by_truth(scores: Mapping[str, float]) -> Preferences:
    """The photo with the higher score of each pair; equal scores prefer none."""
    return {
        _in_order(pair): max(pair, key=lambda name: scores[name])
        for pair in combinations(scores, 2)
        if scores[pair[0]] != scores[pair[1]]
    }


def agreements(sides: Mapping[str, Preferences]) -> list[Agreement]:
    """Agreement of every two sides; intervals are for new photos, and a coin agrees in half of the pairs."""
    return [_agreement((one, other), sides[one], sides[other]) for one, other in combinations(sides, 2)]


def _agreement(names: tuple[str, str], one: Preferences, other: Preferences) -> Agreement:
    both = sorted(one.keys() & other.keys())
    alike = np.array([one[pair] == other[pair] for pair in both], dtype=float)
    if not both:
        return Agreement(names, Estimate(None, n=0, note="there is no pair in which both prefer a photo"), 0, 0)
    places = {name: place for place, name in enumerate(sorted({name for pair in both for name in pair}))}
    images = np.array([[places[name] for name in pair] for pair in both])
    return Agreement(names, image_mean(alike, images), int(alike.sum()), len(both))


def _in_order(pair: tuple[str, str]) -> tuple[str, str]:
    return (pair[0], pair[1]) if pair[0] < pair[1] else (pair[1], pair[0])


def true_scores(pictures: Mapping[str, Picture]) -> dict[str, float] | None:
    """What is true of photos that are all among the examples; None of any others."""
    known = _scores_of_examples()
    if any(picture.sha256 not in known for picture in pictures.values()):
        return None
    return {name: known[picture.sha256] for name, picture in pictures.items()}


@cache
def _scores_of_examples() -> dict[str, float]:
    samples = open_dataset(EXAMPLE_DATASET, limit=EXAMPLE_COUNT).samples
    return {open_picture(Path(sample.images[0])).sha256: sample.human for sample in samples if sample.human is not None}


def known_preferences(pictures: Mapping[str, Picture], yours: Sequence[Presented]) -> dict[str, Preferences]:
    """Your preferences and, of the examples, the truth: what is known without asking a model."""
    scores = true_scores(pictures)
    return {YOU: preferences(yours), **({TRUTH: preferences_by_truth(scores)} if scores else {})}


def preferences_job(
    live: Live, pictures: Mapping[str, Picture], yours: Sequence[Presented], models: Sequence[str]
) -> Job[dict[str, Preferences]]:
    """The job of asking models about the pairs that a person answered, each in both orders.

    Publishes the preferences so far after each model.
    """

    def job(work: Work, publish: Publish) -> dict[str, Preferences]:
        if len(models) > MOST_MODELS:
            raise UserError(f"at most {MOST_MODELS} models are asked at once; choose fewer")
        sides = known_preferences(pictures, yours)
        publish(PartialResult(dict(sides)))
        pairs = sorted({_in_order((shown.first, shown.second)) for shown in yours})
        both_orders = [order for one, other in pairs for order in ((one, other), (other, one))]
        samples = [Sample(name, (picture.path,)) for name, picture in pictures.items()]
        for name in models:
            publish(JobProgress(f"Asking {name}"))
            runner = LiveRunner(live.models.lend(name, work), work, live.recent)
            presented, _ = runner.run(comparison.ask_about(samples, runner.model.wants, both_orders))
            sides[name] = preferences(presented)
            publish(PartialResult(dict(sides)))
        return sides

    return job
