"""`merge`: the records of a run from its parts; the same dataset is read again, and no model is asked."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from qbench.cache import Cache, response_key
from qbench.commands.run import evaluate
from qbench.commands.shards import ANSWERS, FILES, SCHEMA, Shard, shard_of
from qbench.datasets import open_dataset
from qbench.errors import UserError
from qbench.records import Prompt, Response, Result, Want
from qbench.rows import unique_fields
from qbench.tasks import RunOptions

_FIELDS = ("schema", "task", "dataset", "options", "model", "judge", "shard", "failed")
_ALIKE = ("task", "dataset", "options", "model", "judge")


@dataclass(frozen=True)
class Asked:
    """Who was asked: enough to plan the same run without the model, which answers nothing but how it failed."""

    name: str
    wants: frozenset[Want]
    identity: Mapping[str, Any]
    failed: Mapping[str, Response] = field(default_factory=dict)
    shards: int = 1
    batch_size: int = 64

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        """The failures of prompts that failed.

        Raises:
            UserError: One was not asked.
        """
        keys = [response_key(self.identity, prompt) for prompt in prompts]
        for key, prompt in zip(keys, prompts, strict=True):
            if key not in self.failed:
                raise UserError(
                    f"shard {shard_of(prompt, self.shards)}/{self.shards} lacks an answer that this dataset needs: "
                    "its answers were cut off, or images differ from those that it saw; run its command again here"
                )
        return [self.failed[key] for key in keys]


def merge(
    places: Sequence[Path],
    out: Path,
    *,
    dataset: str | None = None,
    images: Path | None = None,
) -> list[Result]:
    """Make the records of a run from its parts, as if it had been run whole.

    Args:
        places: Files of finished parts, or folders that hold them.
        out: Where to write records, with all answers.
        dataset: Where the dataset is here, if not where the parts found it.
        images: The same of its images.

    Raises:
        UserError: Parts are missing, there twice or of different runs, or the dataset is not the one they saw.
    """
    files = [file for place in places for file in (sorted(place.glob(FILES)) if place.is_dir() else [place])]
    if not files:
        raise UserError(f"there is no finished shard in {places[0]}; run --shard leaves a file {FILES} when it is done")
    parts = {file: _read(file) for file in files}
    first, what = next(iter(parts.items()))
    for file, part in parts.items():
        for name in _ALIKE:
            if part[name] != what[name]:
                raise UserError(
                    f"{file} and {first} are of different runs: their {name} differs; merge one run at a time"
                )
    _check_whole(parts)
    opened = {**what["dataset"], **({"name": dataset} if dataset else {}), **({"images": images} if images else {})}
    revision = opened.pop("revision")
    samples = open_dataset(
        **{**opened, "images": Path(opened["images"]) if opened["images"] else None}, task=what["task"]
    )
    if samples.revision != revision:
        raise UserError(f"{opened['name']} is not the list that the shards were run on; name that one with --dataset")
    cache = Cache(out / ANSWERS)
    for folder in dict.fromkeys(file.parent for file in files):
        if folder.resolve() != out.resolve():
            cache.add_all(Cache(folder / ANSWERS))
    failed = {key: Response(**told) for part in parts.values() for key, told in part["failed"].items()}
    model, judge = (
        Asked(told["name"], frozenset(told["wants"]), told["identity"], failed, what["shard"][1]) if told else None
        for told in (what["model"], what["judge"])
    )
    assert model is not None
    return evaluate(what["task"], samples, model, out, judge=judge, options=RunOptions(**what["options"]))


def _read(file: Path) -> dict[str, Any]:
    try:
        told: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"), object_pairs_hook=unique_fields)
        if told["schema"] != SCHEMA or [*told] != [*_FIELDS]:
            raise ValueError
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as fault:
        raise UserError(f"{file} is not what run --shard leaves; give its file {FILES}, or the folder") from fault
    return told


def _check_whole(parts: Mapping[Path, Mapping[str, Any]]) -> None:
    """Each part once."""
    found: dict[tuple[int, int], Path] = {}
    for file, part in parts.items():
        number, of = part["shard"]
        if (number, of) in found:
            raise UserError(f"{file} and {found[number, of]} are both shard {number}/{of}; give each shard once")
        found[number, of] = file
    counts = sorted({of for _, of in found})
    if len(counts) > 1:
        raise UserError(f"these are shards of {counts[0]} and of {counts[-1]}; merge those of one division")
    missing = [str(Shard(number, counts[0])) for number in range(1, counts[0] + 1) if (number, counts[0]) not in found]
    if missing:
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        raise UserError(f"not there: shard {', '.join(missing[:5])}{more}; run what is missing, then merge again")
