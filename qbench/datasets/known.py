"""Facts about the datasets of the papers: what they are called, how many items, which way their scores run."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path


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
    """File of samples, as its publisher calls it; None where only results of it are known here."""
    get: str = ""
    """What to download, and where from."""
    licence: str = ""
    parts: Mapping[str, str] = field(default_factory=dict)
    """File-name prefix -> part; metrics are computed in each part and averaged (CGIQA-6K's protocol)."""

    def part_of(self, image: str) -> str | None:
        """The part an image belongs to, by its file name."""
        name = image.rsplit("/", 1)[-1]
        return next((part for prefix, part in self.parts.items() if name.startswith(prefix)), None)


def find_dataset(name: str) -> DatasetFacts | None:
    """The dataset this name or alias means; None for one's own."""
    return _by_alias().get(_plain(name))


@cache
def known_datasets() -> tuple[DatasetFacts, ...]:
    """Every dataset this project has facts about."""
    rows = json.loads(Path(__file__).with_name("known.json").read_text(encoding="utf-8"))
    return tuple(DatasetFacts(**{**row, "aliases": tuple(row["aliases"])}) for row in rows)


@cache
def _by_alias() -> dict[str, DatasetFacts]:
    return {_plain(alias): one for one in known_datasets() for alias in (one.name, one.title, *one.aliases)}


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())
