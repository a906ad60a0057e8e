"""The full-reference measures, against values that piq 0.8.0 gives for the same pictures in double precision."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from qbench.distortions import distort_array
from tools.nano.fidelity import dss, gmsd, haarpsi, mdsi


def made_picture() -> NDArray[np.uint8]:
    """97 × 80 pixels: odd sides, slopes that wrap, and a wave."""
    down, across = np.mgrid[0:97, 0:80]
    wave = 128 + 100 * np.sin(across / 7) * np.cos(down / 9)
    planes = [(across * 3 + down) % 256, (down * 2) % 256, wave]
    return np.stack(planes, -1).clip(0, 255).astype(np.uint8)


@pytest.mark.parametrize(
    ("kind", "level", "expected"),
    [
        ("gaussian-blur", 3, (0.017177588, 0.975080715, 0.257667283, 0.977876582)),
        ("white-noise", 4, (0.057481945, 0.791013645, 0.396442571, 0.793744390)),
        ("oversaturation", 5, (0.236261474, 0.325567983, 0.447443045, 0.119284817)),
    ],
)
def test_the_measures_are_those_of_piq(kind: str, level: float, expected: tuple[float, ...]) -> None:
    clean = made_picture()
    damaged = distort_array(clean, kind, level, np.random.default_rng(1))
    found = [measure(damaged, clean) for measure in (gmsd, haarpsi, mdsi, dss)]
    assert found == pytest.approx(expected, abs=2e-5)


def test_a_picture_is_like_itself() -> None:
    clean = made_picture()
    assert gmsd(clean, clean) == 0
    assert haarpsi(clean, clean) == pytest.approx(1, abs=1e-4)
    assert dss(clean, clean) == pytest.approx(1, abs=1e-6)
    assert mdsi(clean, clean) == pytest.approx(0, abs=0.03)  # a fourth root of rounding errors
