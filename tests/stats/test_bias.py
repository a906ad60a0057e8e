"""Answer habits against hand-worked cases."""

from __future__ import annotations

import numpy as np
import pytest

from qbench.stats.bias import position_bias, yes_no_bias


def test_yes_no_by_hand() -> None:
    # 8 Yes questions of which 6 answered Yes, 4 No questions of which 3 answered Yes.
    truth = [True] * 8 + [False] * 4
    says = [True] * 6 + [False] * 2 + [True] * 3 + [False]
    found = yes_no_bias(says, truth)
    assert found["yes_accuracy"].value == pytest.approx(0.75)
    assert found["no_accuracy"].value == pytest.approx(0.25)
    assert found["debiased_accuracy"].value == pytest.approx(0.5)
    # Wilson's ends are 0.4093 and 0.9285 of 6/8, 0.0456 and 0.6994 of 1/4: down by the root of 0.3407² + 0.2044², up by
    # the root of 0.1785² + 0.4494², both halved.
    mean = found["debiased_accuracy"]
    assert (mean.low, mean.high) == pytest.approx((0.5 - 0.1987, 0.5 + 0.2418), abs=2e-4)
    # Log-linear rates 6.5/9 and 3.5/5: z = 0.58946 and 0.52440.
    assert found["dprime"].value == pytest.approx(0.58946 - 0.52440, abs=1e-4)
    assert found["criterion"].value == pytest.approx(-(0.58946 + 0.52440) / 2, abs=1e-4)
    # Normal densities there 0.33532 and 0.34769, so the variance of d' is
    # (6.5 * 2.5 / 81) / (8 * 0.33532²) + (0.7 * 0.3) / (4 * 0.34769²) = 0.65732; of the criterion a quarter of it.
    for name, error in (("dprime", 0.65732**0.5), ("criterion", 0.65732**0.5 / 2)):
        one = found[name]
        assert (one.value - one.low, one.high - one.value) == pytest.approx((1.95996 * error,) * 2, abs=1e-4)


def test_a_consistent_judge_is_not_certain_to_have_no_position_bias() -> None:
    # First, then second in each of 30 pairs: nothing to resample. Of pairs that differ Wilson's interval for 0 of 30
    # allows 1.96² / (30 + 1.96²) = 0.1135, and such a pair may be answered first, or second, both times.
    found = position_bias([1, 0] * 30, [0, 1] * 30, np.repeat(np.arange(30), 2))
    assert found["position_bias"].value == 0.0
    assert (found["position_bias"].low, found["position_bias"].high) == pytest.approx((-0.1135, 0.1135), abs=5e-5)
    assert found["first_rate"].value == 0.5
    assert (found["first_rate"].low, found["first_rate"].high) == pytest.approx((0.4432, 0.5568), abs=5e-5)
