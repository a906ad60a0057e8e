"""Manifests in every published layout; a malformed one is one sentence."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from qbench.datasets.manifest import read_manifest
from qbench.errors import DataError
from qbench.records import Sample

QUESTION = {"img_path": "a.jpg", "question": "How sharp is it?", "options": ["Soft", "Sharp"], "answer": "Sharp"}


def manifest(folder: Path, data: object, name: str = "list.json") -> list[Sample]:
    path = folder / name
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return read_manifest(path)


def test_dmos_says_so_in_json_and_csv_and_scores_of_one_set_run_in_one_direction(tmp_path: Path) -> None:
    [from_json] = manifest(tmp_path, [{"img_path": "a", "gt_score": 1, "lower_is_better": True}])
    [from_csv] = manifest(tmp_path, "img_path,gt_score,lower_is_better\na,1,True\n", "list.csv")
    assert from_json == from_csv == Sample("a", ("a",), human=1.0, lower_is_better=True)
    rows = [{"img_path": "a", "gt_score": 1}, {"img_path": "b", "gt_score": 2, "lower_is_better": True}]
    said = "list.json: 'b' is marked as lower_is_better and 'a' is not, so their scores run in opposite directions"
    for order in (rows, rows[::-1]):
        with pytest.raises(DataError, match=said):
            manifest(tmp_path, order)
    assert len(manifest(tmp_path, {"one": rows[:1], "other": rows[1:]})) == 2


def test_questions_without_ids_are_named_by_position(tmp_path: Path) -> None:
    found = manifest(tmp_path, [QUESTION, {**QUESTION, "img_path": "compare\\dev\\a.jpg_cat_b.jpg"}])
    assert found == [
        Sample("0", ("a.jpg",), "How sharp is it?", ("Soft", "Sharp"), answer=1),
        Sample("1", ("a.jpg", "b.jpg"), "How sharp is it?", ("Soft", "Sharp"), answer=1),  # Q-Bench2's way to name two
    ]
    assert manifest(tmp_path, [{**QUESTION, "img_paths": ["a.jpg", "b.jpg"]}])[0].images == ("a.jpg", "b.jpg")


@pytest.mark.parametrize(
    ("answer", "options", "index"),
    [
        ("Sharp", ["Soft", "Sharp"], 1),
        ("b", ["Soft", "Sharp"], 1),
        ("A", ["B", "A"], 1),  # an option's own text goes before its letter
        ("None", ["Blur", "None"], 1),
        (None, ["Soft", "Sharp"], None),
    ],
)
def test_answers_by_text_or_letter(tmp_path: Path, answer: object, options: list[str], index: int | None) -> None:
    [sample] = manifest(tmp_path, [{**QUESTION, "options": options, "answer": answer}])
    assert sample.answer == index


def test_comparisons_of_perceptual_similarity(tmp_path: Path) -> None:
    rows = [
        {"reference": "r.png", "images": ["a.png", "b.png"], "label": 1, "cluster": "r"},
        {"texts": ["a dog"], "images": ["a.png", "b.png", "c.png"], "label": 2, "id": "dogs"},
        {"reference": "r.png", "texts": ["a dog", "a cat"], "label": 0},
        {"images": ["a.png", "b.png"], "attribute": "contrast", "groups": {"difficulty": "fine"}, "label": 0},
        {"images": ["a.png", "b.png", "c.png"]},  # lists alone, which are no list of datasets
    ]
    assert manifest(tmp_path, rows) == [
        Sample("0", ("r.png", "a.png", "b.png"), has_reference=True, answer=1, cluster="r"),
        Sample("dogs", ("a.png", "b.png", "c.png"), texts=("a dog",), answer=2),
        Sample("2", ("r.png",), texts=("a dog", "a cat"), has_reference=True, answer=0),
        Sample("3", ("a.png", "b.png"), answer=0, groups={"difficulty": "fine", "attribute": "contrast"}),
        Sample("4", ("a.png", "b.png", "c.png")),
    ]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ([], "holds no records"),
        ([{"gt_score": 1}], "record 1 (line 1): has no img_path; its fields are ['gt_score']"),
        ([{"img_path": "a", "gt_score": "good"}], "gt_score is 'good', not a finite number"),
        ([{"img_path": "a", "gt_score": 1}, {"img_path": "a", "gt_score": 2}], "record 2 (line 1): 'a' stands here tw"),
        ({"<x>\n": [{"img_path": "a", "gt_score": 1}, 5]}, r"'<x>\n', image 2 is 5, not an object"),
        ([{**QUESTION, "question": None}], "the question is None, not a text"),
        ([{**QUESTION, "options": ["Soft", 2]}], "options is ['Soft', 2], not a list of texts"),
        ([{**QUESTION, "options": ["Sharp"]}], "has 1 options, not between 2 and 26"),
        ([{**QUESTION, "options": ["Soft", "Sharp", "Soft "]}], "has the option 'Soft' 2 times"),
        ([{**QUESTION, "answer": "C"}], "the answer 'C' is none of the options ['Soft', 'Sharp']"),
        ([{"images": "a", "label": 0}], "images is 'a', not a list of texts"),
        ([{"images": ["a", "b"], "label": 2}], "the label is 2, not a place among its 2 alternatives, counted from 0"),
        ([{"images": ["a", "b"], "groups": {"level": 1}}], "groups is {'level': 1}, not an object of texts"),
        ([{"query": "a"}], "has none of easy, hard, junk"),
        ([{"query": "a", "easy": ["b"]}], "'query a' names 'b', which is none of the images to search"),
        ([{"img_path": "b"}, {"query": "a", "easy": ["b"], "junk": ["b"]}], "'query a' names 'b' twice"),
    ],
)
def test_malformed_manifests(tmp_path: Path, data: object, says: str) -> None:
    with pytest.raises(DataError) as caught:
        manifest(tmp_path, data)
    told = str(caught.value)
    assert says in told
    assert told.startswith("list.json")
    assert told.isprintable()


@pytest.mark.parametrize(
    ("split", "types", "concerns", "answered"),
    [("dev", [550, 452, 493], [514, 432, 304, 245], 1495), ("test", [548, 461, 486], [521, 419, 292, 263], 0)],
)
def test_the_published_questions(
    shared_data: Path, split: str, types: list[int], concerns: list[int], answered: int
) -> None:
    samples = read_manifest(shared_data / "llvisionqa" / f"llvisionqa_{split}.json")
    by_type = Counter(sample.groups["question_type"] for sample in samples)
    by_concern = Counter(sample.groups["concern"] for sample in samples)
    assert [by_type[name] for name in ("yes-or-no", "what", "how")] == types
    names = ("distortion", "other", "in-context-distortion", "in-context-other")
    assert [by_concern[name] for name in names] == concerns
    assert sum(sample.answer is not None for sample in samples) == answered


def test_random_guess_on_the_published_questions_is_table_7s(shared_data: Path) -> None:
    samples = read_manifest(shared_data / "llvisionqa" / "llvisionqa_dev.json")
    printed = {"yes-or-no": 50.00, "what": 27.86, "how": 33.32}  # printed 33.31 for "how", truncated
    for name, percent in printed.items():
        members = [sample for sample in samples if sample.groups["question_type"] == name]
        assert round(100 * sum(1 / len(member.options) for member in members) / len(members), 2) == percent


def test_2afc_lists_are_objects_of_lists(tmp_path: Path) -> None:
    data = {
        "koniq10k": [{"img_path": "koniq10k/a.jpg", "gt_score": "1.8"}],
        "CSIQ": [{"img_path": "CSIQ/b.png", "ref_path": "r.png", "gt_score": "0.4"}],
    }
    koniq, csiq = manifest(tmp_path, data)
    assert (koniq.human, koniq.lower_is_better) == (1.8, False)
    assert (csiq.human, csiq.lower_is_better) == (0.4, True)  # DMOS, which the list does not say
