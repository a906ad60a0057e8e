"""Facts about the datasets of the papers: names, number of items, which way scores run, where files lie on the net.

A published list is told from what it holds, too, for copies of a list go by many names.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Literal

from qbench.records import Sample

SET = "set"
"""Grouping for the image sets of a 2AFC list, which are compared each on its own."""
SYNTHETIC = "construction (synthetic)"
"""What a record's protocol says of the truth of a demo set."""


@dataclass(frozen=True)
class SourceFiles:
    """Files of a dataset that lie in one place."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}
    host: Literal["hub", "github", "web"]
    repo: str
    """`owner/name` of a dataset on the Hub or of a repository on GitHub; the address of the folder elsewhere."""
    files: tuple[str, ...]
    """Names, or patterns such as `data/dev-*.parquet`."""
    revision: str = ""
    """The commit whose files were looked at; without one the newest is taken, and recorded beside the data."""
    bytes: int | None = None
    """About how large they are together, as their host lists them; exact sizes are asked for before anything comes."""
    sha256: Mapping[str, str] = field(default_factory=dict)
    """File -> digest, where it has been published elsewhere than by the host."""
    licence: str = ""
    """What the repository says, where that is not what the dataset's own publisher says."""
    members: str = ""
    """Pattern of those members of an archive that are unpacked; all, where it is empty."""
    own_folders: bool = False
    """Whether each archive is unpacked into a folder of its own name, beside it."""

    @property
    def page(self) -> str:
        """The address a person reads about it at."""
        prefix = {"hub": "https://huggingface.co/datasets/", "github": "https://github.com/", "web": ""}
        return prefix[self.host] + self.repo


@dataclass(frozen=True)
class DatasetFacts:
    """What is known of a dataset without having its images."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}
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
    """Digest of its published list (`content_digest`), which goes by many file names."""

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
    """Every dataset this project has facts about; a list by another rule is made from the same files."""
    from pydantic import TypeAdapter

    rows = TypeAdapter(list[DatasetFacts]).validate_json(Path(__file__).with_name("known.json").read_bytes())
    fetch = {facts.name: facts.fetch for facts in rows}
    return tuple(replace(facts, fetch=facts.fetch or fetch.get(facts.variant_of, ())) for facts in rows)


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
    named = next((facts for facts in _lists_of_dmos() if facts.has_its_naming(sample.id)), None)
    return named and find_dataset(named.sampled_from or named.name)


@cache
def _lists_of_dmos() -> list[DatasetFacts]:
    return [facts for facts in known_datasets() if facts.lower_is_better and facts.file_name]


def content_digest(samples: Collection[Sample]) -> str:
    """SHA-256 of sets, image names, questions and human scores, whatever their order, folders and file format."""
    return hashlib.sha256("\n".join(sorted(map(_content, samples))).encode()).hexdigest()


def _content(sample: Sample) -> str:
    names = [image.replace("\\", "/").rsplit("/", 1)[-1] for image in sample.images]
    given = sample.groups.get(SET, "")
    known = find_dataset(given) if given else None
    return json.dumps([known.name if known else given, names, sample.question, sample.human])


def list_of_set(facts: DatasetFacts, task: str | None = None) -> DatasetFacts | None:
    """The published list that has this dataset as one of its sets, where that is what is asked for.

    The coarse study of 2AFC prompting has eight: Zhu et al. (2024), Sec. III and Table I,
    https://arxiv.org/abs/2402.01162.
    """
    if (task or facts.task) != "comparison":
        return None
    return next((listed for listed in known_datasets() if facts.name in listed.sets), None)


def set_of(sample: Sample) -> DatasetFacts | None:
    """The dataset of the image set that a sample is in, however its list spells the name."""
    name = sample.groups.get(SET)
    return find_dataset(name) if name else None
