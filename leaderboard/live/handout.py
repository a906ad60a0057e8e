"""What a tournament hands out: how it stands, for scripts; its comparisons as a file; what five methods make of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from leaderboard.live.tournament import Standing
from qbench.errors import UserError
from qbench.ranking_file import rank_file
from qbench.stats.ranking import METHODS


def to_json(now: Standing, model: str) -> dict[str, Any]:
    """How it stands, for scripts."""
    ranking = now.ranking
    return {
        "model": model,
        "comparisons": len(now.presented),
        "of": now.total,
        "ended": now.ended or None,
        "note": now.note or None,
        "ranking": [
            {
                "picture": now.names[place],
                "score": None if ranking is None else float(ranking.scores[place]),
                "low": None if ranking is None or ranking.low is None else float(ranking.low[place]),
                "high": None if ranking is None or ranking.high is None else float(ranking.high[place]),
            }
            for place in now.order
        ],
        "figures": {name: one.to_json() for name, one in now.figures.items()},
    }


def rows_of(now: Standing) -> list[dict[str, str | None]]:
    """Every presentation as files of comparisons have it."""
    return [
        {"first": one.first, "second": one.second, "choice": one.choice, "dataset": one.dataset}
        for one in now.presented
    ]


def write_comparisons(now: Standing, path: Path) -> Path:
    """One presented order a line, as `python -m qbench rank` and `score` read them."""
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows_of(now))
    path.write_text("".join(lines), encoding="utf-8")
    return path


def rank_by_all(path: Path) -> dict[str, dict[str, Any] | str]:
    """Method -> what `python -m qbench rank` makes of a file of comparisons, or why it makes nothing of it."""
    rankings: dict[str, dict[str, Any] | str] = {}
    for method in METHODS:
        try:
            rankings[method] = rank_file(path, method=method, pairs="consistent")
        except UserError as fault:
            rankings[method] = str(fault).removeprefix(f"{path.name} has no {method} ranking: ")
    return rankings
