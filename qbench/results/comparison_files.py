"""Comparisons that a file holds -> records, by the builder that makes those of a run.

A file does not say by which rule its pairs were drawn, nor in how many rounds; both follow from the published list that
its images are from, and from how many comparisons there are. 2AFC prompting, https://arxiv.org/abs/2402.01162.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from qbench import pairing
from qbench.datasets.known import DatasetFacts, find_dataset
from qbench.errors import UserError
from qbench.formats.reading import Reading
from qbench.records import Presented, Result, Sample
from qbench.results.comparison import TABLES, build, by_set
from qbench.results.joining import with_score_direction
from qbench.rows import Complaints, shorten
from qbench.stats.pairwise import Comparisons, paired_orders
from qbench.tasks import Outcome
from qbench.tasks.assessment import human_score
from qbench.tasks.comparison import find_sets

UNNAMED = "unnamed"
"""Stands for a dataset or a model that nobody named."""


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
        return _score_fine(reading, base, listed, chance)
    sets = by_set(reading.presented)
    return [
        result
        for name, presented in sets.items()
        for result in _score_set(reading, _named_by_file(base, name, len(sets)), name, presented, chance)
    ]


def _named_by_file(base: Result, name: str, sets: int) -> Result:
    """The record of a set that the file names, where nobody names the dataset; of a list's sets each is named later."""
    facts, listed = find_dataset(name), find_dataset(base.dataset)
    if listed and facts and facts.name in listed.sets:
        return base
    if base.dataset == UNNAMED:
        return replace(base, dataset=facts.name if facts else name or UNNAMED)
    return base if sets == 1 else replace(base, dataset=f"{base.dataset}/{name}")


def _score_set(reading: Reading, base: Result, name: str, presented: Sequence[Presented], chance: bool) -> list[Result]:
    comparisons = Comparisons.of_presented(presented)
    samples = _rated_samples(reading, comparisons.items, find_dataset(name) if name else None)
    rounds = _rounds(len(presented), [len(comparisons.items)])
    outcome = Outcome(presented=presented, simulate_chance=chance, protocol={"pairing": "coarse"})
    base = replace(base, protocol={**base.protocol, **rounds}, status=_status(comparisons))
    return build(outcome, base, [replace(sample, groups={"set": name}) for sample in samples])


def _score_fine(reading: Reading, base: Result, listed: DatasetFacts, chance: bool) -> list[Result]:
    """Many small sets of images that are close in quality, which their names or scores tell; each is ranked apart."""
    names = dict.fromkeys(name for shown in reading.presented for name in (shown.first, shown.second))
    if len(names) > (listed.items or len(names)):
        raise UserError(
            f"{reading.path.name} compares {len(names):,} images, and {listed.title} has {listed.items}; "
            "choose the dataset that the images are from"
        )
    known = with_score_direction((reading.samples.get(name) or Sample(name, (name,)) for name in names), listed)
    samples = [
        replace(sample, id=name, groups={**sample.groups, **listed.groups_of(sample.id)})
        for name, sample in zip(names, known, strict=True)
    ]
    sets = find_sets(samples, listed.pairing)
    set_of = {image: name for name, images in sets.items() for image in images}
    complaints = Complaints(reading.path)
    for shown in reading.presented:
        if set_of.get(shown.first) is None or set_of[shown.first] != set_of.get(shown.second):
            complaints.add(f"{shorten(shown.first)} and {shorten(shown.second)} are of different sets")
    complaints.raise_if_any(f"{listed.title} compares images of one set alone")
    presented = [replace(shown, dataset=set_of[shown.first]) for shown in reading.presented]
    protocol = {
        **base.protocol,
        "pairing": listed.pairing,
        **_rounds(len(presented), [len(images) for images in sets.values()]),
        **({"limit": len(names)} if len(names) < (listed.items or 0) else {}),
    }
    outcome = Outcome(presented=presented, simulate_chance=chance, protocol=protocol)
    status = _status(Comparisons.of_presented(presented))
    return build(outcome, replace(base, protocol=protocol, status=status), samples)


def _rounds(presentations: int, sizes: Sequence[int]) -> dict[str, float | str]:
    """For a record's protocol: how many rounds so many presented comparisons are, of sets of these sizes.

    The released code keeps one file a pair, so one that is drawn again in the same order replaces its file. What its
    schedule leaves in that way is all of it.
    """
    left = sum(len(np.unique(pairing.coarse_rounds(size) @ [size, 1])) for size in sizes)
    if presentations == 2 * left:
        return {"rounds": pairing.ROUNDS, "repeated_pairs": "counted once"}
    return {"rounds": round(presentations / sum(size // 2 * 2 for size in sizes), 2)}


def _status(comparisons: Comparisons) -> Mapping[str, int]:
    read = len(comparisons.outcome)
    return {
        "read": read,
        "scored": read - comparisons.unscored,
        "in_one_order_only": paired_orders(comparisons).unpaired,
    }


def _rated_samples(reading: Reading, items: Iterable[str], facts: DatasetFacts | None) -> list[Sample]:
    """The images that were compared, by the names that the file gives them; without scores where no truth was given."""
    samples = []
    for item in items:
        [sample] = with_score_direction([reading.samples[item] if reading.samples else Sample(item, (item,))], facts)
        if reading.samples and human_score(sample) is None:
            raise UserError(f"{reading.path.name}: {shorten(item)} has no human score in the truth")
        samples.append(replace(sample, id=item))
    return samples
