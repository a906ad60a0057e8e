"""SRCC by quarter of the people's scores, held against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from qbench.records import Score
from qbench.results.quality import QUARTERS, summarise_quarters
from qbench.stats.correlation import restricted_srcc


def test_each_quarter_has_the_srcc_of_its_images_and_what_its_range_leaves() -> None:
    """48 images with the scores 1 to 48, whose quarters are 1 to 12, 13 to 24, ...; the model turns the last around."""
    truth = np.arange(1.0, 49.0)
    value = np.concatenate([truth[:36], truth[:35:-1]]) + np.random.default_rng(5).normal(0, 3, 48)
    found = summarise_quarters(
        [Score(f"{i}", float(v), truth=float(t)) for i, (v, t) in enumerate(zip(value, truth, strict=True))]
    )
    assert tuple(found) == QUARTERS
    for place, metrics in enumerate(found.values()):
        inside = slice(12 * place, 12 * place + 12)
        srcc, expected = metrics["srcc"], metrics["srcc_expected"]
        assert srcc.value == pytest.approx(spearmanr(value[inside], truth[inside]).statistic)
        assert (srcc.n, srcc.low is not None) == (12, True)
        spread = np.std(truth[:12]) / np.std(truth)
        assert expected.value == pytest.approx(restricted_srcc(spearmanr(value, truth).statistic, spread))


def test_images_of_one_score_share_a_quarter_and_missing_answers_move_no_border() -> None:
    """31 of 100 have the lowest score, so that the first border lies on it and nobody can rank them."""
    scores = [Score(f"{i}", float(i % 7), truth=float(max(i, 30))) for i in range(100)]
    scores[40] = Score("40", None, truth=40.0)
    found = [metrics["srcc"] for metrics in summarise_quarters(scores).values()]
    assert [srcc.n for srcc in found] == [31, 18, 25, 25]
    assert (found[0].value, found[0].note) == (None, "all 31 human scores are equal")


def test_parts_have_their_own_quarters() -> None:
    """Both parts are in the people's order; in one scale they would fill two quarters each."""
    scores = [
        Score(f"{part}{i}", i + (i % 3) * 4.0, truth=i + 100.0 * part, groups={"part": str(part)})
        for part in range(2)
        for i in range(48)
    ]
    found = summarise_quarters(scores, part="part")
    alone = summarise_quarters(scores[:48])
    for name in QUARTERS:
        assert found[name]["srcc"].value == pytest.approx(alone[name]["srcc"].value)
        assert found[name]["srcc"].n == 24
