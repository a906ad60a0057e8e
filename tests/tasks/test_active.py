"""Active pairing: the belief against the exact posterior, what is asked of whom, and what it saves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from qbench.tasks.active import ActivePairs, updated


def judged(pairs, quality, noise, rng):
    seen = [(quality[list(pair)] + noise * rng.standard_normal(2)).tolist() for pair in pairs]
    return ["first" if first > second else "second" for first, second in seen]


def test_one_answer_moves_the_belief_to_the_exact_posteriors_moments() -> None:
    mean, covariance = np.array([0.3, -0.2, 1.0]), np.array([[1.0, 0.4, 0.2], [0.4, 0.8, 0.0], [0.2, 0.0, 1.5]])
    rng = np.random.default_rng(0)
    drawn = rng.multivariate_normal(mean, covariance, size=400_000)
    weight = ndtr(drawn[:, 1] - drawn[:, 0])  # item 1 was preferred to item 0
    exact = np.average(drawn, axis=0, weights=weight)
    found, spread = updated(mean, covariance, winner=1, loser=0)
    assert found == pytest.approx(exact, abs=0.01)
    assert spread == pytest.approx(np.cov(drawn.T, aweights=weight), abs=0.01)


def test_a_consistent_judge_is_asked_in_one_order_once_that_is_known() -> None:
    schedule, quality, rng = ActivePairs(60, 0), np.arange(60.0), np.random.default_rng(0)
    opening = schedule.propose()
    assert len(opening) == 50, "20 pairs in both orders tell whether it is consistent; the other 10 need one"
    assert opening[1:40:2] == [(second, first) for first, second in opening[:40:2]]
    assert len({item for pair in opening for item in pair}) == 60
    schedule.learn(opening, judged(opening, quality, 0.0, rng))
    assert not schedule.both_orders
    followed = schedule.propose()
    assert 25 <= len(followed) <= 30
    assert len({item for pair in followed for item in pair}) == 2 * len(followed)


def test_a_judge_by_position_stays_asked_in_both_orders() -> None:
    schedule = ActivePairs(60, 0)
    for _ in range(4):
        pairs = schedule.propose()
        schedule.learn(pairs, ["second"] * len(pairs))
        assert schedule.both_orders


def test_no_pair_comes_twice_and_the_end_is_the_end() -> None:
    schedule, rng, seen = ActivePairs(7, 1), np.random.default_rng(0), []
    while pairs := schedule.propose():
        schedule.learn(pairs, judged(pairs, np.arange(7.0), 0.0, rng))
        seen += [frozenset(pair) for pair in pairs]
    assert len(set(seen)) == 21
    assert max(seen.count(pair) for pair in seen) == 2
