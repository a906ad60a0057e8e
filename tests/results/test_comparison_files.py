"""Comparisons from files stand where the paper's tables have them: by list, by set, by the rule that made the pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from qbench.datasets.known import find_dataset
from qbench.formats.reading import Reading
from qbench.pairing import coarse_rounds
from qbench.parsing import Preference
from qbench.records import Presented, Result, Sample
from qbench.results import pair_figures
from qbench.results.scored_files import score_reading
from tests.estimates import values, width

pytestmark = pytest.mark.usefixtures("few_resamples")

TYPES = ("AWGN", "JPEG")
DMOS = {f"CSIQ_dst_imgs_{scene}.{kind}.{level}": level + 0.1 * place
        for scene in ("redwood", "woman") for place, kind in enumerate(TYPES) for level in range(1, 6)}  # fmt: skip


def better(first: str, second: str) -> Preference:
    """A judge that is right, but takes more AWGN of the woman for less."""
    upside_down = "woman.AWGN" in first and "woman.AWGN" in second
    return "first" if (DMOS[first] < DMOS[second]) != upside_down else "second"


def reading(pairs: Iterable[tuple[str, str]], judge: Callable[[str, str], Preference] = better) -> Reading:
    """Every pair in both orders."""
    both = [shown for first, second in pairs for shown in ((first, second), (second, first))]
    presented = tuple(Presented(first, second, judge(first, second), "csiq") for first, second in both)
    samples = {name: Sample(name, (name,), human=DMOS[name]) for pair in both for name in pair}
    return Reading(
        Path("x.zip"), "comparisons", "comparison", samples, {}, presented, {"read": 0, "repeated": 0}, "0" * 64
    )


def scored(made: Reading, listed: str, *, chance: bool = False) -> Result:
    facts = find_dataset(listed)
    assert facts is not None
    [result] = score_reading(made, facts, "me", None, chance=chance)
    return result


def rounds_of(images: list[str]) -> list[tuple[str, str]]:
    return [(images[i], images[j]) for i, j in coarse_rounds(len(images)).reshape(-1, 2)]


LEVELS = [[name for name in DMOS if f"{scene}.{kind}." in name] for scene in ("redwood", "woman") for kind in TYPES]


def test_fine_sets_are_ranked_apart_and_pooled_by_what_they_share_like_coin_flips(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Three of four rankings agree with people and one is upside down; by type, one of two. The fitted correlation of
    five images a set is far from 0 by chance, the signed one is not."""
    monkeypatch.setattr(pair_figures, "_MOST_JUDGES", 6)
    monkeypatch.setattr(pair_figures, "_FEWEST_JUDGES", 6)
    result = scored(reading(pair for images in LEVELS for pair in rounds_of(images)), "2afc-fine-levels", chance=True)
    assert (result.dataset, result.split) == ("csiq", "fine-levels")
    assert (result.protocol["rounds"], result.protocol["limit"]) == (12, len(DMOS))
    assert result.metrics["accuracy_joint"].value == pytest.approx(3 / 4)
    by_type = result.groups["distortion"]
    assert {name: metric["accuracy_joint"].value for name, metric in by_type.items()} == {"awgn": 0.5, "jpeg": 1.0}
    right = by_type["jpeg"]["srcc"].value  # of two sets that were asked the same and answered the same
    assert right >= 0.9
    assert by_type["awgn"]["srcc"].value == pytest.approx(0)
    assert result.metrics["srcc"].value == pytest.approx(right * (3 - 1) / 4)
    chance = result.groups["chance"]
    assert set(chance) == {"coin-flip judge", "coin-flip judge, awgn", "coin-flip judge, jpeg"}
    every = values(chance["coin-flip judge"])
    assert abs(every["srcc"]) < 0.2 and every["correlation"] > 0.5
    # A mean over four sets, and over two.
    assert width(chance["coin-flip judge"]["srcc"]) < width(chance["coin-flip judge, awgn"]["srcc"])


@pytest.mark.usefixtures("no_curve_is_searched")
def test_what_the_released_schedule_leaves_where_repeated_pairs_overwrite_is_all_of_it() -> None:
    images = LEVELS[0]
    every = rounds_of(images)
    once = list(dict.fromkeys(every))
    assert len(every) > len(once)
    whole = scored(reading(every), "2afc-coarse").protocol
    assert (whole["rounds"], "repeated_pairs" in whole) == (12, False)
    left = scored(reading(once), "2afc-coarse").protocol
    assert (left["rounds"], left["repeated_pairs"]) == (12, "counted once")
    lost = scored(reading(once[1:]), "2afc-coarse").protocol
    assert lost["rounds"] == round(2 * (len(once) - 1) / 4, 2) < 12
    assert "repeated_pairs" not in lost
