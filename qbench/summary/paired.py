"""The difference of two models on the same items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from qbench.errors import UndefinedError
from qbench.records import Items
from qbench.stats import bootstrap, correlation
from qbench.stats.bootstrap import Kernel
from qbench.stats.correlation import Array
from qbench.stats.significance import Difference, mcnemar, paired_bootstrap, paired_jackknife
from qbench.summary import RESAMPLING_SEED

FEWEST = 6
"""Of five items no order of right and wrong is rare enough for a verdict at 5 %."""


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
    are right or wrong, which have McNemar's exact test. Kendall's correlation has a jackknife over items, which takes
    one pass where a bootstrap would count all pairs anew a thousand times.

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
    if first.statistic == "krcc":
        return paired_jackknife(_concordances(first), _concordances(second))
    made = paired_bootstrap(
        _kernel(first),
        _kernel(second),
        len(first.names),
        np.random.default_rng(RESAMPLING_SEED),
        clusters=clusters,
        strata=None if clusters else first.parts or None,
    )
    single = first.statistic == "mean" and not (clusters or first.parts)
    if single and set(first.values + second.values) <= {0.0, 1.0}:
        return replace(made, p=mcnemar(first.values, second.values), test="McNemar, exact")
    return made


def _kernel(items: Items) -> Kernel:
    values, truth = np.array(items.values), np.array(items.truth)
    if not items.parts:
        return _kernel_of_part(items.statistic, values, truth)
    kernels = [
        (place, _kernel_of_part(items.statistic, values[place], truth[place] if items.truth else truth))
        for place in map(np.array, _places(items.parts))
    ]

    def mean_of_parts(counts: Array) -> Array:
        with np.errstate(invalid="ignore"):  # a resample without any item of a part has no mean
            mean: Array = np.mean([kernel(counts[:, place]) for place, kernel in kernels], axis=0)
        return mean

    return mean_of_parts


def _kernel_of_part(statistic: str, values: Array, truth: Array) -> Kernel:
    if statistic == "mean":
        return bootstrap.mean_kernel(values)
    return (bootstrap.srcc_kernel if statistic == "srcc" else bootstrap.plcc_kernel)(values, truth)


def _concordances(items: Items) -> list[correlation.Concordance]:
    values, truth = np.array(items.values), np.array(items.truth)
    return [correlation.concordance(values[place], truth[place]) for place in _places(_parts(items))]


def _check_correlation(items: Items) -> None:
    """Raise UndefinedError where a part has too few items, or only one value."""
    for place in _places(_parts(items)):
        correlation.plcc([items.values[i] for i in place], [items.truth[i] for i in place])


def _parts(items: Items) -> Sequence[str]:
    return items.parts or ("",) * len(items.names)


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
