"""All findings of one snapshot, and their JSON form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from leaderboard.analysis.judge import JudgeFinding, find_judge
from leaderboard.analysis.position import PositionFinding, PositionShares, find_position, find_shares
from leaderboard.analysis.quarters import QuarterFinding, find_quarters
from leaderboard.analysis.score_words import ScoreWordFinding, find_score_words
from leaderboard.analysis.sources import SourceFinding, find_source_spreads
from leaderboard.analysis.yes_no import YesNoFinding, find_yes_no
from leaderboard.snapshot import Snapshot
from leaderboard.tables.cells import Cell
from leaderboard.tables.chance import Simulated

PAIRS = {"coarse": "2afc-coarse", "fine": "2afc-fine"}
"""Kind of pairs -> board that holds them."""


@dataclass(frozen=True)
class Findings:
    """What the results of one snapshot say about answer habits."""

    revision: str
    as_of: str
    """Which data, in words; see `Loaded.as_of`."""
    yes_no: tuple[YesNoFinding, ...]
    """One for each set of questions."""
    position: dict[str, PositionFinding]
    """By kind of pairs."""
    shares: tuple[PositionShares, ...]
    score_words: ScoreWordFinding
    judge: JudgeFinding
    quarters: tuple[QuarterFinding, ...]
    """One for each dataset."""
    sources: SourceFinding


def find_habits(snapshot: Snapshot, simulated: Simulated) -> Findings:
    """Look at every record of a snapshot."""
    results = snapshot.loaded.results
    return Findings(
        revision=snapshot.loaded.revision,
        as_of=snapshot.loaded.as_of,
        yes_no=tuple(find_yes_no(snapshot.loaded.records, snapshot.find_model)),
        position={
            kind: find_position(snapshot, board, simulated)
            for kind, board in PAIRS.items()
            if any(known.key == board for known in snapshot.boards)
        },
        shares=tuple(find_shares(results, snapshot.find_model)),
        score_words=find_score_words(results, snapshot.find_model),
        judge=find_judge(snapshot.loaded.records, snapshot.find_model),
        quarters=tuple(find_quarters(snapshot.loaded.records, snapshot.find_model)),
        sources=find_source_spreads(snapshot),
    )


def findings_json(found: Findings) -> dict[str, Any]:
    """Findings as plain data, the sentences included."""
    return {
        "schema": 1,
        "revision": found.revision,
        "yes_no": [_yes_no(finding) for finding in found.yes_no],
        "position": {kind: _position(finding) for kind, finding in found.position.items()},
        "shares": [
            {
                "model": shares.model.id,
                "dataset": shares.dataset,
                "first": shares.first.to_json(),
                "second": shares.second.to_json(),
                "tie": shares.tie.to_json(),
            }
            for shares in found.shares
        ],
        "score_words": {
            "finding": found.score_words.finding,
            "models": [
                {
                    "model": habit.model.id,
                    "words": habit.words,
                    "mean": habit.mean,
                    "shares": {dataset: share.figure() for dataset, share in habit.shares.items()},
                }
                for habit in found.score_words.habits
            ],
        },
        "judge": {
            "finding": found.judge.finding,
            "models": [
                {"model": each.model.id, "same": each.same, "mean": each.mean, "deviation": each.deviation}
                for each in found.judge.models
            ],
        },
        "quarters": [
            {
                "dataset": finding.dataset,
                "finding": finding.finding,
                "models": [
                    {
                        "model": each.model.id,
                        "asked": each.asked,
                        "quarters": {
                            quarter.name: {**quarter.srcc.figure(), "expected": quarter.expected}
                            for quarter in each.quarters
                        },
                    }
                    for each in finding.models
                ],
            }
            for finding in found.quarters
        ],
        "sources": {
            "compared": found.sources.compared,
            "finding": found.sources.finding,
            "models": [
                {
                    "model": spread.model.id,
                    "board": spread.board.key,
                    "column": spread.column.key,
                    "figures": [{"value": value, "source": place} for value, place in spread.figures],
                }
                for spread in found.sources.apart
            ],
        },
    }


def _figure(cell: Cell | None) -> dict[str, Any] | None:
    return cell and cell.figure()


def _yes_no(finding: YesNoFinding) -> dict[str, Any]:
    return {
        "questions": finding.questions.label,
        "finding": finding.finding,
        "remarks": list(finding.remarks),
        "models": [
            {
                "model": habit.model.id,
                "rank": habit.rank,
                "rank_debiased": habit.rank_of_mean,
                "accuracy": _figure(habit.overall),
                "yes_accuracy": _figure(habit.yes),
                "no_accuracy": _figure(habit.no),
                "debiased_accuracy": _figure(habit.mean),
                "dprime": _figure(habit.dprime),
                "criterion": _figure(habit.criterion),
            }
            for habit in finding.habits
        ],
    }


def _position(finding: PositionFinding) -> dict[str, Any]:
    return {
        "board": finding.board.key,
        "finding": finding.on_consistency,
        "finding_on_correlation": finding.on_correlation,
        "cells": [
            {
                "model": cell.model.id,
                "pairs": cell.key,
                "images": cell.images,
                "consistency": cell.consistency.value,
                "right_of_consistent": _figure(cell.right_of_consistent),
                "correlation": cell.correlation,
                "chance": cell.chance.to_json() if cell.chance else None,
                "against_chance": cell.verdict or None,
            }
            for cell in finding.cells
        ],
    }
