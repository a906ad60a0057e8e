"""Q-Bench's A3 outputs: one record an image with `logit_WORD` fields, or Q-Align's nested `logits` object."""

from __future__ import annotations

from typing import Any

from qbench.formats.format import AnsweredRecord, Format, FormatDescription
from qbench.formats.scores import scored_image
from qbench.records import Response
from qbench.rows import Row, finite, shorten
from qbench.tasks import assessment

_PREFIX = "logit_"


def recognise(row: Row) -> bool:
    """Whether the record holds logits of words."""
    return bool(_logits(row.data))


def read(row: Row) -> AnsweredRecord:
    """The image, with the human score the file gives it, and its words' logits."""
    sample = scored_image(row)
    logits = {
        word: finite(value, f"{row.place}: the logit of {shorten(word)}") for word, value in _logits(row.data).items()
    }
    return AnsweredRecord(sample, Response(sample.id, logits=logits))


def _logits(data: dict[str, Any]) -> dict[str, Any]:
    nested = data.get("logits")
    if isinstance(nested, dict):
        return nested
    return {key.removeprefix(_PREFIX): value for key, value in data.items() if key.startswith(_PREFIX)}


FORMAT = Format(
    kind="word logits",
    description=FormatDescription(
        "Logits of score words, one file or a zip of seven",
        "`img_path`, `logit_good`, `logit_poor`, …",
        ("word-logits.koniq.json", "word-logits.zip"),
    ),
    fields="img_path, logit_good, logit_poor, …",
    example='{"img_path": "a.jpg", "logit_good": 14.5, "logit_poor": 12.25}',
    recognise=recognise,
    read=read,
    task=assessment.NAME,
)
