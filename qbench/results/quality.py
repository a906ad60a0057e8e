"""Scores against human scores -> records: SRCC, PLCC and KRCC, and PLCC and RMSE after a logistic curve; by part.

Intervals come from resamples of the items; of few items, or of nearly perfect ones, from the formula for normal scores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from qbench.datasets.known import find_dataset
from qbench.errors import UndefinedError
from qbench.records import Estimate, Metrics, Result, Sample, Score
from qbench.results.items import items_of_quality
from qbench.results.means import RESAMPLING_SEED, by_group, count_unscored
from qbench.stats import bootstrap, correlation, intervals, logistic
from qbench.stats.correlation import Array
from qbench.tasks import Outcome

FEWEST_RESAMPLED = 10
"""Of fewer items many resamples are perfectly ordered."""
_TERMS = 4
"""Parameters of the curve."""
_DRAWS = 1000
_FORMULAS = {"srcc": intervals.srcc_interval, "plcc": intervals.plcc_interval}
CORRELATIONS = ("srcc", "plcc", "plcc_fitted", "krcc", "rmse")
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
    """SRCC, PLCC, fitted PLCC, KRCC and RMSE against human scores; items without a value or a truth are left out.

    With a `part`, the groups of this grouping are measured apart and averaged, as Q-Bench does for CGIQA-6K's halves.
    """
    rated = [score for score in scores if score.truth is not None]
    return estimate([_rated(members, name) for name, members in _by_part(rated, part)], metrics)


def _by_part(scores: list[Score], part: str | None) -> list[tuple[str, list[Score]]]:
    """The scores of each part, by its name; all together where figures are not averaged over parts."""
    return sorted(by_group(scores, part).items()) if part else [("", scores)]


def _rated(scores: Sequence[Score], label: str = "") -> Rated:
    """Those of the scores that have a value."""
    scored = [score for score in scores if score.value is not None]
    value, truth, order = (
        np.array([getattr(score, name) for score in scored], dtype=float) for name in ("value", "truth", "rank_value")
    )
    return Rated(value, truth, order, label)


def summarise_quarters(scores: Iterable[Score], *, part: str | None = None) -> dict[str, Metrics]:
    """Quarter -> SRCC among its images, and what is expected of it; nothing where a quarter has fewer than ten.

    Where figures are averaged over parts, each part has its own quarters.
    """
    rated = [score for score in scores if score.truth is not None]
    if not rated:
        return {}
    whole: list[Rated] = []
    quarters: dict[str, list[Rated]] = {name: [] for name in QUARTERS}
    items: Counter[str] = Counter()
    for label, each in _by_part(rated, part):
        truth, every = np.array([score.truth for score in each], dtype=float), _rated(each)
        borders = np.quantile(truth, [0.25, 0.5, 0.75])
        inside, places = np.searchsorted(borders, truth), np.searchsorted(borders, every.truth)
        whole.append(every)
        for place, name in enumerate(QUARTERS):
            of = places == place
            quarters[name].append(Rated(every.value[of], every.truth[of], every.order[of], label))
            items[name] += int(np.count_nonzero(inside == place))
    if min(len(inner.truth) for of in quarters.values() for inner in of) < FEWEST_RESAMPLED:
        return {}
    return {
        name: {**estimate(of, ("srcc",)), EXPECTED_SRCC: _expected_srcc(of, whole, items[name])}
        for name, of in quarters.items()
    }


def _expected_srcc(quarter: Sequence[Rated], whole: Sequence[Rated], items: int) -> Estimate:
    """The mean over parts of the SRCC that a part's range alone leaves; only images with an answer count."""
    try:
        found = [
            correlation.restricted_srcc(outer.point("srcc"), float(np.std(inner.truth) / np.std(outer.truth)))
            for inner, outer in zip(quarter, whole, strict=True)
        ]
    except UndefinedError as error:
        return Estimate(None, note=error.reason)
    return Estimate(float(np.mean(found)), n=items, method="range restriction, case 2")


def running_srcc(scores: Iterable[Score], part: str | None = None) -> Estimate | None:
    """SRCC of what is scored so far, with an interval by formula; None while that is too little.

    Within each part of which enough is scored, and averaged, as the record will have it.
    """
    scored = [score for score in scores if score.value is not None]
    begun = [_rated(each) for _, each in _by_part(scored, part) if len(each) >= _ENOUGH_OF_A_PART]
    if not begun or len(scored) < _ENOUGH:
        return None
    try:
        return intervals.mean_of_parts([intervals.srcc_interval(each.point("srcc"), len(each.truth)) for each in begun])
    except UndefinedError:
        return None


class Rated:
    """Model scores beside human ones, of one dataset or a part of it.

    Ranks may be taken on another order; the label is said before the reason why there is no figure.
    """

    def __init__(
        self,
        value: ArrayLike,
        truth: ArrayLike,
        order: ArrayLike | None = None,
        label: str = "",
        fit: Callable[[Array, Array], logistic.LogisticFit] = logistic.fit_logistic,
    ) -> None:
        self.value = np.asarray(value, dtype=float)
        self.truth = np.asarray(truth, dtype=float)
        self.order = self.value if order is None else np.asarray(order, dtype=float)
        self.label = label
        self._fit = fit

    @cached_property
    def curve(self) -> logistic.LogisticFit:
        return self._fit(self.value, self.truth)

    @cached_property
    def fitted(self) -> Array:
        return self.curve(self.value)

    @cached_property
    def kendall(self) -> Estimate:
        return intervals.krcc_estimate(self.order, self.truth)

    def point(self, name: str) -> float:
        """One of the figures, or an UndefinedError."""
        try:
            return _POINTS[name](self)
        except UndefinedError as error:
            raise UndefinedError(f"{self.label}: {error.reason}" if self.label else error.reason) from None

    def kernel(self, names: Sequence[str]) -> bootstrap.Kernel:
        """Several of SRCC and PLCC of each resample."""
        kernels = [bootstrap.KERNELS[name](self.order if name == "srcc" else self.value, self.truth) for name in names]
        return lambda counts: np.stack([kernel(counts) for kernel in kernels])


_POINTS: Mapping[str, Callable[[Rated], float]] = {
    "srcc": lambda part: correlation.srcc(part.order, part.truth),
    "plcc": lambda part: correlation.plcc(part.value, part.truth),
    "plcc_fitted": lambda part: correlation.plcc(part.fitted, part.truth),
    "correlation": lambda part: correlation.plcc(part.fitted, part.truth),
    "krcc": lambda part: float(part.kendall.value or 0.0),
    "rmse": lambda part: correlation.rmse(part.fitted, part.truth),
}


def estimate(parts: Sequence[Rated], names: Sequence[str], *, method: str = "") -> dict[str, Estimate]:
    """Figures averaged over parts, with their intervals; where one part has none there is no average."""
    sizes = [len(part.truth) for part in parts]
    points: dict[str, float] = {}
    made: dict[str, Estimate] = {}
    for name in names:
        try:
            points[name] = float(np.mean([part.point(name) for part in parts]))
        except UndefinedError as error:
            made[name] = Estimate(None, n=sum(sizes), note=error.reason)
    if plain := [name for name in points if name in _FORMULAS]:
        rng = np.random.default_rng(RESAMPLING_SEED)
        drawn = [bootstrap.bootstrap(part.kernel(plain), len(part.truth), rng) for part in parts]
        for name, replicates in zip(plain, np.mean(drawn, axis=0), strict=True):
            made[name] = signed_correlation(name, points[name], replicates, sizes, method)
    if curved := [name for name in points if name in ("plcc_fitted", "correlation", "rmse")]:
        refits = np.empty((2, 0))
        if _enough_for_curves(sizes):
            rng, hold = np.random.default_rng(RESAMPLING_SEED), _holds_curve(sizes)
            drawn = [logistic.resampled_fit(part.value, part.truth, part.curve, rng, hold=hold) for part in parts]
            refits = np.mean(drawn, axis=0)
        for name in curved:
            made[name] = figure_after_curve(name, points[name], refits[int(name == "rmse")], sizes, method)
    if "krcc" in points:
        made["krcc"] = bootstrap.unless_certain(intervals.mean_of_parts([part.kendall for part in parts]))
    return {name: made[name] for name in names}


def signed_correlation(name: str, value: float, replicates: Array, sizes: Sequence[int], method: str = "") -> Estimate:
    """SRCC or PLCC of parts of these sizes, whose mean was so much in each resample."""
    items, parts = sum(sizes), len(sizes)
    if parts == 1 and items < FEWEST_RESAMPLED:
        return _FORMULAS[name](value, items)
    freedom = items - 2 * parts
    made = bootstrap.bias_corrected(value, replicates, items, bootstrap.FISHER, freedom, method=method)
    return _FORMULAS[name](value, items) if made.note == bootstrap.PERFECT and parts == 1 else made


def figure_after_curve(name: str, value: float, replicates: Array, sizes: Sequence[int], method: str = "") -> Estimate:
    """A figure after the curves of parts of these sizes.

    Of scores that tell nothing the best curve agrees too, and the more the fewer they are. So the interval of a
    correlation reaches down to 0 unless fewer than one in twenty regressions of noise, of as many terms as the curve
    has parameters, agree as much: for 10 to 1,000 items that is a little more than the best curve through noise
    reaches.
    """
    items, parts = sum(sizes), len(sizes)
    if not _enough_for_curves(sizes):  # a curve fitted to so few follows each of them
        note = f"fewer than {FEWEST_RESAMPLED} items leave no room to fit a curve to each resample"
        said = f"each of {parts} parts has fewer than {FEWEST_RESAMPLED} items, too few to fit a curve to each resample"
        return Estimate(value, n=items, note=note if parts == 1 else said)
    how = ", ".join(filter(None, ("curve held" if _holds_curve(sizes) else "curve fitted to each", method)))
    scale = bootstrap.LOG if name == "rmse" else bootstrap.FISHER
    made = bootstrap.bias_corrected(value, replicates, items, scale, items - _TERMS * parts, method=how)
    if name == "rmse" or made.low is None:
        return made
    rng = np.random.default_rng(RESAMPLING_SEED)
    noise = [rng.beta(_TERMS / 2, max(size - 1 - _TERMS, 1) / 2, size=_DRAWS) for size in sizes]
    return intervals.down_to_chance(made, value, np.sqrt(noise).mean(axis=0))


def _enough_for_curves(sizes: Sequence[int]) -> bool:
    return sum(sizes) >= FEWEST_RESAMPLED * len(sizes)


def _holds_curve(sizes: Sequence[int]) -> bool:
    """Whether resamples keep the curve of all items of each part."""
    return min(sizes) >= logistic.HELD_FROM
