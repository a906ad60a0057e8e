"""All findings of one snapshot, and their JSON form."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import Any

from leaderboard.analysis.judge import JudgeFinding, find_judge
from leaderboard.analysis.position import PositionFinding, PositionShares, find_position, find_shares
from leaderboard.analysis.quarters import QuarterFinding, find_quarters
from leaderboard.analysis.score_words import ScoreWordFinding, find_score_words
from leaderboard.analysis.sources import SourceFinding, find_source_spreads
from leaderboard.analysis.yes_no import YesNoFinding, find_yes_no
from leaderboard.snapshot import Snapshot
from leaderboard.tables.cells import Cell
from qbench.records import Estimate

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


@lru_cache(maxsize=1)
def find_habits(snapshot: Snapshot) -> Findings:
    """Look at every record of a snapshot, once: three pages and an endpoint show what is found."""
    results = snapshot.loaded.results
    return Findings(
        revision=snapshot.loaded.revision,
        as_of=snapshot.loaded.as_of,
        yes_no=tuple(find_yes_no(snapshot.loaded.records, snapshot.find_model)),
        position={
            kind: find_position(snapshot, board)
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
        "shares": _told(found.shares, model="model.id", dataset="dataset", first="first", second="second", tie="tie"),
        "score_words": {
            "finding": found.score_words.finding,
            "models": _told(found.score_words.habits, model="model.id", words="words", mean="mean", shares="shares"),
        },
        "judge": {
            "finding": found.judge.finding,
            "models": _told(found.judge.models, model="model.id", same="same", mean="mean", deviation="deviation"),
        },
        "quarters": [
            {
                "dataset": finding.dataset,
                "finding": finding.finding,
                "models": [
                    {
                        "model": each.model.id,
                        "asked": each.asked,
                        "quarters": {of.name: {**of.srcc.figure(), "expected": of.expected} for of in each.quarters},
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


def _told(items: Iterable[Any], **names: str) -> list[dict[str, Any]]:
    """Some fields of each item by the names that scripts know them by."""
    return [{name: _plain(attrgetter(field)(item)) for name, field in names.items()} for item in items]


def _plain(value: Any) -> Any:
    if isinstance(value, Cell):
        return value.figure()
    if isinstance(value, Estimate):
        return value.to_json()
    return {key: _plain(each) for key, each in value.items()} if isinstance(value, dict) else value


def _yes_no(finding: YesNoFinding) -> dict[str, Any]:
    return {
        "questions": finding.questions.label,
        "finding": finding.finding,
        "remarks": list(finding.remarks),
        "models": _told(
            finding.habits,
            model="model.id",
            rank="rank",
            rank_debiased="rank_of_mean",
            accuracy="overall",
            yes_accuracy="yes",
            no_accuracy="no",
            debiased_accuracy="mean",
            dprime="dprime",
            criterion="criterion",
        ),
    }


def _position(finding: PositionFinding) -> dict[str, Any]:
    cells = _told(
        finding.cells,
        model="model.id",
        pairs="key",
        images="images",
        consistency="consistency.value",
        right_of_consistent="right_of_consistent",
        correlation="correlation",
        chance="chance",
        against_chance="verdict",
    )
    return {
        "board": finding.board.key,
        "finding": finding.on_consistency,
        "finding_on_correlation": finding.on_correlation,
        "cells": [{**cell, "against_chance": cell["against_chance"] or None} for cell in cells],
    }
