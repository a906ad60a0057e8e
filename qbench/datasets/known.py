"""Facts about the datasets of the papers: what they are called, how many items, which way their scores run."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

from qbench.datasets.sources import SourceFiles, read_sources
from qbench.records import Sample

SYNTHETIC = "construction (synthetic)"
"""What a record's protocol says of the truth of a demo set."""


@dataclass(frozen=True)
class DatasetFacts:
    """What is known of a dataset without having its images."""

    name: str
    title: str
    task: str
    aliases: tuple[str, ...] = ()
    split: str | None = None
    items: int | None = None
    lower_is_better: bool = False
    """True where the published scores are DMOS."""
    sample_list: str | None = None
    """File of samples, as its publisher calls it; None where there is no such list, or only results are known here."""
    unlisted: bool = False
    """Whether its publisher has no such list; it is made of all images."""
    get: str = ""
    """What to download, and where from."""
    licence: str = ""
    fetch: tuple[SourceFiles, ...] = ()
    """Where its files are fetched from; empty where they are not there for all to take, or have to be put in place."""
    form: str = ""
    """The address of the form that its publisher wants filled in first."""
    column: str = ""
    """Label of its column in UniSim-Bench's tables; only datasets with one count in the benchmark's averages."""
    variant_of: str = ""
    """The dataset of those tables that it is by another rule; it does not count there."""
    truth: Literal["people", "construction"] = "people"
    """Whose answers count as right: people's, or what was done to a demo set's pictures."""
    parts: Mapping[str, str] = field(default_factory=dict)
    """File-name prefix -> part; metrics are computed in each part and averaged (CGIQA-6K's protocol)."""
    pairing: str = "coarse"
    """By which rule its images are compared, unless a run says otherwise."""
    sampled_from: str | None = None
    """The dataset that a list of images to compare was sampled from, where it is one."""
    sets: Mapping[str, int] = field(default_factory=dict)
    """Where it samples several datasets: how many images of each."""
    file_name: str = ""
    """Groupings that the dots of its file names separate, such as `content.type.level`."""
    codes: Mapping[str, str] = field(default_factory=dict)
    """A group as file names spell it -> as it is called here."""
    unknown_codes: tuple[str, ...] = ()
    """Groupings whose numbers nobody has published the meaning of; what stands there is left out."""
    contents: str = ""
    """Digest of its published list (`qbench.datasets.recognise`), which goes by many file names."""

    @property
    def record_name(self) -> str:
        """What records call it: pairs are called by the name of the dataset that they are drawn from."""
        return self.sampled_from or self.name

    @property
    def opens(self) -> bool:
        """Whether it can be run by name; of others only published results are known here."""
        return bool(self.get)

    def part_of(self, image: str) -> str | None:
        """The part an image belongs to, by its file name."""
        name = image.rsplit("/", 1)[-1]
        return next((part for prefix, part in self.parts.items() if name.startswith(prefix)), None)

    def limit_for(self, dataset: str, images: int) -> dict[str, int]:
        """What a record's protocol says of so many images of a sampled dataset: their number, if they are not all."""
        return {"limit": images} if images < self.sets.get(dataset, 0) else {}

    def with_known_groups(self, sample: Sample) -> Sample:
        """The sample without the groups that were read from numbers of unknown meaning."""
        groups = {grouping: group for grouping, group in sample.groups.items() if grouping not in self.unknown_codes}
        return replace(sample, groups=groups)

    def has_its_naming(self, image: str) -> bool:
        """Whether a file is named by the rule of this dataset's file names; False where it has none."""
        groupings, parts = self.file_name.split("."), image.rsplit("/", 1)[-1].split(".")
        told = parts[1:-1]  # after the content, which may be anything, and before the extension
        as_many = bool(self.file_name) and len(parts) == len(groupings) + 1
        return as_many and all(group in self.codes for group in told)

    def groups_of(self, image: str) -> dict[str, str]:
        """What the file name of an image says about it."""
        groups = {"part": self.part_of(image) or ""} if self.parts else {}
        if self.file_name:
            said = zip(self.file_name.split("."), image.rsplit("/", 1)[-1].split("."), strict=False)
            groups |= {grouping: self.codes.get(group, group) for grouping, group in said}
        return groups


def find_dataset(name: str) -> DatasetFacts | None:
    """The dataset this name or alias means; None for one's own."""
    return _by_alias().get(_plain(name))


@cache
def known_datasets() -> tuple[DatasetFacts, ...]:
    """Every dataset this project has facts about."""
    rows = json.loads(Path(__file__).with_name("known.json").read_text(encoding="utf-8"))
    sources = {row["name"]: read_sources(row.get("fetch", [])) for row in rows}
    return tuple(_facts(row, sources) for row in rows)


def _facts(row: Mapping[str, Any], sources: Mapping[str, tuple[SourceFiles, ...]]) -> DatasetFacts:
    """Facts of one object of `known.json`; a list by another rule is made from the same files."""
    lists = {name: tuple(row.get(name, ())) for name in ("aliases", "unknown_codes")}
    fetch = sources[row["name"]] or sources.get(row.get("variant_of", ""), ())
    return DatasetFacts(**{**row, **lists, "fetch": fetch})


@cache
def benchmark_datasets() -> Mapping[str, tuple[DatasetFacts, ...]]:
    """Task -> the datasets of UniSim-Bench's tables, in the order of their columns."""
    found: dict[str, tuple[DatasetFacts, ...]] = {}
    for facts in known_datasets():
        if facts.column:
            found[facts.task] = (*found.get(facts.task, ()), facts)
    return found


@cache
def _by_alias() -> dict[str, DatasetFacts]:
    return {_plain(alias): facts for facts in known_datasets() for alias in (facts.name, facts.title, *facts.aliases)}


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())
