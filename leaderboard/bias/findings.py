"""All findings of one snapshot, and their JSON form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from leaderboard.bias.position import Position, Shares, position, shares
from leaderboard.bias.score_words import ScoreWords, score_words
from leaderboard.bias.yes_no import YesNo, yes_no
from leaderboard.chance import Simulated
from leaderboard.differences import Figure
from leaderboard.snapshot import Snapshot

PAIRS = {"coarse": "2afc-coarse", "fine": "2afc-fine"}
"""Kind of pairs -> board that holds them."""


@dataclass(frozen=True)
class Findings:
    """What the results of one snapshot say about answer habits."""

    revision: str
    yes_no: tuple[YesNo, ...]
    """One for each set of questions."""
    position: dict[str, Position]
    """By kind of pairs."""
    shares: tuple[Shares, ...]
    score_words: ScoreWords


def find_habits(snapshot: Snapshot, simulated: Simulated) -> Findings:
    """Look at every record of a snapshot."""
    results = snapshot.loaded.results
    return Findings(
        revision=snapshot.loaded.revision,
        yes_no=tuple(yes_no(results, snapshot.find_model)),
        position={kind: position(snapshot, board, simulated) for kind, board in PAIRS.items()},
        shares=tuple(shares(results, snapshot.find_model)),
        score_words=score_words(results, snapshot.find_model),
    )


def to_json(found: Findings) -> dict[str, Any]:
    """Findings as plain data, the sentences included."""
    return {
        "schema": 1,
        "revision": found.revision,
        "yes_no": [_yes_no(one) for one in found.yes_no],
        "position": {kind: _position(one) for kind, one in found.position.items()},
        "shares": [
            {
                "model": one.model.id,
                "dataset": one.dataset,
                "first": one.first.to_json(),
                "second": one.second.to_json(),
                "tie": one.tie.to_json(),
            }
            for one in found.shares
        ],
        "score_words": {
            "finding": found.score_words.finding,
            "models": [
                {
                    "model": one.model.id,
                    "words": one.words,
                    "mean": one.mean,
                    "shares": {dataset: share._asdict() for dataset, share in one.shares.items()},
                }
                for one in found.score_words.habits
            ],
        },
    }


def _figure(one: Figure | None) -> dict[str, Any] | None:
    return None if one is None else one._asdict()


def _yes_no(finding: YesNo) -> dict[str, Any]:
    return {
        "questions": finding.questions.label,
        "finding": finding.finding,
        "remarks": list(finding.remarks),
        "models": [
            {
                "model": one.model.id,
                "rank": one.rank,
                "rank_debiased": one.rank_of_mean,
                "accuracy": _figure(one.overall),
                "yes_accuracy": _figure(one.yes),
                "no_accuracy": _figure(one.no),
                "debiased_accuracy": _figure(one.mean),
                "dprime": _figure(one.dprime),
                "criterion": _figure(one.criterion),
            }
            for one in finding.habits
        ],
    }


def _position(finding: Position) -> dict[str, Any]:
    return {
        "board": finding.board.key,
        "finding": finding.kept,
        "finding_on_correlation": finding.correlated,
        "cells": [
            {
                "model": one.model.id,
                "pairs": one.key,
                "images": one.images,
                "consistency": one.kept.value,
                "right_of_consistent": _figure(one.right),
                "correlation": one.correlation,
                "chance": one.chance.to_json() if one.chance else None,
                "against_chance": one.verdict or None,
            }
            for one in finding.asked
        ],
    }
