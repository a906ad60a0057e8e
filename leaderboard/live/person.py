"""A person compares photos two by two: which pair comes next, and what the answers come to.

All that is known of it is which photos, how many rounds, a seed and the answers, one letter each. The questions follow
from these, so nothing is kept on the server: the page sends the answers again, also after a reload or a step back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from leaderboard.live.tournament import (
    MOST_PICTURES,
    MOST_ROUNDS,
    TournamentAnswers,
    TournamentState,
    with_ranking,
)
from qbench.errors import UserError
from qbench.parsing import Preference
from qbench.records import Picture, Presented
from qbench.tasks.active import ActivePairs, Pair

YOU = "you"
"""Stands for a person where models are chosen."""
DATASET = "tournament"
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
    """What a person's answers come to, as a tournament that has ended."""
    names, (shown, total) = tuple(pictures), ask_pairs(given)
    presented = tuple(
        Presented(names[first], names[second], choice, DATASET)
        for (first, second), choice in zip(shown, given.choices, strict=False)
    )
    complete = len(presented) == total
    state = TournamentState(
        TournamentAnswers(pictures, total, presented),
        seconds=seconds,
        complete=complete,
        cancelled=not complete,
        note="nothing was answered",
        pairs=None,
    )
    return with_ranking(state)


def photos_key(pictures: Mapping[str, Picture]) -> str:
    """Names these photos in this order, so that answers about others are told apart."""
    return hashlib.sha256("".join(picture.sha256 for picture in pictures.values()).encode()).hexdigest()[:16]
