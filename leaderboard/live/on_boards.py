"""A live result extended the published ones: where it would stand, and the models it is drawn with."""

from __future__ import annotations

from dataclasses import dataclass, replace

from leaderboard.analysis.compare import Profile, compare_models
from leaderboard.analysis.model_choice import best_models
from leaderboard.live.run import FinishedRun
from leaderboard.snapshot import Snapshot
from leaderboard.store import records_of
from leaderboard.submissions.preview import Placing, find_placings

DEMO_SET = (
    "Nobody has published results on demo sets, whose truth is synthetic. What the models that come with this project "
    "do on them is on the board “Demo (synthetic)”."
)
PARTIAL = "Only a part of the dataset was asked; boards compare whole ones, so there is no model to compare with."
NOWHERE = "No board has a column for this dataset, so there is no model to compare with."


@dataclass(frozen=True)
class BoardPosition:
    """The result on a board."""

    placings: tuple[Placing, ...]
    profile: Profile


def position_on_boards(finished: FinishedRun, snapshot: Snapshot) -> BoardPosition | str:
    """The result among the models of the first board that takes it, or why there is none."""
    results = list(finished.records.results.values())
    if finished.dataset.facts and finished.dataset.facts.truth == "construction":
        return DEMO_SET
    if finished.dataset.limit is not None:
        return PARTIAL
    present = [record for record in snapshot.loaded.records if record.result.raw != results[0].raw]
    loaded = replace(snapshot.loaded, records=tuple(present))
    if len(present) < len(snapshot.loaded.records):
        snapshot = Snapshot(loaded, snapshot.boards, snapshot.find_model)
    placings = find_placings(snapshot, results)
    if not placings:
        return NOWHERE
    loaded = replace(loaded, records=(*present, *records_of(results)))
    extended = Snapshot(loaded, snapshot.boards, snapshot.find_model)
    board = placings[0].board.key
    others = [name for name in best_models(snapshot, board) if name != results[0].model]
    return BoardPosition(tuple(placings), compare_models(extended, board, [results[0].model, *others]))
