"""The result folders of the 2AFC study's code, zipped: one file per pair, `IMAGE_VS_IMAGE.json`.

Each holds what was answered in both orders. Its pickled matrices are never opened, for a pickle can run anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Literal

from qbench.datasets.known import find_dataset
from qbench.errors import DataError
from qbench.formats.format import FormatDescription
from qbench.formats.reading import Reading
from qbench.records import Presented, Sample
from qbench.rows import MOST_BAD, Complaints, Row, digest, read_rows, shorten
from qbench.tasks import TASKS, comparison

FIELDS = "answer1, answer2, img1_mos, img2_mos, in a file named IMAGE_VS_IMAGE.json"
EXAMPLE = '{"consistency": true, "winner": "img1", "answer1": "first", "answer2": "second", "img1_mos": 3.5, …}'
DESCRIPTION = FormatDescription(
    "Result folders of the 2AFC study, zipped: one stage or all of a model",
    "files named `IMAGE_VS_IMAGE.json` in a folder named after the list they asked, such as `Coarse_grained_mixed` or "
    "`Fine_grain_SPAQ`; images begin with their set, such as `CSIQ_`. With other names, choose the dataset or list",
    ("twoafc-results.zip",),
)
_BETWEEN = "_VS_"
_INSIDE = ("textual_results", "performances", "map_results")
"""Folders of a stage, which is itself in the folder of a model."""
_ROUND = re.compile(r"(.+)_Round_\d+\.json")
_ANSWERS: Mapping[object, Literal["first", "second", "tie"]] = {"first": "first", "second": "second", "draw": "tie"}


def holds_pairs(names: Iterable[str]) -> bool:
    """Whether files of these names are such a folder."""
    return any(_is_pair(PurePosixPath(name)) for name in names)


def read_stages(files: Mapping[str, Path], archive: Path, allowed: float = MOST_BAD) -> list[Reading]:
    """Every stage of the study that the archive holds, each pair as two presented comparisons.

    Args:
        files: Name -> where it lies now.
        archive: What it was packed in, for its name and digest.
        allowed: Share of the pairs that are left out where they cannot be used.
    """
    stages: dict[PurePosixPath, dict[PurePosixPath, Path]] = {}
    for name, path in files.items():
        member = PurePosixPath(name)
        above = member.parent
        stages.setdefault(above.parent if above.name in _INSIDE else above, {})[member] = path
    return [
        _read_stage(stage.name, members, Complaints(archive, allowed))
        for stage, members in stages.items()
        if any(map(_is_pair, members))
    ]


def _read_stage(stage: str, files: Mapping[PurePosixPath, Path], complaints: Complaints) -> Reading:
    """One stage. Its folder is named after the list it asked; images after the set that they are from."""
    presented: list[Presented] = []
    samples: dict[str, Sample] = {}
    only = _only_set(files)
    for name, path in files.items():
        if not _is_pair(name):
            continue
        first, _, second = name.stem.partition(_BETWEEN)
        try:
            row = _only(path)
            for image, key in ((first, "img1_mos"), (second, "img2_mos")):
                if row.data.get(key) is not None:
                    samples[image] = Sample(image, (image,), human=row.number(key))
        except DataError as fault:
            complaints.add(f"{shorten(str(name))}: {str(fault).removeprefix(path.name + ': ')}")
            continue
        found = _set_of(first) or only
        presented.append(Presented(first, second, _ANSWERS.get(_text(row, "answer1")), found))
        presented.append(Presented(second, first, _ANSWERS.get(_text(row, "answer2")), found))
    pairs = sum(map(_is_pair, files))
    complaints.raise_if_many(pairs, "mend or remove them and pack the folder again")
    shown = {name for pair in presented for name in (pair.first, pair.second)}
    listed = find_dataset(stage)
    return Reading(
        path=complaints.path,
        kind="comparisons",
        task=comparison.NAME,
        samples=samples if shown <= samples.keys() else {},
        responses={},
        presented=tuple(presented),
        status={"read": len(presented), "repeated": 0},
        sha256=digest(complaints.path),
        dataset=listed.name if listed and listed.task == comparison.NAME else "",
        complaints=complaints,
    )


def _is_pair(name: PurePosixPath) -> bool:
    return _BETWEEN in name.stem and name.suffix == ".json"


def _only_set(files: Iterable[PurePosixPath]) -> str | None:
    """The set that the summaries of rounds are about, where it is one alone."""
    named = {found[1] for name in files if (found := _ROUND.fullmatch(name.name))}
    return _set_of(named.pop()) if len(named) == 1 else None


def _set_of(name: str) -> str | None:
    """The dataset that the name of an image, or of a summary, begins with; its folders are joined by underscores."""
    facts = find_dataset(name.partition("_")[0])
    return facts.name if facts and TASKS[facts.task].rates_images else None


def rename_images(reading: Reading, samples: Sequence[Sample]) -> Reading:
    """Images by the names that a list gives them: in file names, slashes became underscores and .png was dropped."""
    names = {_flat(sample.id): sample.id for sample in samples}

    def called(name: str) -> str:
        return names.get(_flat(name), name)

    return replace(
        reading,
        presented=tuple(
            replace(pair, first=called(pair.first), second=called(pair.second)) for pair in reading.presented
        ),
        samples={called(name): replace(sample, id=called(name)) for name, sample in reading.samples.items()},
    )


def _flat(name: str) -> str:
    return name.replace("/", "_").replace(".png", "")


def _only(path: Path) -> Row:
    rows = list(read_rows(path, most=1))
    if not {"answer1", "answer2"} <= rows[0].data.keys():
        raise DataError(f"{path.name}: has no answer1 and answer2")
    return rows[0]


def _text(row: Row, key: str) -> str:
    value = row.data[key]
    return value if isinstance(value, str) else json.dumps(value)[:20]
