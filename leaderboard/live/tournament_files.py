"""What a tournament gives to take away: its state, its comparisons, its rankings by all methods."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from leaderboard.live.tournament import TournamentState
from qbench.commands.rank import rank_comparisons
from qbench.errors import UndefinedError
from qbench.stats.pairwise import Comparisons
from qbench.stats.ranking import METHODS


def to_json(state: TournamentState, model: str) -> dict[str, Any]:
    """How it stands, for scripts."""
    ranking = state.ranking
    ranks = None if ranking is None else ranking.ranks
    return {
        "model": model,
        "comparisons": len(state.answers.presented),
        "of": state.answers.total,
        "ended": _ended(state),
        "note": state.note or None,
        "ranking": [
            {
                "picture": state.names[place],
                "rank": None if ranks is None else ranks[place],
                "score": None if ranking is None else float(ranking.scores[place]),
                "low": None if ranking is None or ranking.low is None else float(ranking.low[place]),
                "high": None if ranking is None or ranking.high is None else float(ranking.high[place]),
            }
            for place in state.order
        ],
        "groups": [] if ranking is None else [list(group) for group in ranking.groups],
        "figures": {name: figure.to_json() for name, figure in state.figures.items()},
    }


def _ended(state: TournamentState) -> str | None:
    """Why it is over; None while it goes on."""
    if state.failure:
        return state.failure.reason
    return "stopped" if state.cancelled else "all rounds" if state.complete else None


def rows_of(state: TournamentState) -> list[dict[str, str | None]]:
    """Every presentation as files of comparisons have it."""
    return [
        {"first": shown.first, "second": shown.second, "choice": shown.choice, "dataset": shown.dataset}
        for shown in state.answers.presented
    ]


def write_comparisons(state: TournamentState, path: Path) -> Path:
    """One presented order a line, as `python -m qbench rank` and `score` read them."""
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows_of(state))
    path.write_text("".join(lines), encoding="utf-8")
    return path


def rank_by_all(state: TournamentState) -> dict[str, dict[str, Any] | str]:
    """Method -> what `python -m qbench rank` prints of the comparisons' file, or why it has no ranking."""
    presented = state.answers.presented
    shown = list(dict.fromkeys(name for pair in presented for name in (pair.first, pair.second)))
    comparisons = Comparisons.of_presented(presented, shown)
    rankings: dict[str, dict[str, Any] | str] = {}
    for method in METHODS:
        try:
            rankings[method] = rank_comparisons(comparisons, method=method, pairs=state.pairs)
        except UndefinedError as fault:
            rankings[method] = fault.reason
    return rankings
