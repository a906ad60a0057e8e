"""A live result beside the published ones: where it would stand, and the models it is drawn with."""

from __future__ import annotations

from dataclasses import dataclass, replace

from leaderboard.compare import Profile, compare, leaders
from leaderboard.live.run import Done
from leaderboard.snapshot import Snapshot
from leaderboard.submissions.preview import Placing, preview

SYNTHETIC = (
    "Nobody has published results on demo sets, whose truth is synthetic. What the models that come with this project "
    "do on them is on the board “Demo (synthetic)”."
)
PARTIAL = "Only a part of the dataset was asked; boards compare whole ones, so there is no model to compare with."
NOWHERE = "No board has a column for this dataset, so there is no model to compare with."


@dataclass(frozen=True)
class Among:
    """The result on a board."""

    placings: tuple[Placing, ...]
    profile: Profile


def place_among(done: Done, snapshot: Snapshot) -> Among | str:
    """The result among the models of the first board that takes it, or why there is none."""
    results = list(done.kept.results.values())
    if done.dataset.facts and done.dataset.facts.truth == "construction":
        return SYNTHETIC
    if done.dataset.limit is not None:
        return PARTIAL
    present = [one for one in snapshot.loaded.results if one.raw != results[0].raw]
    placings = preview(present, results, snapshot.boards, snapshot.find_model)
    if not placings:
        return NOWHERE
    loaded = replace(snapshot.loaded, results=(*present, *results))
    beside = Snapshot(loaded, snapshot.boards, snapshot.find_model)
    board = placings[0].board.key
    others = [name for name in leaders(snapshot, board) if name != results[0].model]
    return Among(tuple(placings), compare(beside, board, [results[0].model, *others]))
