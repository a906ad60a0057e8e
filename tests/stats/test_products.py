"""Products that do not depend on how many threads multiply."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from qbench.stats.products import dot, product

FIGURES = """
import numpy as np
from qbench.stats import bootstrap
from qbench.stats.correlation import plcc
from qbench.stats.logistic import fit_as_published, fit_logistic
from qbench.stats.refitting import CandidateCurves

rng = np.random.default_rng(0)
x = rng.normal(size=12_000)
y = x + rng.normal(size=len(x))
counts = rng.multinomial(len(x), [1 / len(x)] * len(x), size=70).astype(float)
fits = CandidateCurves(x, y).fit(counts)
drawn = [kernel(counts) for kernel in (bootstrap.mean_kernel(x), bootstrap.plcc_kernel(x, y))]
print(plcc(x, y), fit_logistic(x, y), fit_as_published(x, y))
print([values.tolist() for values in (*drawn, fits.correlation, fits.residual)])
"""


def test_figures_are_the_same_to_the_last_digit_for_any_number_of_threads() -> None:
    """With one thread and with two, as BLAS is told when it is loaded."""
    one, two = (
        subprocess.check_output([sys.executable, "-c", FIGURES], env={**os.environ, "OMP_NUM_THREADS": threads})
        for threads in ("1", "2")
    )
    assert one == two


@pytest.mark.parametrize("shape", [(1, 1, 1), (3, 64, 65), (130, 7, 2), (64, 200, 1), (2, 0, 3)])
def test_a_product_in_pieces_is_the_product(shape: tuple[int, int, int]) -> None:
    rows, depth, columns = shape
    rng = np.random.default_rng(0)
    left, right = rng.normal(size=(rows, depth)), rng.normal(size=(depth, columns))
    assert product(left, right) == pytest.approx(left @ right, abs=1e-12)
    assert dot(left[0], right[:, 0]) == pytest.approx(left[0] @ right[:, 0], abs=1e-12)
