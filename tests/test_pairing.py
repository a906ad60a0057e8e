"""Schedules of the released code, the fine-grained rules, and the paper's check of pairing and ranking together."""

from __future__ import annotations

import json

import numpy as np
import pytest

from qbench.errors import DataError
from qbench.pairing import both_orders, coarse_rounds, same_content, same_mos_interval
from qbench.records import Sample
from qbench.stats.pairwise import Comparisons, PairOutcome, count_votes
from qbench.stats.ranking import map_scores

# From runs of the released code: number of items, first pairs of round 0, distinct pairs, and least and most
# comparisons of an item in 12 rounds.
RELEASED = [
    (5, [(4, 0), (1, 2)], 9, 5, 12),
    (25, [(7, 16), (2, 3), (1, 18)], 111, 9, 12),
    (30, [(7, 10), (4, 1), (28, 8)], 150, 12, 12),
    (81, [(74, 40), (10, 57), (29, 69)], 443, 10, 12),
    (100, [(40, 35), (81, 61), (98, 68)], 573, 12, 12),
    (129, [(51, 59), (85, 77), (35, 122)], 731, 11, 12),
    (160, [(94, 27), (57, 132), (73, 121)], 923, 12, 12),
]


@pytest.mark.parametrize(("n", "first_pairs", "distinct", "least", "most"), RELEASED)
def test_default_rounds_are_those_of_the_released_code(n, first_pairs, distinct, least, most):
    rounds = coarse_rounds(n)
    assert rounds.shape == (12, n // 2, 2)
    assert [tuple(pair) for pair in rounds[0][: len(first_pairs)].tolist()] == first_pairs
    assert len({frozenset(pair) for pair in rounds.reshape(-1, 2).tolist()}) == distinct
    assert all(len(set(pairs.ravel().tolist())) == n // 2 * 2 for pairs in rounds)  # of an odd number one idles
    asked = np.bincount(rounds.ravel(), minlength=n)
    assert (asked.min(), asked.max()) == (least, most)


def degraded(content: str, kind: str, level: str, human: float | None = None) -> Sample:
    groups = {"content": content, "type": kind, "level": level}
    return Sample(id=f"{content}-{kind}-{level}", human=human, groups=groups)


GRID = [degraded(c, t, v) for c in ("cat", "dog") for t in ("blur", "noise") for v in ("1", "2", "3")]


def test_same_content_and_type_differ_in_level():
    groups = same_content(GRID, "type", "level")
    assert list(groups) == ["cat.blur", "cat.noise", "dog.blur", "dog.noise"]
    assert groups["cat.noise"] == ("cat-noise-1", "cat-noise-2", "cat-noise-3")


def test_mos_intervals_are_half_open_and_the_last_is_closed():
    samples = [Sample(id=f"{mos:g}", human=mos) for mos in (0, 24.9, 25, 49.9, 50, 60, 75, 100)]
    assert same_mos_interval(samples) == {
        "[0, 25)": ("0", "24.9"),
        "[25, 50)": ("25", "49.9"),
        "[50, 75)": ("50", "60"),
        "[75, 100]": ("75", "100"),
    }
    with pytest.raises(DataError, match="has the human score -1, and intervals are those of a scale from 0 to 100"):
        same_mos_interval([*samples, Sample("below", human=-1.0)])


def test_rules_rebuild_the_released_lists(shared_data):
    def released(name):
        return json.loads((shared_data / "twoafc" / f"{name}.json").read_text())

    def samples(groups):
        for rows in groups.values():
            for row in rows:
                content, kind, level, _ = row["img_path"].rsplit("/", 1)[1].split(".")
                yield Sample(id=row["img_path"], groups={"content": content, "type": kind, "level": level})

    levels, types = released("Fine_grained_CSIQ_levels"), released("Fine_grained_CSIQ_types")
    everything = list(samples(levels))
    assert len(everything) == 100
    for rule, lists in ((("type", "level"), levels), (("level", "type"), types)):
        expected = {name: {row["img_path"] for row in rows} for name, rows in lists.items()}
        assert {name: set(ids) for name, ids in same_content(everything, *rule).items()} == expected

    spaq = released("Fine_grain_SPAQ")
    mixed = [Sample(id=row["img_path"], human=float(row["gt_score"])) for rows in spaq.values() for row in rows]
    intervals = list(same_mos_interval(mixed).values())
    assert intervals == [tuple(row["img_path"] for row in rows) for rows in spaq.values()]


def test_a_perfect_judge_reaches_the_plateau_on_made_up_scores():
    """2AFC paper, Fig. 3: PLCC of MAP scores and MOS is steep over the first rounds, and at its plateau by round 12."""
    mos = np.random.default_rng(4).uniform(10, 90, 160)
    names, found = tuple(map(str, range(len(mos)))), []
    for rounds in (1, 3, 6, 12, 24):
        first, second = both_orders(coarse_rounds(len(mos), rounds)).T
        outcome = np.where(mos[first] > mos[second], PairOutcome.FIRST, PairOutcome.SECOND).astype(np.int8)
        ranking = map_scores(count_votes(Comparisons(names, first, second, outcome), "consistent").counted)
        found.append(float(np.corrcoef(ranking.scores, mos)[0, 1]))
    assert found == sorted(found)
    _, third, sixth, twelfth, doubled = found
    assert third < 0.9 < 0.95 < twelfth
    assert doubled - twelfth < 0.025 < sixth - third
