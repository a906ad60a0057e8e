"""Which published list a file of samples is, told from what it holds: copies of a list go by many names."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable

from qbench.datasets.known import DatasetFacts, find_dataset, known_datasets
from qbench.records import Sample

SET = "set"
"""Grouping for the image sets of a 2AFC list, which are compared each on its own."""


def find_published_list(samples: Collection[Sample]) -> DatasetFacts | None:
    """The dataset whose published list holds exactly these samples, with these human scores; None for others."""
    as_many = [facts for facts in known_datasets() if facts.contents and facts.items == len(samples)]
    digest = content_digest(samples) if as_many else ""
    return next((facts for facts in as_many if facts.contents == digest), None)


def list_with_sets(names: Iterable[str]) -> DatasetFacts | None:
    """The published list that has image sets of all these names, whatever images are in them; None where none has."""
    sets = [find_dataset(name) for name in set(names)]
    lists = (facts for facts in known_datasets() if facts.sets)
    return next((facts for facts in lists if all(known and known.name in facts.sets for known in sets)), None)


def dmos_dataset(sample: Sample) -> DatasetFacts | None:
    """The dataset of DMOS that an image whose score is taken as a MOS is named after; None for all others."""
    if sample.human is None or sample.lower_is_better:
        return None
    lists = (facts for facts in known_datasets() if facts.lower_is_better and facts.file_name)
    named = next((facts for facts in lists if facts.has_its_naming(sample.id)), None)
    return named and find_dataset(named.sampled_from or named.name)


def content_digest(samples: Collection[Sample]) -> str:
    """SHA-256 of sets, image names, questions and human scores, whatever their order, folders and file format."""
    return hashlib.sha256("\n".join(sorted(map(_content, samples))).encode()).hexdigest()


def _content(sample: Sample) -> str:
    names = [image.replace("\\", "/").rsplit("/", 1)[-1] for image in sample.images]
    given = sample.groups.get(SET, "")
    known = find_dataset(given) if given else None
    return json.dumps([known.name if known else given, names, sample.question, sample.human])
