"""Intervals in closed form: Wilson's for shares, whole clusters or images counting where answers depend on each other,
and those of rank correlations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtrit

from qbench.records import LEVEL, Estimate
from qbench.stats.bootstrap import all_same, unless_certain
from qbench.stats.correlation import Array, kendall

OVER_IMAGES = "wilson over images"
"""What records say of intervals for new images."""


def wilson(successes: float, n: int) -> Estimate:
    """Share of successes with Wilson's score interval (Wilson 1927)."""
    if n == 0:
        return Estimate(None, n=0, method="wilson", note="no items")
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}")
    low, high = _wilson_ends(successes / n, n)
    return Estimate(successes / n, low, high, n=n, method="wilson")


def _wilson_ends(share: float, n: float) -> tuple[float, float]:
    z = float(ndtri(0.5 + LEVEL / 2))
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, float(centre - half)), min(1.0, float(centre + half))


def clustered_mean(values: Array, clusters: ArrayLike, *, lowest: float = 0.0) -> Estimate:
    """Mean of bounded values that share clusters: Wilson's interval with the clusters' effective number of answers.

    The effective number is how many independent answers would vary as much as the clusters do (Korn and Graubard
    1998), less what Student's t asks for few clusters.
    """
    names, member = np.unique(np.asarray(clusters), return_inverse=True)
    units = len(names)
    sums = np.bincount(member, values - values.mean(), units)
    variance = float(sums @ sums) / len(values) ** 2 * units / max(1, units - 1)
    alike = all_same(np.bincount(member, values, units) / np.bincount(member, minlength=units))
    return _bounded_mean(values, 0.0 if alike else variance, units, lowest, method="wilson over clusters")


def image_mean(values: Array, images: NDArray[np.intp], *, lowest: float = 0.0) -> Estimate:
    """Mean of answers about pairs of images, for new images: answers that share an image depend on each other.

    The variance sums the products of deviations over all answers with an image in common (Fafchamps and Gubert 2007;
    Aronow, Samii and Assenova 2015); Wilson's interval is taken with as many independent answers as vary so much. The
    two images of each answer are a row, and its value lies between `lowest` and 1.
    """
    deviation = values - values.mean()
    _, place = np.unique(images, return_inverse=True)
    place = place.reshape(images.shape)
    units = int(place.max()) + 1
    of_image = np.bincount(place.ravel(), np.repeat(deviation, 2), units)
    _, pair = np.unique(np.sort(place, axis=1) @ (units, 1), return_inverse=True)
    of_pair = np.bincount(pair, deviation)
    # Answers about one pair share both images, so that the sum over images has counted them twice.
    among = float(of_image @ of_image - of_pair @ of_pair)
    variance = max(among, float(of_pair @ of_pair)) / len(values) ** 2 * units / max(1, units - 1)
    alike = all_same(values)
    return _bounded_mean(values, 0.0 if alike else variance, units, lowest, method=OVER_IMAGES)


def _bounded_mean(values: Array, variance: float, units: int, lowest: float, *, method: str) -> Estimate:
    """Mean of values between an end and 1, with Wilson's interval of as many answers as give it this variance.

    Where nothing varies, the variance would claim to be certain. There Wilson's interval for "none of the units
    differs" says how many others may, and those may lie at either end of what a value can be.
    """
    mean, width = float(values.mean()), 1.0 - lowest
    if variance <= 0:
        differing = wilson(0, units).high or 0.0
        low, high = mean - differing * (mean - lowest), mean + differing * (1.0 - mean)
        return Estimate(mean, low, high, n=units, method=method)
    share = (mean - lowest) / width
    correction = float(ndtri(0.5 + LEVEL / 2) / stdtrit(units - 1, 0.5 + LEVEL / 2)) ** 2
    low, high = _wilson_ends(share, correction * share * (1 - share) * width**2 / variance)
    return Estimate(mean, lowest + width * low, lowest + width * high, n=units, method=method)


def srcc_interval(value: float, n: int) -> Estimate:
    """A rank correlation with Bonett and Wright's interval (2000): cheap enough to follow answer by answer."""
    return _fisher(value, n, 1 + value**2 / 2, "bonett-wright")


def plcc_interval(value: float, n: int) -> Estimate:
    """A linear correlation with Fisher's interval (1921), which holds for normal scores; for few of them."""
    return _fisher(value, n, 1.0, "fisher, normal scores")


def _fisher(value: float, n: int, variance: float, method: str) -> Estimate:
    if n < 4 or 1 - abs(value) < 1e-12:
        note = "a perfect order, or fewer than four items, leaves no spread to make an interval from"
        return Estimate(value, n=n, method=method, note=note)
    half = float(ndtri(0.5 + LEVEL / 2)) * np.sqrt(variance / (n - 3))
    low, high = (float(np.tanh(np.arctanh(value) + end)) for end in (-half, half))
    return Estimate(value, low, high, n=n, method=method)


def krcc_estimate(x: ArrayLike, y: ArrayLike) -> Estimate:
    """Tau-b with a jackknife interval on Fisher's scale: leaving one item out is exact, and O(n log n) for all."""
    tau, others = kendall(x, y)
    n = len(others)
    estimate = Estimate(tau, n=n, method="jackknife, Fisher z")
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = np.arctanh(others)
    if not np.all(np.isfinite(others)):
        return replace(estimate, note="leaving one item out leaves it undefined")
    if not np.all(np.isfinite(scaled)) or 1 - abs(tau) < 1e-12:
        return replace(estimate, note="a perfect order leaves no spread to make an interval from")
    error = float(np.sqrt((n - 1) / n * np.sum((scaled - scaled.mean()) ** 2)))
    half = float(stdtrit(n - 2, 0.5 + LEVEL / 2)) * error
    low, high = np.tanh(np.arctanh(tau) + np.array([-half, half]))
    return unless_certain(replace(estimate, low=float(low), high=float(high)))


def down_to_chance(estimate: Estimate, reached: float, by_chance: Array) -> Estimate:
    """An interval of what cannot be below 0, which begins at 0 unless judges who know nothing seldom reach as much."""
    seldom = float(np.mean(by_chance >= reached)) < 1 - estimate.level
    low, high = estimate.low or 0.0, estimate.high or 0.0
    return replace(estimate, low=max(low, 0.0) if seldom else 0.0, high=max(high, 0.0))


def mean_of_parts(estimates: Sequence[Estimate]) -> Estimate:
    """Unweighted mean of independent estimates; its interval from theirs by MOVER (Zou & Donner 2008)."""
    if len(estimates) == 1:
        return estimates[0]
    value = np.array([estimate.value for estimate in estimates], dtype=float)
    mean, n, method = float(value.mean()), sum(estimate.n or 0 for estimate in estimates), estimates[0].method
    low, high = (np.array([getattr(estimate, end) for estimate in estimates], dtype=float) for end in ("low", "high"))
    if np.isnan([low, high]).any():
        return Estimate(mean, n=n, method=method, note="one part has no interval")
    down, up = (float(np.linalg.norm(value - end)) / len(value) for end in (low, high))
    return Estimate(mean, mean - down, mean + up, n=n, method=method)
