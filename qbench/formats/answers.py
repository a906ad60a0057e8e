"""Replies to multiple-choice questions: `reply` (or LLaVA's `response`) with an id or the question itself.

LLaVA's qbench script writes each LLVisionQA record plus `response`; such a file carries its own questions, and on the
dev split its own answers.
"""

from __future__ import annotations

from collections.abc import Iterable

from qbench.datasets.manifest import image_names, question_text, read_sample
from qbench.errors import DataError
from qbench.formats.format import AnsweredRecord, Format, FormatDescription
from qbench.records import Response, Sample
from qbench.rows import Row, shorten
from qbench.tasks import perception

_REPLIES = ("reply", "response", "prediction")
_RUN = {"sample", "prompt", "text"}
"""Fields of a raw reply as `run` keeps it."""
_IDS = ("id", "question_id", "index")


def recognise(row: Row) -> bool:
    """Whether the record pairs a question, or the id of one, with a reply."""
    pairs = any(key in row.data for key in _REPLIES) and any(key in row.data for key in ("question", *_IDS))
    return pairs or row.data.keys() >= _RUN


def read(row: Row) -> AnsweredRecord:
    """The question as far as the record tells it, and the reply as it came."""
    if row.data.keys() >= _RUN:
        raise DataError(
            f"{row.place}: was shown its options in an order that only the run's record tells; zip both files together"
        )
    reply = next(row.data[key] for key in _REPLIES if key in row.data)
    if reply is not None and not isinstance(reply, str):
        raise DataError(f"{row.place}: the reply is {shorten(reply)}, not text")
    given_id = row.text(*_IDS)
    question = question_text(row) if row.data.get("question") is not None else None
    key = given_id if question is None else question_key(image_names(row), question)
    if not key:
        raise DataError(f"{row.place}: has neither an id nor a question")
    if question is not None and ("options" in row.data or "candidates" in row.data):
        sample = read_sample(row, key)
    else:
        sample = Sample(id=given_id or key, images=image_names(row), question=question)
    return AnsweredRecord(sample, Response(sample.id, text=reply))


def question_key(images: Iterable[str], question: str) -> str:
    """What names a question that has no id."""
    return "\n".join([*images, question])


FORMAT = Format(
    kind="answers",
    description=FormatDescription(
        "Replies of LLaVA's script, or your own",
        "`question` or `id` with `response` or `reply`",
        ("llava.llvisionqa-dev.jsonl", "answers.llvisionqa-dev.json"),
    ),
    fields="id or question, reply",
    example='{"question": "Is it dim?", "img_path": "a.jpg", "candidates": ["No", "Yes"], "response": "B. Yes"}',
    recognise=recognise,
    read=read,
    task=perception.NAME,
)
