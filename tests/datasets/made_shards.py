"""Parquet shards in the layout of Q-Bench-HF, as its publisher describes it."""

from __future__ import annotations

import io

import pyarrow as pa
from PIL import Image
from pyarrow import parquet


def picture(value: int) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), (value % 256, value // 256, 0)).save(buffer, "PNG")
    return buffer.getvalue()


def shard(first: int, count: int) -> bytes:
    """Questions by number, the even ones answered Yes."""
    rows = [
        {
            "id": number,
            "image": {"bytes": picture(number), "path": None},
            "question": "Is this picture sharp?",
            "option0": "Yes",
            "option1": "No",
            "option2": "N/A",
            "option3": "N/A",
            "question_type": 0,
            "question_concern": 0,
            "correct_choice": "AB"[number % 2],
        }
        for number in range(first, first + count)
    ]
    buffer = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(rows), buffer)
    return buffer.getvalue()
