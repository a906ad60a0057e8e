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
def _by_alias() -> dict[str, DatasetFacts]:
    rows = json.loads(Path(__file__).with_name("known.json").read_text(encoding="utf-8"))
    facts = [DatasetFacts(**{**row, "aliases": tuple(row["aliases"])}) for row in rows]
    return {_plain(alias): one for one in facts for alias in (one.name, one.title, *one.aliases)}


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())
