"""lmms-eval's samples of qbench_dev, qbench2_dev and abench_dev, of every version.

Older files keep the question in `doc`, newer ones in `input`; the reply stands raw in `submission`. What lmms-eval
parsed from it is not used: it draws a letter at random where it finds none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import ascii_uppercase
from typing import Any

from qbench.errors import DataError
from qbench.formats import answers
from qbench.formats.format import AnsweredRecord, Format, FormatDescription
from qbench.rows import Row, shorten
from qbench.tasks import perception

_JUDGED = ("qbench_acc", "abench_acc")
_ABSENT = "N/A"
_OPTION = re.compile(r"^([A-H])\. (.*)$", re.MULTILINE)


def recognise(row: Row) -> bool:
    """Whether the record is a sample that lmms-eval judged."""
    return any(isinstance(row.data.get(name), dict) for name in _JUDGED)


def read(row: Row) -> AnsweredRecord:
    """The question, as far as this version kept it, and the raw reply."""
    judged: Mapping[str, Any] = next(row.data[name] for name in _JUDGED if isinstance(row.data.get(name), dict))
    question, options = _question(row)
    number = judged.get("id", row.data.get("doc_id"))
    plain: dict[str, Any] = {"id": number, "reply": _reply(row)}
    if question and len(options) > 1:
        plain |= {"question": question, "options": options, "answer": judged.get("answer")}
        plain |= {"question_type": judged.get("question_type"), "concern": judged.get("question_concern")}
        plain |= {"category": judged.get("category")}
    return answers.read(Row(plain, row.place))


def _reply(row: Row) -> object:
    given = row.data.get("submission")
    if isinstance(given, dict) and len(given) == 1:
        return next(iter(given.values()))
    given = row.data.get("filtered_resps", row.data.get("resps"))
    while isinstance(given, list) and len(given) == 1:
        given = given[0]
    if given is not None and not isinstance(given, str):
        raise DataError(f"{row.place}: the reply is {shorten(given)}, not one text")
    return given


def _question(row: Row) -> tuple[str, list[str]]:
    doc = row.data.get("doc")
    if isinstance(doc, dict) and isinstance(doc.get("question"), str):
        options = [doc.get(f"option{number}") for number in range(4)]
        return doc["question"], [option for option in options if isinstance(option, str) and option != _ABSENT]
    asked = row.data.get("input")
    if not isinstance(asked, str):
        return "", []
    found = list(_OPTION.finditer(asked))
    if [option[1] for option in found] != list(ascii_uppercase[: len(found)]) or not found:
        return "", []
    return asked[: found[0].start()].replace("<image>", "").strip(), [option[2] for option in found]


FORMAT = Format(
    kind="lmms-eval samples",
    description=FormatDescription(
        "lmms-eval samples of qbench, qbench2, abench",
        "`qbench_acc` or `abench_acc`",
        ("20260101_120000_samples_qbench_dev.jsonl",),
    ),
    fields="doc_id, qbench_acc or abench_acc, submission, input or doc",
    example=(
        '{"doc_id": 7, "target": "B", "filtered_resps": "B", "qbench_acc": {"id": 7, "question_concern": 2, '
        '"question_type": 1, "answer": "B", "parsed_pred": "B"}, "submission": {"7": "B"}, '
        '"input": "What is wrong here?\\nA. Blur\\nB. Noise\\n"}'
    ),
    recognise=recognise,
    read=read,
    task=perception.NAME,
)
