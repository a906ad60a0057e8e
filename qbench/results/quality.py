"""Records of quality scores: their correlation with people's, by part where the dataset has parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from qbench import summary
from qbench.datasets.known import find_dataset
from qbench.records import Metrics, Result, Sample
from qbench.summary import assessment as assessment_summary
from qbench.summary.items import items_of_quality
from qbench.tasks import Outcome


def build(outcome: Outcome, base: Result, samples: Sequence[Sample]) -> list[Result]:
    """One record.

    Where all samples are of some part, figures are taken in each part and averaged, as Q-Bench does with the halves of
    CGIQA-6K. Parts that the dataset publishes are shown apart too; those of a demo set are its kinds of damage.
    """
    scores = outcome.scores["quality"]
    part = "part" if all("part" in sample.groups for sample in samples) else None
    groups: dict[str, dict[str, Metrics]] = assessment_summary.summarise_quality_variants(
        outcome.variants, part, outcome.absent
    )
    facts = find_dataset(base.dataset)
    if part and facts and facts.parts:
        groups[part] = {
            name: assessment_summary.summarise_assessment(score for score in scores if score.groups[part] == name)
            for name in sorted({score.groups[part] for score in scores})
        }
    result = replace(
        base,
        metrics=assessment_summary.summarise_assessment(scores, part=part),
        items=items_of_quality(scores, part),
        groups=groups,
        unscored=summary.count_unscored(scores),
        protocol={**base.protocol, **({"averaged_over": part} if part else {})},
    )
    return [result]
