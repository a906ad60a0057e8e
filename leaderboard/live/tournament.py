"""A tournament: a model compares a visitor's pictures two by two, and the ranking is updated as the answers come.

2AFC prompting, https://arxiv.org/abs/2402.01162: random rounds, both orders of every pair, a MAP ranking of the pairs
answered alike in both. The Study page ranks people's answers with the same.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from leaderboard.live.own_images import harmless
from leaderboard.live.service.jobs import Job, JobState, Publish
from leaderboard.live.service.limits import Visitor, Work
from leaderboard.live.service.live import Live
from leaderboard.live.service.uploads import collect
from qbench.commands.rank import rank_comparisons
from qbench.errors import UndefinedError, UserError
from qbench.records import LEVEL, Metrics, Picture, Presented, Response, Sample
from qbench.results import pair_figures
from qbench.runner import Progress, Runner
from qbench.stats.pairwise import Comparisons, count_votes
from qbench.stats.ranking import METHODS, Ranking, map_scores
from qbench.tasks import Ask, RunOptions, comparison

FEWEST_PICTURES, MOST_PICTURES = 3, 50
MOST_ROUNDS = 30
DATASET = "tournament"


@dataclass(frozen=True)
class Tournament:
    """What was answered so far, and what that comes to."""

    pictures: Mapping[str, Picture]
    """By name; see `name_pictures`."""
    total: int
    """Presentations when all rounds are through."""
    presented: tuple[Presented, ...] = ()
    by_scores: bool = False
    """Whether the model scores each picture alone, so that the order cannot matter; known from its first answer."""
    history: tuple[NDArray[np.float64] | None, ...] = ()
    """Scores after each round, in the order of `names`; None while there were none."""
    pairs: str | None = "consistent"
    """Which answers rank; see `qbench.stats.pairwise.count_votes`."""
    standard_errors: NDArray[np.float64] | None = None
    """Of the scores, where they are not those of the ranking itself."""
    none_yet: str = "nothing has been compared yet"
    """Why there is no ranking before anything is answered."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.pictures)

    @cached_property
    def _ranked(self) -> Ranking | str:
        """The ranking, or why there is none."""
        counted = count_votes(Comparisons.of_presented(self.presented, self.names), self.pairs).counted
        if not len(counted):
            unlike = "no pair has the same answer in both orders yet, and only such pairs count"
            return unlike if self.presented else self.none_yet
        try:
            ranking = map_scores(counted)
        except UndefinedError as fault:
            return fault.reason
        errors = self.standard_errors
        return ranking if errors is None else replace(ranking, standard_errors=lambda: errors)

    @property
    def ranking(self) -> Ranking | None:
        return self._ranked if isinstance(self._ranked, Ranking) else None

    @property
    def note(self) -> str:
        """Why there is no ranking."""
        return "" if isinstance(self._ranked, Ranking) else self._ranked

    @cached_property
    def figures(self) -> Metrics:
        """Consistency and how often each position was named."""
        comparisons = Comparisons.of_presented(self.presented, self.names)
        return pair_figures.summarise(comparisons, None).metrics if self.presented else {}

    @property
    def order(self) -> list[int]:
        """Places in `names`, best first; as given while there is no ranking."""
        return self.ranking.order if self.ranking else list(range(len(self.names)))

    @property
    def first_two(self) -> tuple[str, str, float] | None:
        """The first two pictures, and how probable it is that the first is the better; None where nothing tells it.

        The scores sum to zero. So, of n pictures, the variance of a difference is n / (n - 1) times that of two
        independent errors where all errors are alike.
        """
        ranking = self.ranking
        if ranking is None or ranking.groups or ranking.low is None or ranking.high is None:
            return None
        best, second = self.order[:2]
        errors = (ranking.high - ranking.low) / (2 * ndtri(0.5 + LEVEL / 2))
        spread = np.hypot(errors[best], errors[second]) * np.sqrt(len(self.names) / (len(self.names) - 1))
        probability = float(ndtr((ranking.scores[best] - ranking.scores[second]) / spread))
        return self.names[best], self.names[second], probability

    def after(self, presented: tuple[Presented, ...]) -> Tournament:
        """The same once all of this was answered; each round that is through is ranked once and never again."""
        history, per_round = list(self.history), len(self.names) // 2 * 2
        while (len(history) + 1) * per_round <= len(presented):
            past = replace(self, presented=presented[: (len(history) + 1) * per_round]).ranking
            history.append(past.scores if past else None)
        return replace(self, presented=presented, history=tuple(history))


TournamentState: TypeAlias = JobState[Tournament, Tournament]
"""How far a tournament is; it has a result once all rounds are through."""


def standing(state: TournamentState) -> Tournament:
    """What was answered so far."""
    return state.result or state.known or Tournament({}, 0)


def name_pictures(
    pictures: Sequence[Picture], what: str = "a tournament", fewest: int = FEWEST_PICTURES, most: int = MOST_PICTURES
) -> dict[str, Picture]:
    """Pictures by the names of their files, made different where they are not.

    Raises:
        UserError: Fewer or more than `what` takes, or the same picture twice.
    """
    if not fewest <= len(pictures) <= most:
        raise UserError(f"{what} takes {fewest} to {most} pictures, not {len(pictures)}; add or remove some")
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


def take_in(live: Live, visitor: Visitor, paths: Sequence[str] | None) -> dict[str, Picture]:
    """The pictures of uploaded files and zips by their names, or a UserError where they cannot be compared."""
    files = collect(paths, visitor, live.uploads, MOST_PICTURES)
    return name_pictures([live.uploads.take_in(file, visitor) for _, file in files])


def tournament_job(
    live: Live, visitor: Visitor, paths: Sequence[str] | None, name: str, rounds: int
) -> Job[Tournament]:
    """The job of letting a model compare pictures; every round shows each once in each place."""

    def job(work: Work, publish: Publish) -> Tournament:
        if not 1 <= rounds <= MOST_ROUNDS:
            raise UserError(f"a tournament has 1 to {MOST_ROUNDS} rounds, not {rounds}")
        pictures = take_in(live, visitor, paths)
        known = Tournament(pictures, total=rounds * (len(pictures) // 2 * 2))
        publish(known=known)

        def watch(progress: Progress, answered: Sequence[tuple[Ask, Response]]) -> None:
            nonlocal known
            presented = tuple(
                Presented(*ask.pair, comparison.read_choice(ask.prompt.want, response).choice, DATASET)
                for ask, response in answered
                if ask.pair is not None
            )
            by_scores = known.by_scores or any(ask.pair is None for ask, _ in answered)
            known = replace(known, by_scores=by_scores).after((*known.presented, *presented))
            publish(doing="asking the model", progress=progress, known=known)

        model = live.models.lend(name, work)
        samples = [Sample(item, (picture.path,), groups={"set": DATASET}) for item, picture in pictures.items()]
        plan = comparison.plan(samples, comparison.TASK.choose(model.wants, RunOptions(rounds=rounds)))
        outcome = Runner(model, live.recent, watch=watch, cancel=work.cancel).run(plan)
        return known.after(tuple(outcome.presented))

    return job


def to_json(state: TournamentState, model: str) -> dict[str, Any]:
    """How it stands, for scripts."""
    known, ended = standing(state), "stopped" if state.cancelled else "all rounds" if state.result else None
    return {"model": model, "of": known.total, "ended": state.failure or ended, **ranking_json(known)}


def ranking_json(known: Tournament) -> dict[str, Any]:
    """What it has come to, for scripts."""
    ranking = known.ranking
    ranks = None if ranking is None else ranking.ranks
    return {
        "comparisons": len(known.presented),
        "note": known.note or None,
        "ranking": [
            {
                "picture": known.names[place],
                "rank": None if ranks is None else ranks[place],
                "score": None if ranking is None else float(ranking.scores[place]),
                "low": None if ranking is None or ranking.low is None else float(ranking.low[place]),
                "high": None if ranking is None or ranking.high is None else float(ranking.high[place]),
            }
            for place in known.order
        ],
        "groups": [] if ranking is None else [list(group) for group in ranking.groups],
        "figures": {name: figure.to_json() for name, figure in known.figures.items()},
    }


def rows_of(known: Tournament) -> list[dict[str, str | None]]:
    """Every presentation as files of comparisons have it."""
    return [
        {"first": shown.first, "second": shown.second, "choice": shown.choice, "dataset": shown.dataset}
        for shown in known.presented
    ]


def write_comparisons(known: Tournament, path: Path) -> Path:
    """One presented order a line, as `python -m qbench rank` and `score` read them."""
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows_of(known))
    path.write_text("".join(lines), encoding="utf-8")
    return path


def ranking_csv(known: Tournament) -> str:
    """Rank, picture, score and interval, the best first, as a table."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["rank", "picture", "score", "low", "high"])
    for row in ranking_json(known)["ranking"]:
        writer.writerow([row["rank"], harmless(row["picture"]), row["score"], row["low"], row["high"]])
    return text.getvalue()


def rank_by_all(known: Tournament) -> dict[str, dict[str, Any] | str]:
    """Method -> what `python -m qbench rank` prints of the comparisons' file, or why it has no ranking."""
    presented = known.presented
    shown = list(dict.fromkeys(name for pair in presented for name in (pair.first, pair.second)))
    comparisons = Comparisons.of_presented(presented, shown)
    rankings: dict[str, dict[str, Any] | str] = {}
    for method in METHODS:
        try:
            rankings[method] = rank_comparisons(comparisons, method=method, pairs=known.pairs)
        except UndefinedError as fault:
            rankings[method] = fault.reason
    return rankings
