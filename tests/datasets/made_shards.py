"""Parquet shards in the layout of Q-Bench-HF, as its publisher describes it."""

from __future__ import annotations

import io
from typing import Any

import pyarrow as pa
from PIL import Image
from pyarrow import parquet


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
