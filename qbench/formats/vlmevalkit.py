"""VLMEvalKit's predictions for Q-Bench1, as xlsx, tsv or json: the question's columns and `prediction`.

Cells are read as text: a reader that takes the option "None" for a missing value loses five questions.
"""

from __future__ import annotations

from string import ascii_uppercase

from qbench.formats import answers
from qbench.formats.format import AnsweredRecord, Format, FormatDescription
from qbench.rows import Row
from qbench.tasks import perception


def recognise(row: Row) -> bool:
    """Whether the record has a question's options in columns of their own, and a prediction."""
    return {"question", "A", "B", "prediction"} <= row.data.keys()


def read(row: Row) -> AnsweredRecord:
    """The question with the options that are not blank, and the prediction as it came."""
    options = [str(row.data[letter]) for letter in ascii_uppercase[:8] if row.data.get(letter) not in (None, "")]
    reply = row.data.get("prediction")
    plain = {
        "id": row.data.get("index"),
        "question": row.data["question"],
        "options": options,
        "answer": row.data.get("answer") or None,
        "category": row.data.get("category"),
        "reply": None if reply in (None, "") else row.text("prediction") or reply,
    }
    return answers.read(Row(plain, row.place))


FORMAT = Format(
    kind="VLMEvalKit predictions",
    description=FormatDescription(
        "VLMEvalKit predictions, xlsx, tsv or json",
        "`question`, `A`, `B`, …, `prediction`",
        ("my-model_Q-Bench1_VAL.xlsx", "my-model_Q-Bench1_VAL.tsv", "my-model_Q-Bench1_VAL.json"),
    ),
    fields="index, question, A, B, C, D, answer, prediction",
    example='{"index": 7, "question": "Is it dim?", "A": "No", "B": "Yes", "answer": "B", "prediction": "B. Yes"}',
    recognise=recognise,
    read=read,
    task=perception.NAME,
)
