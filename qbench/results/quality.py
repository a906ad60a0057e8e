"""Quality scores against human scores -> records: SRCC, PLCC, fitted PLCC, KRCC and RMSE; by part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from qbench.datasets.known import find_dataset
from qbench.errors import UndefinedError
from qbench.records import Estimate, Metrics, Result, Sample, Score
from qbench.results.correlations import (
    FEWEST_RESAMPLED,
    correlation_of_fit,
    holds_curve,
    of_fit,
    signed_correlation,
)
from qbench.results.items import items_of_quality
from qbench.results.means import RESAMPLING_SEED, by_group, count_unscored
from qbench.stats import bootstrap, correlation, intervals, logistic
from qbench.stats.correlation import Array
from qbench.tasks import Outcome

CORRELATIONS = ("srcc", "plcc", "plcc_fitted", "krcc", "rmse")
_FITTED = ("plcc_fitted", "rmse")
_OF_VARIANTS = ("srcc", "plcc")
"""Figures of the same responses scored in other ways."""
QUARTERS = ("lowest", "second", "third", "highest")
"""Of the rated images, by their human score; images of one score are in one quarter."""
EXPECTED_SRCC = "srcc_expected"
"""Of a quarter: what its narrower range leaves of the correlation if the model errs as much on all images."""
_ENOUGH, _ENOUGH_OF_A_PART = 10, 4
"""Scored images before a running correlation is worth showing, and of one part."""


def build(outcome: Outcome, base: Result, samples: Sequence[Sample]) -> list[Result]:
    """One record.

    Where all samples are of some part, figures are taken in each part and averaged, as Q-Bench does with the halves of
    CGIQA-6K. Parts that the dataset publishes are shown apart too; those of a demo set are its kinds of damage.
    """
    scores = outcome.scores["quality"]
    part = "part" if all("part" in sample.groups for sample in samples) else None
    groups: dict[str, dict[str, Metrics]] = {
        grouping: {name: summarise_assessment(each, part=part, metrics=_OF_VARIANTS) for name, each in ways.items()}
        for grouping, ways in outcome.variants.items()
    }
    for label, reason in outcome.absent.items():
        groups.setdefault("words", {})[label] = dict.fromkeys(_OF_VARIANTS, Estimate(None, note=reason))
    facts = find_dataset(base.dataset)
    if part and facts and facts.parts:
        groups[part] = {
            name: summarise_assessment(score for score in scores if score.groups[part] == name)
            for name in sorted({score.groups[part] for score in scores})
        }
    if quarters := summarise_quarters(scores, part=part):
        groups["quarter"] = quarters
    result = replace(
        base,
        metrics=summarise_assessment(scores, part=part),
        items=items_of_quality(scores, part),
        groups=groups,
        unscored=count_unscored(scores),
        protocol={**base.protocol, **({"averaged_over": part} if part else {})},
    )
    return [result]


def summarise_assessment(
    scores: Iterable[Score], *, part: str | None = None, metrics: Sequence[str] = CORRELATIONS
) -> dict[str, Estimate]:
    """SRCC, PLCC, fitted PLCC, KRCC and RMSE against human scores.

    Args:
        scores: Items without a value or a truth are left out; the caller counts them.
        part: A grouping whose groups are measured apart and averaged, as Q-Bench does for CGIQA-6K's halves. Where one
            of them cannot be measured there is no average.
        metrics: Which of `CORRELATIONS` to compute.
    """
    rated = [score for score in scores if score.truth is not None]
    named = sorted(by_group(rated, part).items()) if part else [("", rated)]
    parts = [_Part([score for score in members if score.value is not None], name) for name, members in named]
    usable = sum(score.value is not None for score in rated)
    estimates: dict[str, Estimate] = {}
    points: dict[str, float] = {}
    for name in metrics:
        try:
            points[name] = float(np.mean([part.point(name) for part in parts]))
        except UndefinedError as error:
            estimates[name] = Estimate(None, n=usable, note=error.reason)
    estimates |= _with_intervals(parts, points)
    return {name: estimates[name] for name in metrics}


def summarise_quarters(scores: Iterable[Score], *, part: str | None = None) -> dict[str, Metrics]:
    """Quarter -> SRCC among its images, and what is expected of it; nothing where a quarter has fewer than ten.

    Where figures are averaged over parts, each part has its own quarters.
    """
    rated = [score for score in scores if score.truth is not None]
    if not rated:
        return {}
    whole = list(by_group(rated, part).values()) if part else [rated]
    members: dict[str, list[list[Score]]] = {name: [] for name in QUARTERS}
    for each in whole:
        truth = np.array([score.truth for score in each], dtype=float)
        places = np.searchsorted(np.quantile(truth, [0.25, 0.5, 0.75]), truth)
        for place, name in enumerate(QUARTERS):
            members[name].append([score for score, at in zip(each, places, strict=True) if at == place])
    answered = [[score for score in some if score.value is not None] for of in members.values() for some in of]
    if min(map(len, answered), default=0) < FEWEST_RESAMPLED:
        return {}
    return {
        name: {
            **summarise_assessment([score for some in of for score in some], part=part, metrics=("srcc",)),
            EXPECTED_SRCC: _expected_srcc(of, whole),
        }
        for name, of in members.items()
    }


def _expected_srcc(quarter: Sequence[Sequence[Score]], whole: Sequence[Sequence[Score]]) -> Estimate:
    """The mean over parts of the SRCC that a part's range alone leaves; only images with an answer count."""
    found = []
    for some, every in zip(quarter, whole, strict=True):
        inner, outer = (_Part([score for score in each if score.value is not None], "") for each in (some, every))
        try:
            over_all = outer.point("srcc")
        except UndefinedError as error:
            return Estimate(None, note=error.reason)
        found.append(correlation.restricted_srcc(over_all, float(np.std(inner.truth) / np.std(outer.truth))))
    return Estimate(float(np.mean(found)), n=sum(map(len, quarter)), method="range restriction, case 2")


def running_srcc(scores: Iterable[Score], part: str | None = None) -> Estimate | None:
    """SRCC of what is scored so far, with an interval by formula; None while that is too little.

    Within each part of which enough is scored, and averaged, as the record will have it.
    """
    scored = [score for score in scores if score.value is not None]
    members = by_group(scored, part).values() if part else [scored]
    begun = [_Part(each, "") for each in members if len(each) >= _ENOUGH_OF_A_PART]
    if not begun or len(scored) < _ENOUGH:
        return None
    try:
        return intervals.mean_of_parts([intervals.srcc_interval(each.point("srcc"), len(each.truth)) for each in begun])
    except UndefinedError:
        return None


class _Part:
    """The arrays that one set of correlations is made from."""

    def __init__(self, scores: Sequence[Score], label: str) -> None:
        self.label = label
        self.value = np.array([score.value for score in scores], dtype=float)
        self.order = np.array([score.rank_value for score in scores], dtype=float)
        self.truth = np.array([score.truth for score in scores], dtype=float)

    @cached_property
    def curve(self) -> logistic.LogisticFit:
        return logistic.fit_logistic(self.value, self.truth)

    @cached_property
    def fitted(self) -> Array:
        return self.curve(self.value)

    def point(self, name: str) -> float:
        try:
            return _POINTS[name](self)
        except UndefinedError as error:
            raise UndefinedError(f"{self.label}: {error.reason}" if self.label else error.reason) from None

    def rows(self, names: Sequence[str]) -> bootstrap.Kernel:
        """Kernel of several statistics."""
        kernels = [_KERNELS[name](self) for name in names]
        return lambda counts: np.stack([kernel(counts) for kernel in kernels])


_POINTS: Mapping[str, Callable[[_Part], float]] = {
    "srcc": lambda part: correlation.srcc(part.order, part.truth),
    "plcc": lambda part: correlation.plcc(part.value, part.truth),
    "plcc_fitted": lambda part: correlation.plcc(part.fitted, part.truth),
    "krcc": lambda part: correlation.krcc(part.order, part.truth),
    "rmse": lambda part: correlation.rmse(part.fitted, part.truth),
}
_KERNELS: Mapping[str, Callable[[_Part], bootstrap.Kernel]] = {
    "srcc": lambda part: bootstrap.srcc_kernel(part.order, part.truth),
    "plcc": lambda part: bootstrap.plcc_kernel(part.value, part.truth),
}


def _with_intervals(parts: Sequence[_Part], points: Mapping[str, float]) -> dict[str, Estimate]:
    """Statistics averaged over parts, with intervals from resamples of each."""
    sizes = [len(part.truth) for part in parts]
    made: dict[str, Estimate] = {}
    if plain := [name for name in points if name in _KERNELS]:
        rng = np.random.default_rng(RESAMPLING_SEED)
        drawn = [bootstrap.bootstrap(part.rows(plain), len(part.truth), rng) for part in parts]
        for name, replicates in zip(plain, np.mean(drawn, axis=0), strict=True):
            made[name] = signed_correlation(name, points[name], replicates, sum(sizes), parts=len(parts))
    if fitted := [name for name in points if name in _FITTED]:
        refits = np.empty((2, 0))
        if sum(sizes) >= FEWEST_RESAMPLED * len(parts):
            rng, hold = np.random.default_rng(RESAMPLING_SEED), holds_curve(sizes)
            drawn = [logistic.resampled_fit(part.value, part.truth, part.curve, rng, hold=hold) for part in parts]
            refits = np.mean(drawn, axis=0)
        if "plcc_fitted" in fitted:
            made["plcc_fitted"] = correlation_of_fit(points["plcc_fitted"], refits[0], sizes)
        if "rmse" in fitted:
            made["rmse"] = of_fit(points["rmse"], refits[1], sizes, bootstrap.LOG)
    if "krcc" in points:
        taus = [intervals.krcc_estimate(part.order, part.truth) for part in parts]
        made["krcc"] = bootstrap.unless_certain(intervals.mean_of_parts(taus))
    return made
