"""What tests of fetching share: archives, shards in the layout of Q-Bench-HF, a fetch, a refusal, what was asked."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from PIL import Image
from pyarrow import parquet

from qbench.datasets.get import FetchProgress, fetch, plan_fetch
from qbench.datasets.known import DatasetFacts, find_dataset
from qbench.errors import UserError
from tests.hub_double import Hub


def tape(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def facts_of(name: str) -> DatasetFacts:
    facts = find_dataset(name)
    assert facts is not None
    return facts


def get(name: str, root: Path) -> list[FetchProgress]:
    told: list[FetchProgress] = []
    fetch(plan_fetch(facts_of(name), root), told.append)
    return told


def refused(name: str, root: Path) -> str:
    with pytest.raises(UserError) as raised:
        get(name, root)
    assert "\n" not in str(raised.value)
    return str(raised.value)


def files_asked(hub: Hub) -> list[str]:
    return [asked for asked in hub.requests if "/resolve/" in asked or "/storage/" in asked]


def files_below(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def picture(value: int) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), (value % 256, value // 256, 0)).save(buffer, "PNG")
    return buffer.getvalue()


def question(options: list[str | None], kind: int, concern: int, right: str, **more: Any) -> dict[str, Any]:
    """A row; absent options are "N/A" or null."""
    about = {"question": "How is it?", "question_type": kind, "question_concern": concern, "correct_choice": right}
    return {**about, **{f"option{place}": option for place, option in enumerate(options)}, **more}


def shard(first: int, count: int) -> bytes:
    """Questions by number, the even ones answered Yes."""
    options: list[str | None] = ["Yes", "No", "N/A", "N/A"]
    images = [(number, {"bytes": picture(number), "path": None}) for number in range(first, first + count)]
    return packed([question(options, 0, 0, "AB"[number % 2], id=number, image=image) for number, image in images])


def packed(rows: list[dict[str, Any]]) -> bytes:
    buffer = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(rows), buffer)
    return buffer.getvalue()
