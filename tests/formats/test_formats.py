"""Every kind of result file is recognised by its fields and read with its problems counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qbench.errors import DataError
from qbench.formats import read_results
from qbench.formats.reading import Reading, question_key
from qbench.records import Presented

LOGITS = {"img_path": "a.png", "gt_score": 3.5, "logit_good": 12.5, "logit_poor": 10}
SCORE = {"img_path": "a.png", "score": 0.5}
COMPARISON = {"first": "a.png", "second": "b.png", "choice": "first", "dataset": "koniq-10k"}
ANSWER = {"id": 3, "reply": "B."}
LLAVA = {
    "type": 2,
    "concern": 0,
    "question": "How sharp is this photo?",
    "img_path": "a.png",
    "candidates": ["Soft", "Sharp", "Medium"],
    "correct_ans": "Sharp",
    "response": "B. Sharp",
}


def reading(folder: Path, *records: object, name: str = "file.json") -> Reading:
    path = folder / name
    path.write_text("".join(json.dumps(record) for record in records), encoding="utf-8")
    return read_results(path)


def complaint(folder: Path, *records: object) -> str:
    with pytest.raises(DataError) as caught:
        reading(folder, *records)
    return str(caught.value)


@pytest.mark.parametrize(
    ("record", "kind", "task"),
    [
        (LOGITS, "word logits", "assessment"),
        ({**LOGITS, "score": 1}, "word logits", "assessment"),
        (SCORE, "scores", "assessment"),
        (COMPARISON, "comparisons", "comparison"),
        (ANSWER, "answers", "perception"),
        (LLAVA, "answers", "perception"),
        ({"index": 0, "response": None}, "answers", "perception"),
    ],
)
def test_recognised_by_fields(tmp_path: Path, record: object, kind: str, task: str) -> None:
    read = reading(tmp_path, record)
    assert (read.kind, read.task, read.status) == (kind, task, {"read": 1, "repeated": 0})


def test_logits_keep_every_word_and_the_files_own_truth(tmp_path: Path) -> None:
    read = reading(tmp_path, {**LOGITS, "gt_score": "3.5 ", "logit_high": "-1.25"})
    [sample], [response] = read.samples.values(), read.responses.values()
    assert (sample.id, sample.images, sample.human) == ("a.png", ("a.png",), 3.5)
    assert (response.sample, dict(response.logits)) == ("a.png", {"good": 12.5, "poor": 10.0, "high": -1.25})


def test_comparisons_keep_order_and_repeats(tmp_path: Path) -> None:
    read = reading(tmp_path, COMPARISON, COMPARISON, {"first": "b", "second": "a", "choice": None})
    assert read.presented == (*[Presented("a.png", "b.png", "first", "koniq-10k")] * 2, Presented("b", "a", None, None))
    assert read.status == {"read": 3, "repeated": 0}


def test_in_csv_an_empty_choice_is_no_answer(tmp_path: Path) -> None:
    path = tmp_path / "comparisons.csv"
    path.write_text("first,second,choice,dataset\na,b,tie,\nb,a,,\na,c,null,csiq\n", encoding="utf-8")
    assert read_results(path).presented == (
        Presented("a", "b", "tie", None),
        Presented("b", "a", None, None),
        Presented("a", "c", None, "csiq"),
    )


def test_a_llava_record_carries_its_question(tmp_path: Path) -> None:
    [sample] = reading(tmp_path, LLAVA).samples.values()
    assert (sample.id, sample.images) == (question_key(["a.png"], "How sharp is this photo?"), ("a.png",))
    assert (sample.options, sample.answer) == (("Soft", "Sharp", "Medium"), 1)
    assert sample.groups == {"question_type": "how", "concern": "distortion"}


def test_an_answer_may_name_its_question_by_id_or_by_itself(tmp_path: Path) -> None:
    question = {"question": "Is it dark?", "img_path": "a.png", "reply": "Yes"}
    read = reading(tmp_path, ANSWER, question, {**question, "img_path": "b.png"})
    assert list(read.samples) == ["3", "a.png\nIs it dark?", "b.png\nIs it dark?"]


def test_identical_repeats_are_dropped_and_counted(tmp_path: Path) -> None:
    read = reading(tmp_path, LOGITS, LOGITS, {**LOGITS, "img_path": "b.png"}, LOGITS)
    assert (list(read.samples), read.status) == (["a.png", "b.png"], {"read": 4, "repeated": 2})


def test_conflicting_repeats_are_refused(tmp_path: Path) -> None:
    told = complaint(tmp_path, LOGITS, {**LOGITS, "logit_good": 13})
    assert "record 2 (line 1): 'a.png' was given before with other values (the only such record)" in told


def test_mixed_kinds_are_refused_with_the_first_place_and_the_count(tmp_path: Path) -> None:
    told = complaint(tmp_path, LOGITS, SCORE, {**LOGITS, "img_path": "b"}, ANSWER)
    assert "record 2 (line 1): has the fields ['img_path', 'score'], while record 1 holds word logits" in told
    assert "2 such records in all" in told


def test_an_unknown_kind_lists_the_known_ones(tmp_path: Path) -> None:
    told = complaint(tmp_path, {"<b>image</b>\n": 1})
    assert r"['<b>image</b>\n']" in told
    assert all(kind in told for kind in ("word logits", "comparisons", "answers", "scores"))


@pytest.mark.parametrize(
    ("record", "says"),
    [
        ({**LOGITS, "logit_good": float("nan")}, "the logit of 'good' is nan, not a finite number"),
        ({**LOGITS, "logit_good": "abc"}, "the logit of 'good' is 'abc'"),
        ({**LOGITS, "gt_score": "high"}, "gt_score is 'high'"),
        ({"logit_good": 1, "logit_poor": 2}, "has no img_path"),
        ({**SCORE, "score": "3,5"}, "score is '3,5', not a finite number; write decimals with a point"),
        ({**SCORE, "gt_score": 1, "lower_is_better": "maybe"}, "lower_is_better is 'maybe', not true or false"),
        ({**COMPARISON, "choice": "left"}, "choice is 'left', not first, second, tie or null"),
        ({**COMPARISON, "second": "a.png"}, "'a.png' is compared with itself"),
        ({**COMPARISON, "first": 7}, "an image is 7, not a name"),
        ({**ANSWER, "reply": 2}, "the reply is 2, not text"),
        ({"id": None, "reply": "B"}, "has neither an id nor a question"),
        ({**LLAVA, "candidates": "Soft"}, "options is 'Soft', not a list of texts"),
        ({**LLAVA, "correct_ans": "Blurred"}, "the answer 'Blurred' is none of the options"),
    ],
)
def test_malformed_records_are_named_and_counted(tmp_path: Path, record: dict[str, object], says: str) -> None:
    told = complaint(tmp_path, record, record)
    assert told.startswith("file.json: record 1 (line 1): ")
    assert says in told
    assert "(2 such records in all)" in told
