"""Parquet shards that hold samples and images together: Q-Bench-HF's layout, or the manifest's with images inside.

https://huggingface.co/datasets/q-future/Q-Bench-HF (and Q-Bench2-HF, A-Bench-HF). Absent options are the text "N/A";
the answer letters of the test splits are not the real ones, so a test split is read without answers. In other shards
each row is a row of a manifest, and each image a column: bytes, or the Hub's {"bytes", "path"}.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from qbench.atomic import write_whole
from qbench.datasets.manifest import question_groups, read_sample
from qbench.errors import DataError
from qbench.records import Sample
from qbench.rows import Row, shorten

_OPTIONS = ("option0", "option1", "option2", "option3")
_SUFFIXES = {b"\xff\xd8": ".jpg", b"\x89P": ".png", b"BM": ".bmp", b"RI": ".webp"}
_SHARD = re.compile(r"(.+?)-\d{5}-of-\d{5}(-[0-9a-f]+)?")
"""How the Hub's library names shards: the split, the shard's number, their count, perhaps a digest."""


def find_shards(folder: Path, split: str | None = None) -> list[Path]:
    """The shards of a split below a folder, in their order; all where none is named."""
    return sorted(folder.glob(f"**/{split}-*.parquet" if split else "**/*.parquet"))


def splits_of(shards: Sequence[Path]) -> list[str]:
    """The splits that shards are of, by their names."""
    named = (_SHARD.fullmatch(shard.stem) for shard in shards)
    return list(dict.fromkeys(name[1] for name in named if name))


def count_rows(shards: Sequence[Path]) -> int:
    """How many samples the shards hold, from what stands at their ends."""
    return sum(_open(shard).metadata.num_rows for shard in shards)


def read_shards(shards: Sequence[Path], images: Path, *, labelled: bool) -> list[Sample]:
    """Samples of all shards; images are unpacked once into a folder, byte for byte.

    Raises:
        DataError: A file that is no such shard, or a row that is no sample; the first such place is named.
    """
    images.mkdir(parents=True, exist_ok=True)
    samples: list[Sample] = []
    for shard in shards:
        for number, row in enumerate(_rows(shard), start=1):
            place = f"{shard.name}, row {number:,}"
            try:
                if "option0" in row:
                    samples.append(_question(row, images, labelled))
                else:
                    samples.append(_of_manifest(row, images, place, str(len(samples))))
            except (KeyError, TypeError, ValueError) as error:
                raise DataError(f"{place} is not in the layout of Q-Bench-HF or a manifest ({error!r})") from None
    return samples


def _rows(shard: Path) -> Iterator[dict[str, Any]]:
    with _open(shard) as file:
        for batch in file.iter_batches(batch_size=16):
            yield from batch.to_pylist()


def _open(shard: Path) -> Any:
    from pyarrow import ArrowException, parquet

    try:
        return parquet.ParquetFile(shard)
    except ArrowException as error:
        raise DataError(f"{shard.name} is no parquet file or is cut off ({shorten(str(error))})") from None


def _question(row: Mapping[str, Any], images: Path, labelled: bool) -> Sample:
    # An option that reads "None" is a real answer; only "N/A" means that there is no such option.
    options = tuple(str(row[key]) for key in _OPTIONS if row.get(key) not in (None, "N/A"))
    keys = ("image1", "image2") if "image1" in row else ("image",)
    codes = {"type": row.get("question_type"), "concern": row.get("question_concern"), "category": row.get("category")}
    return Sample(
        id=str(row["id"]),
        images=tuple(_unpacked(row[key]["bytes"], images / f"{row['id']}-{key}") for key in keys),
        question=str(row["question"]),
        options=options,
        answer="ABCD".index(row["correct_choice"]) if labelled else None,
        groups=question_groups(codes, len(keys)),
    )


def _of_manifest(row: Mapping[str, Any], images: Path, place: str, position: str) -> Sample:
    """A row of a manifest; its images get names of their own, so that two rows never share one by chance."""
    paths: dict[str, str] = {}
    data: dict[str, Any] = {}

    def keep(value: Any, column: str) -> str:
        content = value["bytes"] if isinstance(value, dict) else value
        name = f"{position}-{column}"
        paths[name] = _unpacked(content, images / name)
        return name

    for column, value in row.items():
        if value is None:
            continue
        if column == "images" and isinstance(value, list) and value and _is_image(value[0]):
            names = [keep(each, f"image{number}") for number, each in enumerate(value)]
            data["img_paths" if "question" in row else "images"] = names
        elif _is_image(value):
            data["img_path" if column == "image" else column] = keep(value, column)
        elif column != "img_path" or not _is_image(row.get("image")):
            data[column] = value
    sample = read_sample(Row(data, place), position)
    given = row.get("img_path")
    return replace(
        sample,
        id=given if isinstance(given, str) and sample.id in paths else sample.id,
        images=tuple(paths.get(image, image) for image in sample.images),
    )


def _is_image(value: object) -> bool:
    return isinstance(value, bytes) or (isinstance(value, dict) and isinstance(value.get("bytes"), bytes))


def _unpacked(data: bytes, stem: Path) -> str:
    path = stem.with_name(stem.name + _SUFFIXES.get(data[:2], ".img"))
    if not path.exists() or path.stat().st_size != len(data):
        write_whole(path, data)
    return str(path)
