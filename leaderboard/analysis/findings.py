"""All findings of one snapshot."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from leaderboard.analysis.judge import JudgeOnModel, find_judge
from leaderboard.analysis.position import PositionFinding, PositionShares, find_position, find_shares
from leaderboard.analysis.quarters import ModelByQuarter, find_quarters
from leaderboard.analysis.score_words import WordHabit, find_score_words
from leaderboard.analysis.sources import SourceFinding, find_source_spreads
from leaderboard.analysis.yes_no import YesNoFinding, find_yes_no
from leaderboard.snapshot import Snapshot

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
    score_words: list[WordHabit]
    judge: tuple[JudgeOnModel, ...]
    quarters: dict[str, list[ModelByQuarter]]
    """By dataset."""
    sources: SourceFinding


@lru_cache(maxsize=1)
def find_habits(snapshot: Snapshot) -> Findings:
    """Look at every record of a snapshot, once: three pages and an endpoint show what is found."""
    loaded, find_model = snapshot.loaded, snapshot.find_model
    return Findings(
        revision=loaded.revision,
        as_of=loaded.as_of,
        yes_no=tuple(find_yes_no(loaded.records, find_model)),
        position={
            kind: find_position(snapshot, board)
            for kind, board in PAIRS.items()
            if any(known.key == board for known in snapshot.boards)
        },
        shares=tuple(find_shares(loaded.results, find_model)),
        score_words=find_score_words(loaded.records, find_model),
        judge=find_judge(loaded.records, find_model),
        quarters=find_quarters(loaded.records, find_model),
        sources=find_source_spreads(snapshot),
    )
