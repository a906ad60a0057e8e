"""Comparisons of two images -> estimates: consistency, accuracies, and how the ranking agrees with people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from qbench.errors import UndefinedError
from qbench.records import Estimate
from qbench.stats import bias, correlation, intervals
from qbench.stats.chance import chance_levels
from qbench.stats.correlation import Array
from qbench.stats.pairwise import Comparisons, Outcome, consistent_only, paired_orders
from qbench.stats.ranking import map_scores, rescale
from qbench.summary import SEED, mean_of_all, share


def summarise_comparisons(comparisons: Comparisons, human: Mapping[str, float] | None) -> dict[str, Estimate]:
    """2AFC: consistency, answer rates and, where human scores are given, accuracies and agreement of the ranking.

    Pairs with a missing answer in either order are left out; pairs whose human scores are equal are neither right nor
    wrong. `accuracy_joint` (right and consistent, of all pairs) is what the paper's tables print, `accuracy_consistent`
    its Eq. 4, `correlation` its Eq. 5 after the logistic fit, which cannot see the sign; `srcc` and `plcc` can.
    """
    pairs = paired_orders(comparisons)
    usable = pairs.scored
    same_pair = np.minimum(pairs.first, pairs.second) * len(comparisons.items) + np.maximum(pairs.first, pairs.second)

    def of_pairs(right: NDArray[np.bool_], among: NDArray[np.bool_]) -> Estimate:
        return share(right[among].astype(float), same_pair[among].tolist())

    out = {"consistency": of_pairs(pairs.consistent, usable)}
    answered = comparisons.outcome != Outcome.UNSCORED
    out |= bias.position_bias(
        comparisons.outcome[answered] == Outcome.FIRST,
        comparisons.outcome[answered] == Outcome.SECOND,
        comparisons.pair[answered],
        np.random.default_rng(SEED),
    )
    if human is None:
        return out
    truth = np.array([human[item] for item in comparisons.items])
    better = np.where(truth[pairs.first] > truth[pairs.second], pairs.first, pairs.second)
    decided = usable & (truth[pairs.first] != truth[pairs.second])
    right = pairs.winner == better
    out["accuracy_joint"] = of_pairs(right, decided)
    out["accuracy_consistent"] = of_pairs(right, decided & pairs.consistent)
    out["accuracy"] = _presented_accuracy(comparisons, truth)
    return out | _ranking_agreement(comparisons, truth)


def _presented_accuracy(comparisons: Comparisons, truth: Array) -> Estimate:
    """Share of single presentations answered right, whichever way the other order went; a tie is not right.

    Pairs shown in one order beside others shown in both were picked for being hard, and are left out.
    """
    first, second = truth[comparisons.first], truth[comparisons.second]
    decided = (comparisons.outcome != Outcome.UNSCORED) & (first != second)
    mirrored = _mirrored(comparisons)
    if mirrored.any():
        decided &= mirrored
    expected = np.where(first > second, Outcome.FIRST, Outcome.SECOND)
    right = (comparisons.outcome == expected)[decided]
    return share(right.astype(float), comparisons.pair[decided].tolist())


def ranking_points(comparisons: Comparisons, human: Mapping[str, float]) -> dict[str, Estimate]:
    """SRCC, PLCC and Eq. 5 of the MAP ranking without intervals: cheap enough to follow round by round."""

    def point(name: str, scores: Array, truth: Array) -> Estimate:
        return Estimate(RANKING_AGREEMENT[name](scores, truth), n=len(truth), method="point")

    truth = np.array([human[item] for item in comparisons.items])
    return _of_the_ranking(comparisons, truth, ("srcc", "plcc", "correlation"), point)


def chance_agreement(comparisons: Comparisons, human: Mapping[str, float]) -> dict[str, Estimate]:
    """What judges flipping coins would reach on the same pairs: mean and 95 % range of each ranking agreement."""
    pairs = paired_orders(comparisons)
    asked = np.stack([pairs.first, pairs.second], axis=1)
    truth = np.array([human[item] for item in comparisons.items])
    statistics = {**RANKING_AGREEMENT, "correlation_rising": _rising_or_none}
    return chance_levels(asked, truth, statistics, np.random.default_rng(SEED))


def _rising_or_none(scores: Array, truth: Array) -> float:
    """A judge whose best rising curve is flat agrees not at all; leaving it out would flatter the others."""
    try:
        return RANKING_AGREEMENT["correlation_rising"](scores, truth)
    except UndefinedError:
        return 0.0


def _votes(comparisons: Comparisons) -> Comparisons:
    """What the ranking is made from: consistent pairs, as in the paper, and answers whose other order was not asked.

    Where no pair was asked in both orders, nothing is known of the judge's consistency, and nothing is ranked.
    """
    both = consistent_only(comparisons)
    mirrored = _mirrored(comparisons)
    if not len(both) and (mirrored.all() or not mirrored.any()):
        raise UndefinedError(
            "in no pair shown in both orders was one image preferred twice, so there is nothing to rank"
        )
    if not mirrored.any():
        return both
    return Comparisons(
        comparisons.items,
        np.concatenate([both.first, comparisons.first[~mirrored]]),
        np.concatenate([both.second, comparisons.second[~mirrored]]),
        np.concatenate([both.outcome, comparisons.outcome[~mirrored]]),
    )


def _mirrored(comparisons: Comparisons) -> NDArray[np.bool_]:
    """Rows whose pair was asked in the other order too."""
    n = len(comparisons.items)
    shown = comparisons.first * n + comparisons.second
    mirrored: NDArray[np.bool_] = np.isin(comparisons.second * n + comparisons.first, shown)
    return mirrored


def _ranking_agreement(comparisons: Comparisons, truth: Array) -> dict[str, Estimate]:
    """How the MAP ranking agrees with people; intervals over images, scores held."""

    def resampled(name: str, scores: Array, truth: Array) -> Estimate:
        mapped = _MAPPED.get(name, _unmapped)(scores, truth)
        ranked = name == "srcc"
        value = (correlation.srcc if ranked else correlation.plcc)(mapped, truth)
        kernel = (intervals.srcc_kernel if ranked else intervals.plcc_kernel)(mapped, truth)
        replicates = intervals.bootstrap(kernel, len(truth), np.random.default_rng(SEED))
        method = f"bootstrap-{intervals.RESAMPLES} over images, scores held"
        return intervals.percentile(value, replicates, len(truth), method=method)

    return _of_the_ranking(comparisons, truth, RANKING_AGREEMENT, resampled)


def _of_the_ranking(
    comparisons: Comparisons, truth: Array, names: Iterable[str], estimate: Callable[[str, Array, Array], Estimate]
) -> dict[str, Estimate]:
    """Estimates from the MAP scores; where there is no ranking, or no number of it, the reason."""
    try:
        scores = map_scores(_votes(comparisons)).scores
    except UndefinedError as error:
        return {name: Estimate(None, n=len(truth), note=error.reason) for name in names}
    out = {}
    for name in names:
        try:
            out[name] = estimate(name, scores, truth)
        except UndefinedError as error:
            out[name] = Estimate(None, n=len(truth), note=error.reason)
    return out


def mean_ranking_agreement(sets: Mapping[str, tuple[Comparisons, Mapping[str, float]]]) -> dict[str, Estimate]:
    """Agreement of the rankings of several sets, averaged; where one set has none there is no mean."""
    each = {
        name: _ranking_agreement(comparisons, np.array([human[item] for item in comparisons.items]))
        for name, (comparisons, human) in sets.items()
    }
    return {metric: mean_of_all({name: one[metric] for name, one in each.items()}) for metric in RANKING_AGREEMENT}


def _unmapped(scores: Array, _: Array) -> Array:
    return scores


def _fitted_as_published(scores: Array, truth: Array) -> Array:
    """The published fit starts from scores stretched to 0-100; on MAP's own scale it stops at poorer curves."""
    stretched = rescale(scores)
    return correlation.fit_logistic(stretched, truth)(stretched)


_MAPPED: Mapping[str, Callable[[Array, Array], Array]] = {
    "correlation": _fitted_as_published,
    "correlation_rising": lambda scores, truth: correlation.fit_rising(scores, truth)(scores),
}
RANKING_AGREEMENT: Mapping[str, Callable[[Array, Array], float]] = {
    "srcc": correlation.srcc,
    "plcc": correlation.plcc,
    "correlation": lambda scores, truth: correlation.plcc(_MAPPED["correlation"](scores, truth), truth),
    "correlation_rising": lambda scores, truth: correlation.plcc(_MAPPED["correlation_rising"](scores, truth), truth),
}
"""Agreement of MAP scores with human scores: signed first, then Eq. 5 as published and held to rise."""
