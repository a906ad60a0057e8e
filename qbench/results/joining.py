"""What a file says was asked, joined with the truth that is known of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace

from qbench.datasets.known import DatasetFacts
from qbench.formats.answers import question_key
from qbench.formats.reading import Reading
from qbench.records import Response, Sample
from qbench.rows import Complaints, shorten


def with_score_direction(samples: Iterable[Sample], facts: DatasetFacts | None) -> list[Sample]:
    """Samples whose scores are marked as DMOS where the dataset's are, for published lists do not say so themselves."""
    lower = facts is not None and facts.lower_is_better
    return [replace(sample, lower_is_better=True) if lower else sample for sample in samples]


def with_truth(reading: Reading, truth: Sequence[Sample], source: str) -> Reading:
    """The reading with the truth's samples in place of the file's, joined by question, id or image, in their order.

    What is not in the truth, or twice, is left out and counted with the records that cannot be used.

    Raises:
        DataError: It is more than may be left out; the first of it, named by `source`.
    """
    index = _index(truth)
    complaints = deepcopy(reading.complaints) or Complaints(reading.path)
    left_out = complaints.count
    samples: dict[str, Sample] = {}
    responses: dict[str, Response] = {}
    named = [name for shown in reading.presented for name in (shown.first, shown.second)]
    asked: Mapping[str, Sample] = {name: Sample(id=name, images=(name,)) for name in named} or reading.samples
    for own, sample in asked.items():
        known = next((index[key] for key in _keys(sample) if index.get(key) is not None), None)
        if known is None:
            complaints.add(f"{shorten(own)} is not in {source}")
            continue
        if _differ(sample, known):
            complaints.add(f"{shorten(own)} is another question in {source}")
            continue
        as_shown = _as_shown(sample.options, known)
        if as_shown is None:
            complaints.add(f"{shorten(own)} has other options in {source}")
            continue
        # Comparisons go on naming images as the file does; everything else takes the truth's id.
        key = own if reading.presented else known.id
        if key in samples:
            complaints.add(f"{shorten(own)} is the second record that {shorten(key)} in {source} could mean")
            continue
        samples[key] = as_shown
        if own in reading.responses:
            responses[known.id] = replace(reading.responses[own], sample=known.id)
    complaints.raise_if_many(len(asked) + left_out, "remove them or give the truth that belongs to this file")
    missing = 0 if reading.presented else len(truth) - len(samples)
    presented = tuple(shown for shown in reading.presented if {shown.first, shown.second} <= samples.keys())
    if not reading.presented:  # in the order of the list, as a run asks, so that intervals are drawn alike
        samples = {sample.id: samples[sample.id] for sample in truth if sample.id in samples}
        responses = {name: responses[name] for name in samples if name in responses}
    status = {**reading.status, "missing": missing}
    return replace(
        reading, samples=samples, responses=responses, presented=presented, status=status, complaints=complaints
    )


def _as_shown(options: Sequence[str], known: Sample) -> Sample | None:
    """The known question with its options in the order that the file says, which the letters of its replies are of.

    None where they are other options.
    """
    shown, listed = ([option.strip().casefold() for option in some] for some in (options, known.options))
    if not shown or not listed or shown == listed:
        return known
    if sorted(shown) != sorted(listed) or len(set(shown)) < len(shown):
        return None
    answer = None if known.answer is None else shown.index(listed[known.answer])
    return replace(known, options=tuple(options), answer=answer)


def _index(truth: Sequence[Sample]) -> dict[str, Sample | None]:
    """Key -> sample; None where several samples share a key, so that it names none of them."""
    index: dict[str, Sample | None] = {}
    for sample in truth:
        without_image = [] if sample.question is None else [question_key((), sample.question)]
        for key in dict.fromkeys([*_keys(sample), *without_image]):
            index[key] = None if key in index and index[key] != sample else sample
    return index


def _keys(sample: Sample) -> list[str]:
    """What a sample may be called, surest first: numbering habits differ, so a question goes before an id."""
    if sample.question is not None:
        asked = [question_key(names, sample.question) for names in (sample.images, _base_names(sample))]
        return [*asked, f"id {sample.id}"]
    return [f"id {sample.id}", *(f"image {name}" for name in (*sample.images[:1], *_base_names(sample)[:1]))]


def _base_names(sample: Sample) -> list[str]:
    return [name.rsplit("/", 1)[-1] for name in sample.images]


def _differ(sample: Sample, known: Sample) -> bool:
    """Whether two samples that share an id are about different things; prompts may surround the question."""
    other_question = sample.question is not None and (known.question or "") not in sample.question
    return other_question or (bool(sample.images and known.images) and _base_names(sample) != _base_names(known))
