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
