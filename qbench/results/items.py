"""What single items add to the figures of a record: made from scores, stored beside the record (one line says of which
answers, then one a metric), and compared between two models on the items that both have."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from qbench.errors import UndefinedError
from qbench.records import Items, Result, Score, read_stored
from qbench.results.means import RESAMPLING_SEED
from qbench.stats import bootstrap, correlation
from qbench.stats.correlation import Array
from qbench.stats.significance import Difference, mcnemar, paired_bootstrap

FOLDER = "items"
"""Below the folder of the records."""
FEWEST = 6
"""Of five items no order of right and wrong is rare enough for a verdict at 5 %."""
_DIGITS = 9
_LISTS = ("names", "values", "truth", "parts", "clusters")


def items_of_shares(scores: Iterable[Score]) -> Items:
    """What each sample adds to a share of right answers; the mean of its answers where it was asked in several orders.

    An answer that is not usable counts as not right, as in the share itself.
    """
    of_sample: dict[str, list[Score]] = {}
    for score in scores:
        if score.is_known:
            of_sample.setdefault(score.sample, []).append(score)
    shares = [
        replace(each[0], value=float(np.mean([score.value or 0.0 for score in each]))) for each in of_sample.values()
    ]
    return items_of_means({"": shares}).get("", Items("mean", (), ()))


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
    orders = tuple(float(score.rank_value or 0.0) for score in rated)
    return {"srcc": replace(common, statistic="srcc", values=orders), "plcc": common}


def items_of_means(scores: Mapping[str, Iterable[Score]]) -> dict[str, Items]:
    """What each sample adds to the mean of what could be scored, metric by metric; a mean of nothing has none."""
    made: dict[str, Items] = {}
    for metric, each in scores.items():
        of_sample = {score.sample: score for score in each}
        values = {name: score.value for name, score in of_sample.items() if score.value is not None}
        # Of every sample, so that two models have clusters alike, whichever of their answers could be scored.
        clusters = {name: score.cluster or name for name, score in of_sample.items()}
        own = len(set(clusters.values())) == len(clusters)
        if values:
            named = () if own else tuple(clusters[name] for name in values)
            made[metric] = Items("mean", tuple(values), tuple(values.values()), clusters=named)
    return made


def items_of_mean(parts: Mapping[str, Items]) -> Items:
    """Items of several means over the same samples as those of the mean of these means."""
    own = tuple(name for items in parts.values() for name in items.clusters or items.names)
    return replace(_joined(parts), clusters=own)


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


def items_path(record: Path) -> Path:
    """Where the items of a record are kept."""
    return record.parent / FOLDER / f"{record.stem}.jsonl"


def items_lines(result: Result) -> bytes:
    """The items of a record as they are stored; nothing where there are none."""
    if not result.items or result.raw is None:
        return b""
    rows: list[dict[str, Any]] = [{"raw": result.raw}]
    written: dict[Items, str] = {}
    for metric, items in result.items.items():
        lists = replace(items, statistic="mean")
        if lists in written:  # of both correlations, where ranks are taken on the scores themselves
            rows.append({"metric": metric, "statistic": items.statistic, "lists_of": written[lists]})
            continue
        written[lists] = metric
        made = {name: list(map(_shortest, getattr(items, name))) for name in _columns(items)}
        rows.append({"metric": metric, "statistic": items.statistic, **made})
    return "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows).encode()


def read_items(content: bytes, raw: str | None) -> Mapping[str, Items]:
    """Items as they were stored; none where they are of other answers than these.

    Raises:
        ValueError: Not such a file.
    """
    first, *rows = [json.loads(line) for line in content.decode().split("\n") if line] or [{}]
    try:
        if raw is None or first["raw"] != raw:
            return {}
        by_metric = {row["metric"]: row for row in rows}
        return {
            metric: _items(metric, {**by_metric[row.get("lists_of", metric)], **row})
            for metric, row in by_metric.items()
            if row["statistic"] != "krcc"  # of earlier versions; no board compares models by it
        }
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"no file of items ({error})") from None


def _items(metric: str, row: Mapping[str, Any]) -> Items:
    items = read_stored(Items, {name: row[name] for name in ("statistic", *_LISTS) if name in row}, exact=True)
    lengths = {len(getattr(items, name)) for name in _columns(items)}
    if len(lengths) > 1 or (items.statistic == "mean") == bool(items.truth):
        raise ValueError(f"{metric} holds lists of different lengths, or other lists than a {items.statistic} has")
    return items


def _shortest(value: float | str) -> float | str:
    """A number short enough to be stored by the thousand, and as exact as any statistic needs; a text as it is."""
    if isinstance(value, str):
        return value
    rounded = float(f"{value:.{_DIGITS}g}")
    return int(rounded) if rounded == int(rounded) else rounded


def common_items(first: Items, second: Items) -> tuple[Items, Items]:
    """Both reduced to the items that they share, in the order of the first.

    Items of one name that differ in truth, part or cluster are not the same.
    """
    keys, places = _keys(first), {key: place for place, key in enumerate(_keys(second))}
    shared = [(place, places[key]) for place, key in enumerate(keys) if key in places]
    return _chosen(first, [place for place, _ in shared]), _chosen(second, [place for _, place in shared])


def _keys(items: Items) -> list[tuple[object, ...]]:
    """What makes each item itself."""
    columns = [column for column in (items.truth, items.parts, items.clusters) if column]
    return [(items.statistic, *each) for each in zip(items.names, *columns, strict=True)]


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
    for items in (first, second) if first.statistic != "mean" else ():
        for part in _places(items):  # of too few items, or only one value, there is no correlation
            correlation.plcc([items.values[place] for place in part], [items.truth[place] for place in part])
    made = paired_bootstrap(
        kernel_of(first),
        kernel_of(second),
        len(first.names),
        np.random.default_rng(RESAMPLING_SEED),
        clusters=clusters,
        strata=None if clusters else first.parts or None,
    )
    single = first.statistic == "mean" and not (clusters or first.parts)
    if single and set(first.values + second.values) <= {0.0, 1.0}:
        return replace(made, p=mcnemar(first.values, second.values), test="McNemar, exact")
    return made


def kernel_of(items: Items) -> bootstrap.Kernel:
    """The statistic of resampled items; of several parts, the mean of each part's own."""
    values, truth = np.array(items.values), np.array(items.truth)
    kernels: list[tuple[Any, bootstrap.Kernel]] = []
    for place in map(np.array, _places(items)):
        arrays = (values[place], truth[place]) if items.truth else (values[place],)
        kernels.append((place, bootstrap.KERNELS[items.statistic](*arrays)))

    def mean_of_parts(counts: Array) -> Array:
        with np.errstate(invalid="ignore"):  # a resample without any item of a part has no mean
            mean: Array = np.mean([kernel(counts[:, place]) for place, kernel in kernels], axis=0)
        return mean

    return mean_of_parts


def _places(items: Items) -> list[list[int]]:
    """Where the items of each part stand."""
    places: dict[str, list[int]] = {}
    for place, part in enumerate(items.parts or ("",) * len(items.names)):
        places.setdefault(part, []).append(place)
    return list(places.values())


def _columns(items: Items) -> list[str]:
    """The lists that it has."""
    return [name for name in _LISTS if getattr(items, name)]


def _chosen(items: Items, places: Sequence[int]) -> Items:
    chosen: dict[str, Any] = {name: tuple(getattr(items, name)[place] for place in places) for name in _columns(items)}
    return replace(items, **chosen)
