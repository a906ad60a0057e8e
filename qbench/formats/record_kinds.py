"""The kinds of files whose records are read one by one, told by their fields: a table, and how each is read.

What asks questions is brought to the fields of an answer first, so that one reader reads replies of every tool.
"""

from __future__ import annotations

import re
from string import ascii_uppercase
from typing import Any

from qbench.datasets.fields import options_of
from qbench.datasets.manifest import IDS, image_names, image_of, question_text, read_sample
from qbench.errors import DataError
from qbench.formats.reading import Format, question_key
from qbench.records import Presented, Response, Sample
from qbench.rows import Row, finite, shorten
from qbench.tasks import TASKS, assessment, comparison, perception
from qbench.tasks.task import Answered

CHOICE_TASKS = tuple(name for name, task in TASKS.items() if task.choice)
"""Those that choose among alternatives."""
_REPLIES = ("reply", "response", "prediction")
_OF_A_RUN = {"sample", "prompt", "text"}
"""Fields of a raw reply as `run` keeps it."""
_JUDGED = ("qbench_acc", "abench_acc")
_LETTERED = re.compile(r"^([A-H])\. (.*)$", re.MULTILINE)
_CHOICES = ("first", "second", "tie", None)
_MOST_ALTERNATIVES = 9


def _logits(row: Row) -> dict[str, Any]:
    """One field a word, as Q-Bench's A3 outputs have them, or Q-Align's nested object."""
    if isinstance(nested := row.data.get("logits"), dict):
        return nested
    return {key.removeprefix("logit_"): value for key, value in row.data.items() if key.startswith("logit_")}


def _read_logits(row: Row) -> Answered:
    sample = _scored_image(row)
    logits = {word: finite(value, f"{row.place}: the logit of {shorten(word)}") for word, value in _logits(row).items()}
    return sample, Response(sample.id, logits=logits)


def _read_score(row: Row) -> Answered:
    sample = _scored_image(row)
    return sample, Response(sample.id, score=row.number("score"))


def _scored_image(row: Row) -> Sample:
    """The image a record is about; its human score is optional, since truth can come from elsewhere."""
    if "gt_score" in row.data:
        return read_sample(row, row.place)
    image = image_of(row, "sample")  # as `run` names images
    return Sample(id=image, images=(image,))


def _read_comparison(row: Row) -> Presented:
    first, second, choice = row.data["first"], row.data["second"], row.data["choice"]
    choice = None if choice in ("", "null") else choice  # as CSV files, which have only text, leave one out
    for name in (first, second):
        if not isinstance(name, str) or not name:
            raise DataError(f"{row.place}: an image is {shorten(name)}, not a name")
    if choice not in _CHOICES:
        raise DataError(f"{row.place}: choice is {shorten(choice)}, not first, second, tie or null")
    if first == second:
        raise DataError(f"{row.place}: {shorten(first)} is compared with itself")
    dataset = row.data.get("dataset") or None
    if dataset is not None and not isinstance(dataset, str):
        raise DataError(f"{row.place}: dataset is {shorten(dataset)}, not a name")
    return Presented(first, second, choice, dataset)


def _subject_of_choice(row: Row) -> tuple[str, str]:
    task = row.data["task"]
    if task not in CHOICE_TASKS:
        raise DataError(f"{row.place}: the task is {shorten(task)}, none of {', '.join(CHOICE_TASKS)}")
    return str(task), row.text("dataset") or ""


def _read_choice(row: Row) -> Answered:
    """The sample, with its label where the file gives one, and the alternative that was chosen, if any.

    Labels count from 0, the first (left) alternative: UniSim-Bench, https://arxiv.org/abs/2412.10594, whose authors
    store no lists.
    """
    name = row.text("id")
    if not name:
        raise DataError(f"{row.place}: has no id; name the sample that was answered")
    label, chosen = _alternative(row, "label"), _alternative(row, "prediction")
    return Sample(name, answer=label, cluster=row.text("cluster")), Response(name, chosen=chosen)


def _alternative(row: Row, key: str) -> int | None:
    value = row.data.get(key)
    if value is None or value == "":
        return None
    number = int(value) if isinstance(value, str) and value.isdecimal() and len(value) == 1 else value
    if type(number) is not int or not 0 <= number < _MOST_ALTERNATIVES:
        raise DataError(f"{row.place}: {key} is {shorten(value)}, not a place counted from 0")
    return number


def _is_answer(row: Row) -> bool:
    """Whether the record pairs a question, or the id of one, with a reply."""
    pairs = any(key in row.data for key in _REPLIES) and any(key in row.data for key in ("question", *IDS))
    return pairs or row.data.keys() >= _OF_A_RUN


def _read_answer(row: Row) -> Answered:
    """The question as far as the record tells it, and the reply as it came.

    LLaVA's script for Q-Bench writes each record of LLVisionQA plus `response`: such a file carries its own questions,
    and on the dev split its own answers.
    """
    if row.data.keys() >= _OF_A_RUN:
        raise DataError(
            f"{row.place}: was shown its options in an order that only the run's record tells; zip both files together"
        )
    reply = next(row.data[key] for key in _REPLIES if key in row.data)
    if reply is not None and not isinstance(reply, str):
        raise DataError(f"{row.place}: the reply is {shorten(reply)}, not text")
    given_id = row.text(*IDS)
    question = question_text(row) if row.data.get("question") is not None else None
    key = given_id if question is None else question_key(image_names(row), question)
    if not key:
        raise DataError(f"{row.place}: has neither an id nor a question")
    options = options_of(row.data)
    if options and question is None:  # as MMMU keeps replies: by id, with what each letter stands for
        sample = read_sample(Row({**row.data, "question": key, "options": options}, row.place), key)
    elif question is not None and (options or {"options", "candidates"} & row.data.keys()):
        sample = read_sample(Row({**row.data, **({"options": options} if options else {})}, row.place), key)
    else:
        sample = Sample(id=given_id or key, images=image_names(row), question=question)
    return sample, Response(sample.id, text=reply)


def _of_vlmevalkit(row: Row) -> Answered:
    """Cells are read as text: a reader that takes the option "None" for a missing value loses five questions."""
    options = [str(row.data[letter]) for letter in ascii_uppercase[:8] if row.data.get(letter) not in (None, "")]
    reply = row.data.get("prediction")
    told = {
        "id": row.data.get("index"),
        "question": row.data["question"],
        "options": options,
        "answer": row.data.get("answer") or None,
        "category": row.data.get("category"),
        "reply": None if reply in (None, "") else row.text("prediction") or reply,
    }
    return _read_answer(Row(told, row.place))


def _of_lmms_eval(row: Row) -> Answered:
    """Older versions keep the question in `doc`, newer ones in `input`; the reply stands raw in `submission`.

    What lmms-eval parsed from it is not used: it draws a letter at random where it finds none.
    """
    judged: dict[str, Any] = next(row.data[name] for name in _JUDGED if isinstance(row.data.get(name), dict))
    question, options = _lmms_eval_question(row)
    told: dict[str, Any] = {"id": judged.get("id", row.data.get("doc_id")), "reply": _lmms_eval_reply(row)}
    if question and len(options) > 1:
        told |= {"question": question, "options": options, "concern": judged.get("question_concern")}
        told |= {name: judged.get(name) for name in ("answer", "question_type", "category")}
    return _read_answer(Row(told, row.place))


def _lmms_eval_reply(row: Row) -> object:
    given = row.data.get("submission")
    if isinstance(given, dict) and len(given) == 1:
        return next(iter(given.values()))
    given = row.data.get("filtered_resps", row.data.get("resps"))
    while isinstance(given, list) and len(given) == 1:
        given = given[0]
    if given is not None and not isinstance(given, str):
        raise DataError(f"{row.place}: the reply is {shorten(given)}, not one text")
    return given


def _lmms_eval_question(row: Row) -> tuple[str, list[str]]:
    doc = row.data.get("doc")
    if isinstance(doc, dict) and isinstance(doc.get("question"), str):
        options = [doc.get(f"option{number}") for number in range(4)]
        return doc["question"], [option for option in options if isinstance(option, str) and option != "N/A"]
    asked = row.data.get("input")
    found = list(_LETTERED.finditer(asked)) if isinstance(asked, str) else []
    if not found or [option[1] for option in found] != list(ascii_uppercase[: len(found)]):
        return "", []
    return str(asked)[: found[0].start()].replace("<image>", "").strip(), [option[2] for option in found]


FORMATS = (
    Format(
        "Logits of score words, one file or a zip of seven",
        "`img_path`, `logit_good`, `logit_poor`, …",
        ("word-logits.koniq.json", "word-logits.zip"),
        kind="word logits",
        fields="img_path, logit_good, logit_poor, …",
        example='{"img_path": "a.jpg", "logit_good": 14.5, "logit_poor": 12.25}',
        recognise=lambda row: bool(_logits(row)),
        read=_read_logits,
        task=assessment.NAME,
    ),
    Format(
        "Comparisons, one presented order a line",
        "`first`, `second`, `choice`",
        ("comparisons.jsonl",),
        kind="comparisons",
        fields="first, second, choice",
        example='{"first": "a.jpg", "second": "b.jpg", "choice": "first", "dataset": "koniq-10k"}',
        recognise=lambda row: {"first", "second", "choice"} <= row.data.keys(),
        read=_read_comparison,
        task=comparison.NAME,
    ),
    Format(
        "lmms-eval samples of qbench, qbench2, abench",
        "`qbench_acc` or `abench_acc`",
        ("20260101_120000_samples_qbench_dev.jsonl",),
        kind="lmms-eval samples",
        fields="doc_id, qbench_acc or abench_acc, submission, input or doc",
        example=(
            '{"doc_id": 7, "target": "B", "filtered_resps": "B", "qbench_acc": {"id": 7, "question_concern": 2, '
            '"question_type": 1, "answer": "B", "parsed_pred": "B"}, "submission": {"7": "B"}, '
            '"input": "What is wrong here?\\nA. Blur\\nB. Noise\\n"}'
        ),
        recognise=lambda row: any(isinstance(row.data.get(name), dict) for name in _JUDGED),
        read=_of_lmms_eval,
        task=perception.NAME,
    ),
    Format(
        "VLMEvalKit predictions, xlsx, tsv or json",
        "`question`, `A`, `B`, …, `prediction`",
        ("my-model_Q-Bench1_VAL.xlsx", "my-model_Q-Bench1_VAL.tsv", "my-model_Q-Bench1_VAL.json"),
        kind="VLMEvalKit predictions",
        fields="index, question, A, B, C, D, answer, prediction",
        example='{"index": 7, "question": "Is it dim?", "A": "No", "B": "Yes", "answer": "B", "prediction": "B. Yes"}',
        recognise=lambda row: {"question", "A", "B", "prediction"} <= row.data.keys(),
        read=_of_vlmevalkit,
        task=perception.NAME,
    ),
    Format(
        "Choices for UniSim-Bench's tasks",
        "`task`, `dataset`, `id`, `label`, `prediction`",
        ("unisim-predictions.jsonl",),
        kind="choices",
        fields="task, dataset, id, label, prediction",
        example='{"task": "img-2afc", "dataset": "nights", "id": "ref/000/002.png", "label": 1, "prediction": 0}',
        recognise=lambda row: {"prediction", "task"} <= row.data.keys() and "question" not in row.data,
        read=_read_choice,
        subject=_subject_of_choice,
    ),
    Format(
        "Replies of LLaVA's script, or your own",
        "`question` or `id` with `response` or `reply`",
        ("llava.llvisionqa-dev.jsonl", "answers.llvisionqa-dev.json"),
        kind="answers",
        fields="id or question, reply",
        example='{"question": "Is it dim?", "img_path": "a.jpg", "candidates": ["No", "Yes"], "response": "B. Yes"}',
        recognise=_is_answer,
        read=_read_answer,
        task=perception.NAME,
    ),
    Format(
        "Quality scores, JSON or CSV",
        "`img_path` with `score`; or `sample` with `score`, as `run` keeps them",
        ("scores.koniq.csv", "responses.koniq.jsonl"),
        kind="scores",
        fields="img_path, score",
        example='{"img_path": "a.jpg", "score": 3.2}',
        recognise=lambda row: ("img_path" in row.data or "sample" in row.data) and "score" in row.data,
        read=_read_score,
        task=assessment.NAME,
    ),
)
"""Every kind whose records are read one by one; the first that recognises a record reads the file."""
