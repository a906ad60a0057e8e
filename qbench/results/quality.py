"""Quality scores against human scores -> records: SRCC, PLCC, fitted PLCC, KRCC and RMSE; by part."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from qbench.datasets.known import find_dataset
from qbench.errors import UndefinedError
from qbench.records import Estimate, Metrics, Result, Sample, Score
from qbench.results.correlations import FEWEST_RESAMPLED, Rated, estimate
from qbench.results.items import items_of_quality
from qbench.results.means import by_group, count_unscored
from qbench.stats import correlation, intervals
from qbench.tasks import Outcome

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
    named = sorted(by_group(rated, part).items()) if part else [("", rated)]
    return estimate([_rated(members, name) for name, members in named], metrics)


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
        inner, outer = _rated(some), _rated(every)
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
    begun = [_rated(each) for each in members if len(each) >= _ENOUGH_OF_A_PART]
    if not begun or len(scored) < _ENOUGH:
        return None
    try:
        return intervals.mean_of_parts([intervals.srcc_interval(each.point("srcc"), len(each.truth)) for each in begun])
    except UndefinedError:
        return None
