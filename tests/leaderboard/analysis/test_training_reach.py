"""How far training reaches, against figures taken from UniSim-Bench's Tables 7 and 8 by hand."""

from __future__ import annotations

from statistics import median

import pytest

from leaderboard.analysis.between_boards import NEAR_TO_FAR, find_reach, reach_finding
from tests.leaderboard.published import published

NIGHTS = {
    "clip-vit-large-14-336": 81.5,
    "llava-next-interleave-7b": 91.3,
    "pac-s": 86.9,
    "mantis-8b-idefics2": 89.5,
    "clip-vit-huge-14-laion2b": 84.0,
    "clip-vit-base-32-laion2b": 85.1,
    "siglip-so400m-14": 82.8,
    "blip-vit-large-14": 80.8,
    "llava-next-interleave-0.5b": 58.7,
}
"""Models whose sources name no training on these data -> accuracy on NIGHTS, whose median is 84.0."""


def test_dreamsim_gains_where_it_was_trained() -> None:
    """95.3 on NIGHTS is 11.3 above 84.0; it was trained on nothing else."""
    reach = next(each for each in find_reach(published()) if each.model.id == "dreamsim-vit-b-32")
    assert reach.trained_on == ("Nights",)
    assert reach.gains["data trained on"] == pytest.approx(95.3 - median(NIGHTS.values()))
    assert reach.sets == {
        "data trained on": 1,
        "same task, other data": 2,  # BAPPS and PieAPP
        "other core tasks": 13,  # 5 of IT-2AFC, 3 of Text-2AFC, 5 of IQA
        "tasks outside the core": 9,  # 5 attributes, 2 of odd one out, 2 of retrieval
    }


def test_training_helps_near_and_nobody_far() -> None:
    found = find_reach(published())
    assert len(found) == 11
    assert all(reach.gains["data trained on"] > 0 > reach.gains["tasks outside the core"] for reach in found)
    assert "Outside the core tasks, 11 of 11 are below" in reach_finding(found)
    assert all(list(reach.gains) == [where for where in NEAR_TO_FAR if where in reach.gains] for reach in found)
