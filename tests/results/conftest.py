"""What tests of comparisons do without."""

from __future__ import annotations

import numpy as np
import pytest

from qbench.stats import logistic
from qbench.stats.logistic import LogisticFit


@pytest.fixture
def no_curve_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """The curve that a search would begin with: in sets of five images in perfect order it takes a second for each."""

    def begun(x: np.ndarray, y: np.ndarray) -> LogisticFit:
        return LogisticFit(float(y.max()), float(y.min()), float(x.mean()), float(x.std()) / 4)

    monkeypatch.setattr(logistic, "fit_as_published", begun)
