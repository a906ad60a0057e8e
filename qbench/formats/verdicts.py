"""The result folders of the 2AFC study's code, zipped: one file per pair, `IMAGE_VS_IMAGE.json`.

Each holds what was answered in both orders. Its pickled matrices are never opened, for a pickle can run anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Literal

from qbench.errors import DataError
from qbench.formats.reading import Reading
from qbench.records import Presented, Sample
from qbench.rows import Complaints, Row, digest, read_rows, shorten

FIELDS = "answer1, answer2, img1_mos, img2_mos, in a file named IMAGE_VS_IMAGE.json"
EXAMPLE = '{"consistency": true, "winner": "img1", "answer1": "first", "answer2": "second", "img1_mos": 3.5, …}'
KIND = "2AFC verdicts"
_BETWEEN = "_VS_"
_ANSWERS: Mapping[object, Literal["first", "second", "tie"]] = {"first": "first", "second": "second", "draw": "tie"}


def are_here(names: Sequence[str]) -> bool:
    """Whether files of these names are such a folder."""
    return any(_BETWEEN in name and name.endswith(".json") for name in names)


def read(files: Mapping[str, Path], archive: Path) -> Reading:
    """Every pair of the folder as two presented comparisons.

    Args:
        files: Name -> where it lies now.
        archive: What it was packed in, for its name and digest.
    """
    complaints = Complaints(archive)
    presented: list[Presented] = []
    samples: dict[str, Sample] = {}
    for name, path in files.items():
        first, between, second = PurePosixPath(name).stem.partition(_BETWEEN)
        if not between or not name.endswith(".json"):
            continue
        try:
            row = _only(path)
            for image, key in ((first, "img1_mos"), (second, "img2_mos")):
                if row.data.get(key) is not None:
                    samples[image] = Sample(image, (image,), human=row.number(key))
        except DataError as fault:
            complaints.add(f"{shorten(name)}: {str(fault).removeprefix(path.name + ': ')}")
            continue
        presented.append(Presented(first, second, _ANSWERS.get(_text(row, "answer1"))))
        presented.append(Presented(second, first, _ANSWERS.get(_text(row, "answer2"))))
    complaints.raise_if_any("mend or remove them and pack the folder again")
    shown = {name for one in presented for name in (one.first, one.second)}
    rated = samples if shown <= samples.keys() else {}
    named = {found[1] for name in files if (found := re.fullmatch(r"(.+)_Round_\d+\.json", PurePosixPath(name).name))}
    return Reading(
        path=archive,
        kind="comparisons",
        task="comparison",
        samples=rated,
        responses={},
        presented=tuple(presented),
        status={"read": len(presented), "repeated": 0},
        sha256=digest(archive),
        dataset=named.pop() if len(named) == 1 else "",
    )


def rename(reading: Reading, samples: Sequence[Sample]) -> Reading:
    """Images by the names that a list gives them: in file names, slashes became underscores and .png was dropped."""
    names = {_flat(sample.id): sample.id for sample in samples}

    def called(name: str) -> str:
        return names.get(_flat(name), name)

    return replace(
        reading,
        presented=tuple(replace(one, first=called(one.first), second=called(one.second)) for one in reading.presented),
        samples={called(name): replace(one, id=called(name)) for name, one in reading.samples.items()},
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
