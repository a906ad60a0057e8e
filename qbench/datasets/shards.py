"""Q-Bench-HF, Q-Bench2-HF and A-Bench-HF: parquet shards that hold questions and images together.

https://huggingface.co/datasets/q-future/Q-Bench-HF. Absent options are the text "N/A"; the answer letters of the test
splits are not the real ones, so a test split is read without answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from qbench.datasets.manifest import question_groups
from qbench.errors import UserError
from qbench.records import Sample

_OPTIONS = ("option0", "option1", "option2", "option3")
_SUFFIXES = {b"\xff\xd8": ".jpg", b"\x89P": ".png", b"BM": ".bmp", b"RI": ".webp"}


def read_shards(shards: Sequence[Path], images: Path, *, labelled: bool) -> list[Sample]:
    """Samples of all shards; images are unpacked once into a folder, byte for byte."""
    try:
        from pyarrow import parquet
    except ImportError:
        raise UserError("reading parquet shards needs pyarrow: pip install pyarrow") from None
    images.mkdir(parents=True, exist_ok=True)
    samples = []
    for shard in shards:
        with parquet.ParquetFile(shard) as file:
            for batch in file.iter_batches(batch_size=16):
                samples += [_sample(row, images, labelled) for row in batch.to_pylist()]
    return samples


def _sample(row: Mapping[str, Any], images: Path, labelled: bool) -> Sample:
    # An option that reads "None" is a real answer; only "N/A" means that there is no such option.
    options = tuple(str(row[key]) for key in _OPTIONS if row.get(key) not in (None, "N/A"))
    keys = ("image1", "image2") if "image1" in row else ("image",)
    codes = {"type": row.get("question_type"), "concern": row.get("question_concern"), "category": row.get("category")}
    return Sample(
        id=str(row["id"]),
        images=tuple(_unpacked(row[key], images / f"{row['id']}-{key}") for key in keys),
        question=str(row["question"]),
        options=options,
        answer="ABCD".index(row["correct_choice"]) if labelled else None,
        groups=question_groups(codes, len(keys)),
    )


def _unpacked(image: Mapping[str, Any], stem: Path) -> str:
    data: bytes = image["bytes"]
    path = stem.with_suffix(_SUFFIXES.get(data[:2], ".img"))
    if not path.exists() or path.stat().st_size != len(data):
        path.write_bytes(data)
    return str(path)
