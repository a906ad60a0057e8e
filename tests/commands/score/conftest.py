"""What all tests of `score` share."""

from __future__ import annotations

from functools import partial

import pytest

from qbench.results import comparison as comparison_summary
from qbench.stats import bootstrap

BOOTSTRAP = bootstrap.bootstrap


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests are about values; how wide intervals are is tested with `summary`."""
    monkeypatch.setattr(bootstrap, "bootstrap", partial(BOOTSTRAP, resamples=20))
    monkeypatch.setattr(comparison_summary, "_MOST_JUDGES", 20)
    monkeypatch.setattr(comparison_summary, "_FEWEST_JUDGES", 10)
