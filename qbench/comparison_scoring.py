"""Comparisons that a file holds -> records: one for each set of images, or one of a fine list.

2AFC prompting, https://arxiv.org/abs/2402.01162.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from qbench import comparison_summary, pairing
from qbench.comparison_results import TABLES, comparison_results
from qbench.datasets.known import DatasetFacts, find_dataset
from qbench.errors import UserError
from qbench.formats.reading import Reading
from qbench.records import Presented, Result, Sample
from qbench.rows import Complaints, shorten
from qbench.stats.pairwise import Comparisons, paired_orders
from qbench.tasks import Outcome, assessment
from qbench.tasks.comparison import find_sets


def score_comparisons(reading: Reading, base: Result, *, chance: bool) -> list[Result]:
    """The records of comparisons; a published list's are named as the paper's tables name them.

    Args:
        reading: The comparisons, with the human scores of their images as far as they are known.
        base: What the records have in common.
        chance: Whether to simulate what judges who flip coins would reach, which takes seconds a set.

    Raises:
        UserError: An image lacks a human score that others have, or a pair is of no set of the list.
    """
    listed = find_dataset(base.dataset)
    if listed and listed.pairing in TABLES:
        return _score_fine(reading, base, listed)
    by_dataset: dict[str | None, list[Presented]] = {}
    for one in reading.presented:
        by_dataset.setdefault(one.dataset, []).append(one)
    return [_score_set(reading, base, listed, name, shown, chance) for name, shown in by_dataset.items()]


def turned(samples: Iterable[Sample], facts: DatasetFacts | None) -> list[Sample]:
    """Mark the scores of a DMOS dataset as such, for published lists do not say so themselves."""
    lower = facts is not None and facts.lower_is_better
    return [replace(one, lower_is_better=True) if lower else one for one in samples]


def _score_set(
    reading: Reading,
    base: Result,
    listed: DatasetFacts | None,
    name: str | None,
    presented: Sequence[Presented],
    chance: bool,
) -> Result:
    comparisons = Comparisons.of((one.first, one.second, one.choice) for one in presented)
    facts = find_dataset(name) if name else None
    human = _human_scores(reading, comparisons.items, facts)
    images = len(comparisons.items)
    short = listed.short_of(facts.name, images) if listed and facts else {}
    most = listed.sets.get(facts.name, images) if listed and facts else images
    return replace(
        base,
        dataset=facts.name if facts else name or base.dataset,
        split=base.split if images <= most else None,  # more images than the list has are not its own
        metrics=comparison_summary.summarise_comparisons(comparisons, human),
        groups={"chance": {"coin-flip judge": comparison_summary.chance_agreement(comparisons, human)}}
        if human and chance
        else {},
        unscored={"no usable answer": comparisons.unscored} if comparisons.unscored else {},
        protocol={
            **base.protocol,
            **_rounds(len(presented), [images]),
            **short,
            "ranking": "map",
            "pairs": "consistent, or shown in one order",
        },
        status=_status(comparisons),
    )


def _score_fine(reading: Reading, base: Result, listed: DatasetFacts) -> list[Result]:
    """Many small sets of images that are close in quality, which their names or scores tell; each is ranked apart."""
    names = dict.fromkeys(name for one in reading.presented for name in (one.first, one.second))
    if len(names) > (listed.items or len(names)):
        raise UserError(
            f"{reading.path.name} compares {len(names):,} images, and {listed.title} has {listed.items}; "
            "choose the dataset that the images are from"
        )
    known = turned((reading.samples.get(name) or Sample(name, (name,)) for name in names), listed)
    samples = [
        replace(one, id=name, groups={**one.groups, **listed.groups_of(one.id)})
        for name, one in zip(names, known, strict=True)
    ]
    sets = find_sets(samples, listed.pairing)
    set_of = {image: name for name, images in sets.items() for image in images}
    complaints = Complaints(reading.path)
    for one in reading.presented:
        if set_of.get(one.first) is None or set_of[one.first] != set_of.get(one.second):
            complaints.add(f"{shorten(one.first)} and {shorten(one.second)} are of different sets")
    complaints.raise_if_any(f"{listed.title} compares images of one set alone")
    presented = [replace(one, dataset=set_of[one.first]) for one in reading.presented]
    protocol = {
        **base.protocol,
        "pairing": listed.pairing,
        **_rounds(len(presented), [len(images) for images in sets.values()]),
        **({"limit": len(names)} if len(names) < (listed.items or 0) else {}),
    }
    status = _status(Comparisons.of((one.first, one.second, one.choice) for one in presented))
    outcome = Outcome(presented=presented, protocol=protocol)
    return comparison_results(outcome, replace(base, protocol=protocol, status=status), samples)


def _rounds(shown: int, sizes: Sequence[int]) -> dict[str, float | str]:
    """For a record's protocol: how many rounds so many presented comparisons are, of sets of these sizes.

    The released code keeps one file a pair, so one that is drawn again in the same order replaces its file. What its
    schedule leaves in that way is all of it.
    """
    left = sum(len(np.unique(pairing.coarse_rounds(size) @ [size, 1])) for size in sizes)
    if shown == 2 * left:
        return {"rounds": pairing.ROUNDS, "repeated_pairs": "counted once"}
    return {"rounds": round(shown / sum(size // 2 * 2 for size in sizes), 2)}


def _status(comparisons: Comparisons) -> Mapping[str, int]:
    read = len(comparisons.outcome)
    return {
        "read": read,
        "scored": read - comparisons.unscored,
        "in_one_order_only": paired_orders(comparisons).unpaired,
    }


def _human_scores(reading: Reading, items: Iterable[str], facts: DatasetFacts | None) -> dict[str, float] | None:
    """Human score of each image, higher better; None where no truth was given."""
    if not reading.samples:
        return None
    human = {}
    for item in items:
        [sample] = turned([reading.samples[item]], facts)
        value = assessment.human_score(sample)
        if value is None:
            raise UserError(f"{reading.path.name}: {shorten(item)} has no human score in the truth")
        human[item] = value
    return human
