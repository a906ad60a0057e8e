"""Resampled statistics against the same statistics of the resampled items."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from qbench.stats import bootstrap


@pytest.mark.parametrize("at_once", [1, 10_000])
@pytest.mark.parametrize("ties", ["", "x", "y", "xy"])
def test_resampled_ranks_are_those_of_the_items_drawn(monkeypatch: pytest.MonkeyPatch, ties: str, at_once: int) -> None:
    monkeypatch.setattr(bootstrap, "_IN_CACHE", at_once)
    rng = np.random.default_rng(4)
    x = rng.normal(size=60)
    y = -x + rng.normal(size=60)
    x, y = (np.round(values, 0 if name in ties else 9) for name, values in (("x", x), ("y", y)))
    drawn = rng.integers(60, size=(25, 60))
    counts = np.stack([np.bincount(row, minlength=60) for row in drawn]).astype(float)
    plain = [spearmanr(x[row], y[row]).statistic for row in drawn]
    assert bootstrap.srcc_kernel(x, y)(counts) == pytest.approx(plain, abs=1e-12)


def test_the_draws_are_those_of_the_generator_whatever_fits_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.arange(9.0)
    found = bootstrap.bootstrap(bootstrap.mean_kernel(values), 9, np.random.default_rng(5), resamples=12)
    monkeypatch.setattr(bootstrap, "_BLOCK", 20)
    again = bootstrap.bootstrap(bootstrap.mean_kernel(values), 9, np.random.default_rng(5), resamples=12)
    plain = values[np.random.default_rng(5).integers(0, 9, size=(12, 9))].mean(axis=1)
    assert found == pytest.approx(plain)
    assert again == pytest.approx(plain)


def test_the_interval_cuts_a_fortieth_off_each_end() -> None:
    found = bootstrap.percentile(0.5, np.linspace(0, 1, 1001), 9)
    assert (found.low, found.high) == pytest.approx((0.025, 0.975))


def test_each_stratum_keeps_its_size() -> None:
    counts: list[np.ndarray] = []
    strata = ["a", "b", "a", "b", "b"]
    bootstrap.bootstrap(
        lambda drawn: counts.append(drawn) or drawn[:, 0], 5, np.random.default_rng(0), resamples=40, strata=strata
    )
    [drawn] = counts
    assert set(drawn[:, [0, 2]].sum(axis=1)) == {2}
    assert set(drawn[:, [1, 3, 4]].sum(axis=1)) == {3}


@pytest.mark.parametrize(("perfect", "has_interval"), [(2, True), (3, False)])
def test_more_than_one_resample_in_a_hundred_at_the_end_leaves_no_interval(perfect: int, has_interval: bool) -> None:
    values = np.concatenate([np.full(perfect, 0.9999999), np.linspace(0.5, 0.9, 200 - perfect)])
    found = bootstrap.bias_corrected(0.7, values, 50, bootstrap.FISHER, 48)
    assert (found.low is not None) is has_interval
