"""What somebody with many names learns of private answers from the board: attacks played against its own rules.

Run from the repository root: `python -m bench.private_answers [--questions 1000] [--tries 200]`. Questions have two
options, so an answer is one bit. Every try is a submission by a name of its own; the attacker sees what the board tells
and nothing of what waits. Counted are the answers that the attacker states and that are right, less those
stated that are wrong: guessing gives 0, and 50 of 1000 is to be right in 52.5 % of them. The most bits told are a bound
for any attack.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timezone

import numpy as np
from numpy.typing import NDArray

from leaderboard.store.submission import Entry, Metadata, Submission
from leaderboard.submissions.private import A_MONTH, PRIVATE_ANSWERS, STEPS, coarse, told_lately
from qbench.records import Result, Source
from qbench.stats.intervals import wilson

NOON = datetime(2026, 5, 31, 12, tzinfo=timezone.utc)
Answers = NDArray[np.bool_]
UNLIMITED = 10**9


@dataclass(frozen=True)
class Rules:
    """What a board tells of private answers."""

    exact: bool = False
    a_month: int = A_MONTH


@dataclass
class Board:
    """Tells figures about replies."""

    answers: Answers
    rules: Rules
    entries: list[Entry] = field(default_factory=list)
    tries: int = 0

    def tell(self, replies: Answers) -> float | None:
        """The figure of one more submission, as far as it is told."""
        self.tries += 1
        exact = wilson(float((replies == self.answers).sum()), len(replies))
        if self.rules.exact:
            return exact.value
        made = Result(
            "perception",
            "llvisionqa-test",
            f"model {self.tries}",
            {"accuracy": exact},
            Source("rescored", "replies"),
            protocol={"answers": PRIVATE_ANSWERS},
            raw=f"{self.tries:064x}",
        )
        result = coarse(made)
        waits = told_lately(self.entries, result, NOON) >= self.rules.a_month
        made_by = Submission((result,), Metadata(result.model), NOON.isoformat(), identity=f"name {self.tries}")
        self.entries.append(Entry(made_by, f"{self.tries:064x}", "pending" if waits else "accepted"))
        return None if waits else result.metrics["accuracy"].value


Attack = Callable[[Board, int, np.random.Generator], dict[int, bool]]
"""Gives the answers that the attacker states: number of the question -> answer."""


def one_by_one(board: Board, tries: int, rng: np.random.Generator) -> dict[int, bool]:
    """One answer changed in each try: a higher figure says that it is right now, a lower one that it was."""
    start = rng.random(len(board.answers)) < 0.5
    before = board.tell(start)
    stated: dict[int, bool] = {}
    for place in range(min(tries - 1, len(start))):
        figure = board.tell(_flipped(start, place))
        if figure is not None and before is not None and figure != before:
            stated[place] = bool(start[place]) ^ (figure > before)
    return stated


def at_the_edge(board: Board, tries: int, rng: np.random.Generator) -> dict[int, bool]:
    """Bisect from random replies to their opposite for where the figure changes; there one answer makes a step."""
    start = rng.random(len(board.answers)) < 0.5
    low, high = 0, len(start)
    first, other = board.tell(start), board.tell(~start)
    if first is None or other is None or first == other:
        return {}
    while high - low > 1 and board.tries < tries:
        middle = (low + high) // 2
        figure = board.tell(_prefix(start, middle))
        if figure is None:
            return {}
        if figure == first:
            low = middle
        else:
            high, other = middle, figure
    base, floor = _prefix(start, low if other > first else high), min(first, other)
    stated: dict[int, bool] = {}
    for place in range(len(base)):
        if place != low and board.tries < tries:
            figure = board.tell(_flipped(base, place))
            if figure is not None:
                stated[place] = bool(base[place]) ^ (figure > floor)
    return stated


def climbing(board: Board, tries: int, rng: np.random.Generator) -> dict[int, bool]:
    """Change some answers at a time and keep what is told to be better: a climb."""
    base = rng.random(len(board.answers)) < 0.5
    start, best = base.copy(), board.tell(base) or 0.0
    while board.tries < tries:
        places = rng.choice(len(base), max(1, len(base) // 20), replace=False)
        other = base.copy()
        other[places] = ~other[places]
        figure = board.tell(other)
        if figure is not None and figure > best:
            base, best = other, figure
    return {int(place): bool(base[place]) for place in np.flatnonzero(base != start)}


def vote(board: Board, tries: int, rng: np.random.Generator) -> dict[int, bool]:
    """The majority of random replies that scored above one half, and of the opposite of the others."""
    votes = np.zeros(len(board.answers))
    for _ in range(tries):
        replies = rng.random(len(board.answers)) < 0.5
        figure = board.tell(replies)
        if figure is not None and figure != 0.5:
            votes += np.where(replies, 1, -1) * np.sign(figure - 0.5)
    return {int(place): bool(votes[place] > 0) for place in np.flatnonzero(votes)}


ATTACKS: dict[str, Attack] = {
    "one answer a try": one_by_one,
    "at the edge of a step": at_the_edge,
    "climbing": climbing,
    "vote of random replies": vote,
}
RULES = {
    "exact figures": Rules(exact=True, a_month=UNLIMITED),
    "rounded to 1 %": Rules(a_month=UNLIMITED),
    "and 20 a month": Rules(),
}


def learned(attack: Attack, rules: Rules, questions: int, tries: int, seed: int) -> int:
    """Answers stated rightly less those stated wrongly."""
    rng = np.random.default_rng(seed)
    answers = rng.random(questions) < 0.5
    stated = attack(Board(answers, rules), tries, rng)
    return sum(1 if answers[place] == answer else -1 for place, answer in stated.items())


def most_bits(rules: Rules, questions: int, tries: int) -> float:
    """The most that so many tries can tell: each that is told is one of so many values."""
    steps = questions if rules.exact else round(1 / STEPS[0])
    return min(questions, min(tries, rules.a_month) * math.log2(steps + 1))


def _flipped(replies: Answers, place: int) -> Answers:
    other = replies.copy()
    other[place] = not other[place]
    return other


def _prefix(replies: Answers, length: int) -> Answers:
    other = replies.copy()
    other[:length] = ~other[:length]
    return other


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--tries", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    print(f"{asked.questions} questions, {asked.tries} tries by as many names; mean of {asked.repeats} attacks\n")
    print("| rules | most bits told | " + " | ".join(ATTACKS) + " |")
    print("|---|" + "---|" * (len(ATTACKS) + 1))
    for name, rules in RULES.items():
        got = [
            np.mean(
                [learned(attack, rules, asked.questions, asked.tries, asked.seed + k) for k in range(asked.repeats)]
            )
            for attack in ATTACKS.values()
        ]
        told = most_bits(rules, asked.questions, asked.tries)
        print(f"| {name} | {told:.0f} | " + " | ".join(f"{number:.0f}" for number in got) + " |")


if __name__ == "__main__":
    main()
