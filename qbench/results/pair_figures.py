"""Comparisons of two images -> estimates: consistency, accuracies, and how the ranking agrees with people."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from qbench.errors import UndefinedError
from qbench.records import Estimate, Items
from qbench.results.means import RESAMPLING_SEED
from qbench.results.quality import Rated, estimate
from qbench.stats import bias, intervals, logistic
from qbench.stats.chance import Drawn, flip_coins
from qbench.stats.correlation import Array
from qbench.stats.pairwise import Comparisons, PairOutcome, count_votes, paired_orders, shown_in_both_orders
from qbench.stats.ranking import map_scores, rescale

RANKING_AGREEMENT = ("srcc", "plcc", "correlation")
"""Agreement of MAP scores with human scores: signed first, then Eq. 5 as published."""
_SCORES_HELD = "over images, scores held"
_RANKINGS = 4000
"""Rankings simulated for one record; those of many small sets vary less in the mean, so fewer judges do."""
_FEWEST_JUDGES, _MOST_JUDGES = 40, 200
_FLIPS_VERSION = 2
"""Raise it when coins are flipped or counted otherwise, and levels that were kept are computed anew."""
Keep = Callable[[str, Callable[[], Drawn]], Drawn]


@dataclass(frozen=True)
class ComparisonSummary:
    """What comparisons of two images come to."""

    metrics: Mapping[str, Estimate]
    items: Mapping[str, Items]
    """Metric -> what single pairs or images add to it."""


def summarise(comparisons: Comparisons, human: Mapping[str, float] | None, *, ranked: bool = True) -> ComparisonSummary:
    """2AFC: consistency, answer rates and, where human scores are given, accuracies and agreement of the ranking.

    Pairs with a missing answer in either order are left out; pairs whose human scores are equal are neither right nor
    wrong. `accuracy_joint` (right and consistent, of all pairs) is what the paper's tables print, `accuracy_consistent`
    its Eq. 4, `correlation` its Eq. 5 after the logistic fit, which cannot see the sign; `srcc` and `plcc` can.
    Intervals of shares are for new images: pairs with an image in common do not count as independent. What comes of the
    ranking is left out unless `ranked`.
    """
    pairs = paired_orders(comparisons)
    usable = pairs.scored
    images = np.stack([pairs.first, pairs.second], axis=1)
    metrics = {"consistency": consistency(comparisons)}
    items = {"consistency": _pair_items(comparisons, images[usable], pairs.consistent[usable])}
    answered = comparisons.outcome != PairOutcome.UNSCORED
    metrics |= bias.position_bias(
        comparisons.outcome[answered] == PairOutcome.FIRST,
        comparisons.outcome[answered] == PairOutcome.SECOND,
        np.stack([comparisons.first, comparisons.second], axis=1)[answered],
    )
    if human is None:
        return ComparisonSummary(metrics, items)
    truth = np.array([human[item] for item in comparisons.items])
    better = np.where(truth[pairs.first] > truth[pairs.second], pairs.first, pairs.second)
    decided = usable & (truth[pairs.first] != truth[pairs.second])
    both = decided & pairs.consistent
    right = pairs.winner == better
    metrics["accuracy_joint"] = _share(right[decided], images[decided])
    items["accuracy_joint"] = _pair_items(comparisons, images[decided], right[decided])
    metrics["accuracy_consistent"] = _share(right[both], images[both])
    metrics["accuracy"] = _presented_accuracy(comparisons, truth)
    if not ranked:
        return ComparisonSummary(metrics, items)
    agreement = ranking_agreement(comparisons, human)
    return ComparisonSummary({**metrics, **agreement.metrics}, {**items, **agreement.items})


def consistency(comparisons: Comparisons) -> Estimate:
    """Share of pairs whose two orders favour the same image (2AFC paper, Eq. 3); two ties favour none."""
    pairs = paired_orders(comparisons)
    return _share(pairs.consistent[pairs.scored], np.stack([pairs.first, pairs.second], axis=1)[pairs.scored])


def _share(right: NDArray[np.bool_], images: NDArray[np.intp]) -> Estimate:
    if not len(right):
        return Estimate(None, n=0, method=intervals.OVER_IMAGES, note="no items")
    return intervals.image_mean(right.astype(float), images)


def _pair_items(comparisons: Comparisons, images: NDArray[np.intp], right: NDArray[np.bool_]) -> Items:
    """Pairs as often as they were asked; those of the same two images are one cluster."""
    seen: Counter[tuple[int, ...]] = Counter()
    names, clusters = [], []
    for pair in np.sort(images, axis=1).tolist():
        seen[tuple(pair)] += 1
        clusters.append("\n".join(sorted(comparisons.items[image] for image in pair)))
        names.append(f"{clusters[-1]}\n{seen[tuple(pair)]}")
    repeated = len(set(clusters)) < len(clusters)
    return Items("mean", tuple(names), tuple(map(float, right)), clusters=tuple(clusters) if repeated else ())


def _presented_accuracy(comparisons: Comparisons, truth: Array) -> Estimate:
    """Share of single presentations answered right, whichever way the other order went; a tie is not right.

    Pairs shown in one order beside others shown in both were picked for being hard, and are left out.
    """
    first, second = truth[comparisons.first], truth[comparisons.second]
    decided = (comparisons.outcome != PairOutcome.UNSCORED) & (first != second)
    mirrored = shown_in_both_orders(comparisons)
    if mirrored.any():
        decided &= mirrored
    expected = np.where(first > second, PairOutcome.FIRST, PairOutcome.SECOND)
    images = np.stack([comparisons.first, comparisons.second], axis=1)
    return _share((comparisons.outcome == expected)[decided], images[decided])


def chance_agreement(
    sets: Mapping[str, tuple[Comparisons, Mapping[str, float]]], keep: Keep = lambda _name, compute: compute()
) -> Drawn:
    """What judges flipping coins would reach on the same pairs, of several sets, each ranked on its own.

    Pairs that were shown in both orders count where two flips agree, those that were shown in one order always. No
    answer counts, so all models that are asked the same pairs have one level. `keep` gives what was computed before
    under a name, or has it computed.
    """
    replicates = max(_FEWEST_JUDGES, min(_MOST_JUDGES, _RANKINGS // max(1, len(sets))))
    asked: dict[str, tuple[NDArray[Any], ...]] = {}
    for name, (comparisons, human) in sets.items():
        pairs, single = paired_orders(comparisons), ~shown_in_both_orders(comparisons)
        asked[name] = (
            np.stack([pairs.first, pairs.second], axis=1).astype(np.int64),
            np.array([human[item] for item in comparisons.items], dtype=np.float64),
            np.stack([comparisons.first, comparisons.second], axis=1)[single].astype(np.int64),
        )
    digest = hashlib.sha256(f"{_FLIPS_VERSION} {RESAMPLING_SEED} {replicates}".encode())
    for name, arrays in asked.items():
        digest.update(repr((name, [array.shape for array in arrays])).encode())
        for array in arrays:
            digest.update(np.ascontiguousarray(array).tobytes())

    def compute() -> Drawn:
        rng = np.random.default_rng(RESAMPLING_SEED)
        statistics = {name: partial(agreement, name) for name in RANKING_AGREEMENT}
        return {
            name: flip_coins(both, truth, statistics, rng, replicates=replicates, in_one_order=one)
            for name, (both, truth, one) in asked.items()
        }

    return keep(digest.hexdigest(), compute)


def _ranked_scores(comparisons: Comparisons) -> Array:
    """MAP scores of the items from the answers that count."""
    if comparisons.unscored == len(comparisons):
        raise UndefinedError("no presentation has a usable answer, so there is nothing to rank")
    votes = count_votes(comparisons).counted
    if not len(votes):
        raise UndefinedError(
            "in no pair shown in both orders was one image preferred twice, so there is nothing to rank"
        )
    return map_scores(votes).scores


def agreement(name: str, scores: Array, truth: Array) -> float:
    """One of `RANKING_AGREEMENT` of MAP scores."""
    return _rated(name, scores, truth).point(name)


def _rated(name: str, scores: Array, truth: Array) -> Rated:
    # The published fit starts from scores stretched to 0-100; on MAP's own scale it stops at poorer curves.
    stretched = rescale(scores) if name == "correlation" else scores
    return Rated(stretched, truth, fit=logistic.fit_as_published)


def ranking_agreement(comparisons: Comparisons, human: Mapping[str, float]) -> ComparisonSummary:
    """How the MAP ranking agrees with people; where there is no ranking, or no number of it, the reason."""
    truth = np.array([human[item] for item in comparisons.items])
    metrics: dict[str, Estimate] = {}
    items: dict[str, Items] = {}
    try:
        scores = _ranked_scores(comparisons)
        for name in RANKING_AGREEMENT:
            rated = _rated(name, scores, truth)
            metrics |= estimate([rated], [name], method=_SCORES_HELD)
            if metrics[name].value is not None:
                mapped = rated.fitted if name == "correlation" else rated.value
                statistic: Literal["srcc", "plcc"] = "srcc" if name == "srcc" else "plcc"
                items[name] = Items(statistic, comparisons.items, tuple(mapped.tolist()), tuple(truth.tolist()))
    except UndefinedError as error:  # of the ranking, or of scores that are all equal
        absent = Estimate(None, n=len(truth), note=error.reason)
        metrics = {**dict.fromkeys(RANKING_AGREEMENT, absent), **metrics}
    return ComparisonSummary(metrics, items)
