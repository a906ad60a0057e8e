"""Comparisons of two images -> estimates: consistency, accuracies, and how the ranking agrees with people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from qbench.errors import UndefinedError
from qbench.records import Estimate
from qbench.stats import bias, bootstrap, correlation, logistic
from qbench.stats.chance import chance_levels
from qbench.stats.correlation import Array
from qbench.stats.pairwise import Comparisons, Outcome, paired_orders
from qbench.stats.ranking import map_scores, rescale
from qbench.stats.votes import count_votes, shown_in_both_orders
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
    mirrored = shown_in_both_orders(comparisons)
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


def _ranked_scores(comparisons: Comparisons) -> Array:
    """MAP scores of the items from the answers that count."""
    votes = count_votes(comparisons).counted
    if not len(votes):
        raise UndefinedError(
            "in no pair shown in both orders was one image preferred twice, so there is nothing to rank"
        )
    return map_scores(votes).scores


def _ranking_agreement(comparisons: Comparisons, truth: Array) -> dict[str, Estimate]:
    """How the MAP ranking agrees with people; intervals over images, scores held."""

    def resampled(name: str, scores: Array, truth: Array) -> Estimate:
        mapped = _MAPPED.get(name, _unmapped)(scores, truth)
        ranked = name == "srcc"
        value = (correlation.srcc if ranked else correlation.plcc)(mapped, truth)
        kernel = (bootstrap.srcc_kernel if ranked else bootstrap.plcc_kernel)(mapped, truth)
        replicates = bootstrap.bootstrap(kernel, len(truth), np.random.default_rng(SEED))
        method = f"bootstrap-{bootstrap.RESAMPLES} over images, scores held"
        return bootstrap.percentile(value, replicates, len(truth), method=method)

    return _of_the_ranking(comparisons, truth, RANKING_AGREEMENT, resampled)


def _of_the_ranking(
    comparisons: Comparisons, truth: Array, names: Iterable[str], estimate: Callable[[str, Array, Array], Estimate]
) -> dict[str, Estimate]:
    """Estimates from the MAP scores; where there is no ranking, or no number of it, the reason."""
    try:
        scores = _ranked_scores(comparisons)
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
    return {
        metric: mean_of_all({name: metrics[metric] for name, metrics in each.items()}) for metric in RANKING_AGREEMENT
    }


def _unmapped(scores: Array, _: Array) -> Array:
    return scores


def _fitted_as_published(scores: Array, truth: Array) -> Array:
    """The published fit starts from scores stretched to 0-100; on MAP's own scale it stops at poorer curves."""
    stretched = rescale(scores)
    return logistic.fit_as_published(stretched, truth)(stretched)


_MAPPED: Mapping[str, Callable[[Array, Array], Array]] = {
    "correlation": _fitted_as_published,
    "correlation_rising": lambda scores, truth: logistic.fit_rising(scores, truth)(scores),
}
RANKING_AGREEMENT: Mapping[str, Callable[[Array, Array], float]] = {
    "srcc": correlation.srcc,
    "plcc": correlation.plcc,
    "correlation": lambda scores, truth: correlation.plcc(_MAPPED["correlation"](scores, truth), truth),
    "correlation_rising": lambda scores, truth: correlation.plcc(_MAPPED["correlation_rising"](scores, truth), truth),
}
"""Agreement of MAP scores with human scores: signed first, then Eq. 5 as published and held to rise."""
