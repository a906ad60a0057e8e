"""A person compares photos two by two, for Tournament and Study: which pair comes next, and how far others agree.

All that is known of it is which photos, how many rounds, a seed and the answers, one letter each. The questions follow
from these, so nothing is kept on the server: the page sends the answers again, also after a reload or a step back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np

from leaderboard.live.service.jobs import Job, JobState, Publish
from leaderboard.live.service.limits import Work
from leaderboard.live.service.live import Live
from leaderboard.live.tournament import DATASET, MOST_PICTURES, MOST_ROUNDS, Tournament, TournamentState
from qbench.datasets import open_dataset
from qbench.errors import UserError
from qbench.images import open_picture
from qbench.parsing import Preference
from qbench.records import Estimate, Picture, Presented, Sample
from qbench.stats.intervals import image_mean
from qbench.stats.pairwise import Comparisons, count_votes, win_matrix
from qbench.tasks import comparison
from qbench.tasks.active import ActivePairs, Pair

YOU = "you"
"""Stands for a person where models are chosen."""
MOST_IN_FULL = 8
"""Up to so many photos every pair is asked; of more, the pairs are chosen by the answers so far."""
LETTERS: Mapping[str, Preference] = {"f": "first", "s": "second", "t": "tie"}
"""How an answer is sent."""
_LARGEST_SEED = 2**31


@dataclass(frozen=True)
class PersonAnswers:
    """How far a person has come."""

    photos: int
    rounds: int
    """Of more than `MOST_IN_FULL` photos; each shows every photo twice, or once where one order is enough."""
    seed: int
    answers: str = ""
    """A letter of `LETTERS` for each question, in the order they were asked."""

    def __post_init__(self) -> None:
        whole = all(type(number) is int for number in (self.photos, self.rounds, self.seed))
        if not whole or not isinstance(self.answers, str):  # browsers send what they like
            raise UserError("photos, rounds and seed are whole numbers, and the answers are text")
        if not 2 <= self.photos <= MOST_PICTURES:
            raise UserError(f"a person compares 2 to {MOST_PICTURES} photos here, not {self.photos}")
        if not (1 <= self.rounds <= MOST_ROUNDS and 0 <= self.seed <= _LARGEST_SEED):
            raise UserError(f"there are 1 to {MOST_ROUNDS} rounds, and seeds from 0 to {_LARGEST_SEED:,}")
        if len(self.answers) > self.most or set(self.answers) - set(LETTERS):
            raise UserError(f"answers are up to {self.most:,} of the letters {', '.join(LETTERS)}")

    @property
    def most(self) -> int:
        """The most questions that there are; active pairs may run out before."""
        in_full = self.photos * (self.photos - 1)
        return in_full if self.photos <= MOST_IN_FULL else min(in_full, self.rounds * (self.photos // 2 * 2))

    @property
    def choices(self) -> list[Preference]:
        return [LETTERS[letter] for letter in self.answers]


def ask_pairs(given: PersonAnswers) -> tuple[list[Pair], int]:
    """The pairs to show, as far as they are known, and how many there are in all.

    Both orders of a pair are mixed among those of others, so that no two photos come twice in succession. More than
    `MOST_IN_FULL` photos are paired actively (see `qbench.tasks.active`), a round at a time: a round is known once the
    one before it is answered.
    """
    rng = np.random.default_rng(given.seed)
    if given.photos <= MOST_IN_FULL:
        pairs = combinations(range(given.photos), 2)
        shown = mixed([order for one, two in pairs for order in ((one, two), (two, one))], rng)
        return shown, len(shown)
    active, choices = ActivePairs(given.photos, given.seed), given.choices
    shown = []
    while len(shown) < given.most:
        if not (proposed := active.propose()):
            return shown, len(shown)
        proposed = mixed(proposed, rng)
        known = choices[len(shown) : len(shown) + len(proposed)]
        shown += proposed
        if len(known) < len(proposed):
            break
        active.learn(proposed, known)
    return shown[: given.most], given.most


def mixed(pairs: Sequence[Pair], rng: np.random.Generator) -> list[Pair]:
    """The pairs shuffled, the two orders of one never in succession unless there is no other pair."""
    alone = len({frozenset(pair) for pair in pairs}) == 1
    while True:
        order = [pairs[place] for place in rng.permutation(len(pairs))]
        if alone or all(set(one) != set(two) for one, two in pairwise(order)):
            return order


def as_tournament(pictures: Mapping[str, Picture], given: PersonAnswers, seconds: float) -> TournamentState:
    """What a person's answers come to, as a tournament that has ended: whoever stops early leaves some questions."""
    names, (shown, total) = tuple(pictures), ask_pairs(given)
    presented = tuple(
        Presented(names[first], names[second], choice, DATASET)
        for (first, second), choice in zip(shown, given.choices, strict=False)
    )
    known = Tournament(pictures, total, pairs=None, none_yet="nothing was answered").after(presented)
    complete = len(presented) == total
    return JobState(known=known, result=known if complete else None, cancelled=not complete, seconds=seconds)


def photos_key(pictures: Mapping[str, Picture]) -> str:
    """Names these photos in this order, so that answers about others are told apart."""
    return hashlib.sha256("".join(picture.sha256 for picture in pictures.values()).encode()).hexdigest()[:16]


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
        publish(known=dict(sides))
        pairs = sorted({_in_order((shown.first, shown.second)) for shown in yours})
        both_orders = [order for one, other in pairs for order in ((one, other), (other, one))]
        samples = [Sample(name, (picture.path,)) for name, picture in pictures.items()]
        for name in models:
            publish(doing=f"Asking {name}")
            runner = live.runner(name, work)
            presented, _ = runner.run(comparison.ask_about(samples, runner.model.wants, both_orders))
            sides[name] = preferences(presented)
            publish(known=dict(sides))
        return sides

    return job
