"""Scores -> what single items add to a metric, and the difference of two models on the same items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from qbench.errors import UndefinedError
from qbench.records import Items, Score
from qbench.stats import bootstrap, correlation
from qbench.stats.bootstrap import Kernel
from qbench.stats.correlation import Array
from qbench.stats.significance import Difference, mcnemar, paired_bootstrap
from qbench.summary import RESAMPLING_SEED

FEWEST = 6
"""Of five items no order of right and wrong is rare enough for a verdict at 5 %."""


def items_of_shares(scores: Iterable[Score]) -> Items:
    """What each sample adds to a share of right answers; the mean of its answers where it was asked in several orders.

    An answer that is not usable counts as not right, as in the share itself.
    """
    values: dict[str, list[float]] = {}
    clusters: dict[str, str] = {}
    for score in scores:
        if score.truth is not None:
            values.setdefault(score.sample, []).append(score.value or 0.0)
            clusters[score.sample] = score.sample if score.cluster is None else score.cluster
    return Items(
        "mean",
        tuple(values),
        tuple(float(np.mean(each)) for each in values.values()),
        clusters=_unless_own(values, clusters),
    )


def items_of_quality(scores: Iterable[Score], part: str | None = None) -> dict[str, Items]:
    """What each rated image adds to SRCC and PLCC, with the part it is of where these are averaged over parts."""
    rated = [score for score in scores if score.value is not None and score.truth is not None]
    common = Items(
        "plcc",
        tuple(score.sample for score in rated),
        tuple(float(score.value or 0.0) for score in rated),
        tuple(float(score.truth or 0.0) for score in rated),
        tuple(score.groups[part] for score in rated) if part else (),
    )
    orders = tuple(float((score.value or 0.0) if score.order is None else score.order) for score in rated)
    return {"srcc": replace(common, statistic="srcc", values=orders), "plcc": common}


def join_parts(parts: Mapping[str, Mapping[str, Items]]) -> dict[str, Items]:
    """Items of several sets as the parts of one; a metric that one of them lacks is left out."""
    shared = set.intersection(*(set(items) for items in parts.values())) if parts else set()
    return {metric: _joined({name: items[metric] for name, items in parts.items()}) for metric in sorted(shared)}


def _joined(parts: Mapping[str, Items]) -> Items:
    return Items(
        next(iter(parts.values())).statistic,
        tuple(f"{part}\n{name}" for part, items in parts.items() for name in items.names),
        tuple(value for items in parts.values() for value in items.values),
        tuple(value for items in parts.values() for value in items.truth),
        tuple(part for part, items in parts.items() for _ in items.names),
    )


def common_items(first: Items, second: Items) -> tuple[Items, Items]:
    """Both reduced to the items that they share, in the order of the first.

    Items of one name that differ in truth, part or cluster are not the same.
    """
    if first.statistic != second.statistic:
        return _chosen(first, []), _chosen(second, [])
    places = {name: place for place, name in enumerate(second.names)}
    shared = [
        (place, places[name])
        for place, name in enumerate(first.names)
        if name in places and _about(first, place) == _about(second, places[name])
    ]
    return _chosen(first, [place for place, _ in shared]), _chosen(second, [place for _, place in shared])


def same_items(first: Items, second: Items) -> bool:
    """Whether both figures are about exactly the same items."""
    one, _ = common_items(first, second)
    return len(one.names) == len(first.names) == len(second.names)


def compare_items(first: Items, second: Items) -> Difference:
    """First less second on the items that both have.

    The interval is a bootstrap over items, or over clusters of them. So is p, but for shares of independent items that
    are right or wrong, which have McNemar's exact test.

    Raises:
        UndefinedError: Too few items are shared, or the statistic does not exist for them.
    """
    first, second = common_items(first, second)
    clusters = first.clusters or None
    units = len(set(clusters)) if clusters else len(first.names)
    if units < FEWEST:
        raise UndefinedError(f"{units} items in common are too few for a test")
    for items in (first, second):
        if first.statistic != "mean":
            _check_correlation(items)
    made = paired_bootstrap(
        _kernel(first),
        _kernel(second),
        len(first.names),
        np.random.default_rng(RESAMPLING_SEED),
        clusters=clusters,
        strata=first.parts or None,
    )
    single = first.statistic == "mean" and clusters is None and set(first.values + second.values) <= {0.0, 1.0}
    return replace(made, p=mcnemar(first.values, second.values), test="McNemar, exact") if single else made


def _kernel(items: Items) -> Kernel:
    values, truth = np.array(items.values), np.array(items.truth)
    if items.statistic == "mean":
        return bootstrap.mean_kernel(values)
    make = bootstrap.srcc_kernel if items.statistic == "srcc" else bootstrap.plcc_kernel
    if not items.parts:
        return make(values, truth)
    places = [np.array(place) for place in _places(items.parts)]
    kernels = [(place, make(values[place], truth[place])) for place in places]

    def mean_of_parts(counts: Array) -> Array:
        mean: Array = np.mean([kernel(counts[:, place]) for place, kernel in kernels], axis=0)
        return mean

    return mean_of_parts


def _check_correlation(items: Items) -> None:
    """Raise UndefinedError where a part has too few items, or only one value."""
    for place in _places(items.parts or ("",) * len(items.names)):
        correlation.plcc([items.values[i] for i in place], [items.truth[i] for i in place])


def _places(parts: Sequence[str]) -> list[list[int]]:
    places: dict[str, list[int]] = {}
    for place, part in enumerate(parts):
        places.setdefault(part, []).append(place)
    return list(places.values())


def _about(items: Items, place: int) -> tuple[object, ...]:
    return tuple(column[place] for column in (items.truth, items.parts, items.clusters) if column)


def _chosen(items: Items, places: Sequence[int]) -> Items:
    names, values, truth, parts, clusters = (
        tuple(column[place] for place in places) if column else ()
        for column in (items.names, items.values, items.truth, items.parts, items.clusters)
    )
    return Items(items.statistic, names, values, truth, parts, clusters)  # type: ignore[arg-type]


def _unless_own(values: Mapping[str, object], clusters: Mapping[str, str]) -> tuple[str, ...]:
    """Clusters of the items; none where each is its own."""
    named = tuple(clusters[name] for name in values)
    return named if len(set(named)) < len(named) else ()
