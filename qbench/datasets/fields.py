"""Records of other people's files under the names that are used here, as far as they can be told.

One table of what tools call an image, its score, a question and a reply stands in place of a format for each tool. It
is looked at where a record is of no known kind, or where a person says which column is which.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from string import ascii_uppercase
from typing import Any

from qbench.errors import DataError, UserError
from qbench.rows import Row, is_number, shorten

NAMES: Mapping[str, tuple[str, ...]] = {
    "img_path": (
        *("image_path", "image_name", "img_name", "image", "filename", "file_name", "file", "img", "path", "name"),
    ),
    "gt_score": ("mos", "dmos", "gt", "ground_truth", "human_score"),
    "score": ("pred_score", "predicted_score", "prediction", "pred", "quality", "quality_score"),
    "id": ("idx", "question_id", "index", "doc_id"),
    "question": ("input", "query"),
    "options": ("choices", "candidates", "all_choices"),
    "answer": ("correct_ans", "target", "gt_answer"),
    "reply": ("pred_ans", "full_prediction", "response", "model_answer", "output"),
}
"""Name here -> what other tools call it, the likeliest first; capitals do not matter."""
COLUMNS = {"image": "img_path", "truth": "gt_score", "score": "score"} | {
    name: name for name in ("id", "question", "options", "answer", "reply")
}
"""Word of `--columns` -> name here."""
_LONGEST_LIST = 20_000
"""Characters of a text that may be a list of options."""
LETTERS_ALONE = "the file has no options, so letters alone are read"


def read_columns(pairs: list[str] | None) -> dict[str, str]:
    """`image=filename truth=MOS` -> name here -> column of the file; UserError where one is no such pair."""
    columns = {}
    for pair in pairs or []:
        word, equals, column = pair.partition("=")
        if word not in COLUMNS or not equals or not column:
            raise UserError(f"--columns {pair!r} is not WORD=COLUMN with one of the words {', '.join(COLUMNS)}")
        columns[COLUMNS[word]] = column
    return columns


def with_our_names(row: Row, number: str, columns: Mapping[str, str] | None = None) -> Row:
    """A record under the names that are used here.

    `number` is "score" or "gt_score": what the numbers are that stand alone beside the image, under any name. `columns`
    has fields by names here, where a person says so.

    Raises:
        DataError: A field that was named is not there.
    """
    data = {**inner_fields(row.data)}
    fields = shorten(", ".join(sorted(data)))
    for ours, theirs in (columns or {}).items():
        if theirs not in data:
            raise DataError(f"{row.place}: has no field {theirs[:40]}; its fields are {fields[1:-1]}")
        data[ours] = data.pop(theirs)
    spelled = {key.casefold(): key for key in data}
    for ours, names in NAMES.items():
        found = next((spelled[name] for name in (ours, *names) if spelled.get(name) in data), None)
        if ours not in data and found is not None:
            data[ours] = data.pop(found)
            if found.casefold() == "dmos":
                data["lower_is_better"] = True
    if "reply" in data:
        return Row(_as_answer(data), row.place)
    texts = [key for key, value in data.items() if isinstance(value, str) and not is_number(value)]
    if "img_path" not in data and len(texts) == 1:
        data["img_path"] = data.pop(texts[0])
    numbers = [key for key, value in data.items() if key not in NAMES and is_number(value)]
    if number not in data and len(numbers) == 1:
        data[number] = data.pop(numbers[0])
    return Row(data, row.place)


def inner_fields(data: dict[str, Any]) -> dict[str, Any]:
    """The fields of lmms-eval's `doc` beside its reply, and the completion in inspect's `output`."""
    doc, output = data.get("doc"), data.get("output")
    if isinstance(doc, dict):
        reply = data.get("filtered_resps", data.get("resps"))
        while isinstance(reply, list) and len(reply) == 1:
            [reply] = reply
        data = {"target": data.get("target"), "doc_id": data.get("doc_id"), **doc, "reply": reply}
    if isinstance(output, dict) and "completion" in output:
        data = {**data, "reply": output["completion"]}
    return data


def _as_answer(data: dict[str, Any]) -> dict[str, Any]:
    """A reply with its question, which is named by its id where the file does not have it, and its options."""
    asked = data.get("question")
    if isinstance(asked, list):  # messages, of which the last is the question
        asked = asked[-1].get("content") if isinstance(asked[-1], dict) else None
    if isinstance(asked, list):
        asked = "\n".join(str(part.get("text", "")) for part in asked if isinstance(part, dict)).strip()
    if isinstance(answer := data.get("answer"), str):
        data["answer"] = answer.strip("() ") if len(answer.strip("() ")) == 1 else answer
    data["options"] = options_of(data) or list(ascii_uppercase[:4])
    data["question"] = asked or str(data.get("id", ""))
    return data


def options_of(data: Mapping[str, Any]) -> list[str] | None:
    """The options of a question: a list, the text of one, or what each letter stands for; None where it has none."""
    by_letter = data.get("index2ans")
    if isinstance(by_letter, dict) and (listed := _texts([by_letter[letter] for letter in sorted(by_letter)])):
        return listed
    for name in ("options", *NAMES["options"]):
        value = data.get(name)
        if isinstance(value, str) and len(value) <= _LONGEST_LIST:
            try:
                value = ast.literal_eval(value)
            except (ValueError, SyntaxError, MemoryError, RecursionError):
                continue
        if listed := _texts(value):
            return listed
    return None


def _texts(value: object) -> list[str] | None:
    plain = isinstance(value, (list, tuple)) and all(isinstance(each, (str, int, float)) for each in value)
    return [str(each) for each in value] if plain and isinstance(value, (list, tuple)) else None


def records_within(data: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """The records of an object that is a whole file: by image, under a name, or split by split; None for a record."""
    if len(data) > 1 and all(map(is_number, data.values())) and not any(map(_is_known, data)):
        return [{"img_path": name, "score": value} for name, value in data.items()]
    lists = [value for value in data.values() if isinstance(value, list) and value]
    lists = [value for value in lists if all(isinstance(each, dict) for each in value)]
    if len(lists) == 1 or (lists and all(isinstance(value, list) for value in data.values())):
        return [record for records in lists for record in records]
    return None


def _is_known(name: str) -> bool:
    return name in NAMES or any(name.casefold() in others for others in NAMES.values())
