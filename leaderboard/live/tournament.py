"""A tournament: a model compares a visitor's pictures two by two, and the ranking is followed as the answers come.

2AFC prompting, https://arxiv.org/abs/2402.01162: random rounds, both orders of every pair, a MAP ranking of the pairs
answered alike in both.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from leaderboard.live.asking import Recent
from leaderboard.live.follow import follow
from leaderboard.live.limits import Work
from qbench import comparison_summary
from qbench.errors import UndefinedError, UserError
from qbench.models import Model
from qbench.records import Metrics, Picture, Presented, Response, Sample
from qbench.runner import Cancelled, Progress, Runner
from qbench.stats.pairwise import Comparisons, consistent_only
from qbench.stats.ranking import Ranking, map_scores
from qbench.tasks import Ask, comparison

FEWEST, MOST = 3, 50
MOST_ROUNDS = 30
STOPPED = "stopped"
_NAME = "tournament"
_News = Presented | tuple[Progress, bool] | int
"""A comparison; how far the present step is, and whether it scores single pictures; how many others are before."""
_REST = 4.0
"""A new ranking waits for so many times as long as the last one took, so that the model gets most of the machine."""


@dataclass(frozen=True)
class Standing:
    """How a tournament stands."""

    names: tuple[str, ...]
    total: int
    """Presentations when all rounds are through."""
    presented: tuple[Presented, ...] = ()
    ranking: Ranking | None = None
    note: str = "nothing has been compared yet"
    """Why there is no ranking."""
    figures: Metrics = field(default_factory=dict)
    """Consistency and how often each position was named."""
    history: tuple[NDArray[np.float64] | None, ...] = ()
    """Scores after each round, in the order of `names`; None while there were none."""
    seen: Progress | None = None
    """Of the present step: a round, or the scoring of every picture by a model that scores."""
    ahead: int = 0
    """How many others are before this one at the model."""
    seconds: float = 0.0
    by_scores: bool = False
    """Whether the model scores each picture alone, so that the order cannot matter; known from its first answer."""
    ended: str = ""
    """Why it is over: "all rounds", `STOPPED`, or the sentence of what went wrong; empty while it goes on."""

    @property
    def seconds_left(self) -> float | None:
        done = len(self.presented)
        return self.seconds * (self.total - done) / done if done and not self.ended else None

    @property
    def order(self) -> list[int]:
        """Places in `names`, best first; as given while there is no ranking."""
        if self.ranking is None:
            return list(range(len(self.names)))
        return [int(place) for place in self.ranking.scores.argsort(kind="stable")[::-1]]


def name_pictures(pictures: Sequence[Picture]) -> dict[str, Picture]:
    """Pictures by the names of their files, made different where they are not.

    Raises:
        UserError: Too few, too many, or the same picture twice.
    """
    if not FEWEST <= len(pictures) <= MOST:
        raise UserError(f"a tournament takes {FEWEST} to {MOST} pictures, not {len(pictures)}; add or remove some")
    named: dict[str, Picture] = {}
    for picture in pictures:
        name = " ".join(Path(picture.path).name.split())
        twin = next((other for other, known in named.items() if known.sha256 == picture.sha256), None)
        if twin is not None:
            raise UserError(f"{name} and {twin} are the same picture; remove one of them")
        count = 2
        while name in named:
            name = f"{Path(picture.path).stem} ({count}){Path(picture.path).suffix}"
            count += 1
        named[name] = picture
    return named


def hold(pictures: Mapping[str, Picture], lend: Callable[[Work], Model], rounds: int, work: Work) -> Iterator[Standing]:
    """Let a model compare pictures; yields how it stands a few times a second, the last time with `ended` set.

    Args:
        pictures: By name; see `name_pictures`.
        lend: Gives the model.
        rounds: Every round shows each picture once in each place.
        work: Whose `cancel` stops it; what was answered is kept.

    Raises:
        UserError: The model cannot compare, or nothing was answered.
    """
    if not 1 <= rounds <= MOST_ROUNDS:
        raise UserError(f"a tournament has 1 to {MOST_ROUNDS} rounds, not {rounds}")
    started = time.monotonic()
    per_round = len(pictures) // 2 * 2
    now = Standing(tuple(pictures), total=rounds * per_round)
    fresh_at, cost = 0.0, 0.0
    yield now

    def compare(tell: Callable[[_News], None]) -> tuple[Presented, ...]:
        return _compare(pictures, lend(work), rounds, work, tell)

    job = follow(compare, work.cancel)
    try:
        while True:
            now = replace(_heard(now, next(job)), seconds=time.monotonic() - started)
            if time.monotonic() - fresh_at > _REST * cost:
                begun = time.monotonic()
                now = _ranked(now, per_round)
                fresh_at, cost = time.monotonic(), time.monotonic() - begun
            yield now
    except StopIteration as stop:
        now = replace(now, presented=stop.value, ended="all rounds")
    except (Cancelled, UserError) as fault:
        if isinstance(fault, UserError) and not now.presented:
            raise
        now = replace(now, ended=str(fault) or STOPPED)
    finally:
        job.close()
    yield replace(_ranked(now, per_round), ahead=0, seconds=time.monotonic() - started)


def _compare(
    pictures: Mapping[str, Picture], model: Model, rounds: int, work: Work, tell: Callable[[_News], None]
) -> tuple[Presented, ...]:
    samples = [Sample(name, (one.path,), groups={"set": _NAME}) for name, one in pictures.items()]

    def watch(progress: Progress, answers: Sequence[tuple[Ask, Response]]) -> None:
        shown = [ask.sample.partition("\n") for ask, _ in answers]
        tell((progress, any(not second for _, _, second in shown)))
        for (first, _, second), (ask, response) in zip(shown, answers, strict=True):
            if second:
                tell(Presented(first, second, comparison.read_choice(ask.prompt.want, response)[0], _NAME))

    work.waiting = tell
    plan = comparison.plan(samples, model.wants, comparison.Comparison(rounds=rounds))
    return tuple(Runner(model, Recent(), watch=watch, cancel=work.cancel).run(plan).presented)


def _heard(now: Standing, news: Sequence[_News]) -> Standing:
    presented: list[Presented] = []
    for one in news:
        if isinstance(one, Presented):
            presented.append(one)
        elif isinstance(one, int):
            now = replace(now, ahead=one)
        else:
            now = replace(now, seen=one[0], by_scores=now.by_scores or one[1], ahead=0)
    return replace(now, presented=(*now.presented, *presented))


def _ranked(now: Standing, per_round: int) -> Standing:
    """The same with its ranking and figures; rounds that are through are ranked once and never again."""
    if not now.presented:
        return now
    history = list(now.history)
    while (len(history) + 1) * per_round <= len(now.presented):
        past = _ranking(now.names, now.presented[: (len(history) + 1) * per_round])
        history.append(past.scores if isinstance(past, Ranking) else None)
    ranking = _ranking(now.names, now.presented)
    return replace(
        now,
        ranking=ranking if isinstance(ranking, Ranking) else None,
        note="" if isinstance(ranking, Ranking) else ranking,
        figures=comparison_summary.summarise_comparisons(comparisons_of(now.presented, now.names), None),
        history=tuple(history),
    )


def _ranking(names: Sequence[str], presented: Sequence[Presented]) -> Ranking | str:
    """The ranking, or why there is none."""
    agreed = consistent_only(comparisons_of(presented, names))
    if not len(agreed):
        return "no pair has been answered alike in both orders, and others rank nothing"
    try:
        return map_scores(agreed)
    except UndefinedError as fault:
        return fault.reason


def comparisons_of(presented: Sequence[Presented], names: Sequence[str]) -> Comparisons:
    """The container that statistics read."""
    return Comparisons.of(((one.first, one.second, one.choice) for one in presented), items=names)
