"""Manifests in every published layout, recognised by what they hold; a malformed one is one sentence."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from qbench.__main__ import main
from qbench.datasets import known as known_module
from qbench.datasets import open_dataset
from qbench.datasets.known import content_digest, find_published_list, known_datasets
from qbench.datasets.manifest import read_manifest
from qbench.errors import DataError
from qbench.records import Sample
from tests.datasets.fetching import facts_of
from tests.datasets.similarity.layouts import listed

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


# --- a published list is told by what it holds, whatever its file is called; copies that are not whole are not it


MADE = {"koniq10k": [{"img_path": "koniq10k/a.png", "gt_score": "1.8"}, {"img_path": "koniq10k/b.png", "gt_score": 3}]}
LEVELS = [{"img_path": f"CSIQ/redwood.BLUR.{level}.png", "gt_score": level / 10} for level in (1, 2, 3)]


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that is the published list of the coarse sets, as far as anybody here knows."""
    path = listed(tmp_path / "mine" / "list.json", MADE)
    same = replace(facts_of("2afc-coarse"), items=2, contents=content_digest(read_manifest(path)))
    known = tuple(same if facts.name == same.name else facts for facts in known_datasets())
    monkeypatch.setattr(known_module, "known_datasets", lambda: known)
    (path.parent / "koniq10k").mkdir()
    for name, colour in {"a": "red", "b": "blue", "c": "black"}.items():
        Image.new("RGB", (8, 8), colour).save(path.parent / "koniq10k" / f"{name}.png")
    return path


def test_a_list_under_another_name_is_the_published_one(published: Path) -> None:
    dataset = open_dataset(str(published))
    assert (dataset.name, dataset.split, dataset.limit, dataset.note) == ("2afc-coarse", "coarse", None, "")


@pytest.mark.parametrize(
    "rows",
    [
        {"KonIQ-10k": [{"img_path": "elsewhere/b.png", "gt_score": "3.0"}, {"img_path": "a.png", "gt_score": 1.8}]},
        {"koniq10k": [{**row, "ref_path": "r.png"} for row in MADE["koniq10k"]]},
    ],
)
def test_order_folders_spelling_and_further_fields_do_not_matter(published: Path, tmp_path: Path, rows: object) -> None:
    facts = find_published_list(read_manifest(listed(tmp_path / "copy.json", rows)))
    assert facts is not None
    assert facts.name == "2afc-coarse"


def test_what_differs_from_it_says_that_it_is_on_no_board(published: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By an image that is not there, or a score."""
    members = [{"img_path": "a.png", "gt_score": 1.8}, {"img_path": "b.png", "gt_score": 3.5}]
    for some in (members[:1], members):
        listed(published, {"koniq10k": some})
        dataset = open_dataset(str(published))
        assert (dataset.name, dataset.split) == ("list", None)
        assert dataset.note.startswith("its sets are those of 2AFC coarse lists (8 sets), but its images or scores are")
    command = ["run", "--task", "comparison", "--model", "scripted", "--dataset", str(published), "--json", "--rounds"]
    assert main([*command, "1", "--out", str(published.parent / "out")]) == 0
    out, err = capsys.readouterr()
    [record] = json.loads(out)
    assert (record["split"], record["protocol"]["note"]) == (None, dataset.note)
    assert err == f"qbench: {dataset.note}\n"


def test_scores_that_may_be_dmos_are_asked_about(tmp_path: Path) -> None:
    path = listed(tmp_path / "truth.json", LEVELS)
    with pytest.raises(DataError) as raised:
        read_manifest(path)
    assert str(raised.value) == (
        "truth.json, record 1 (line 1): 'CSIQ/redwood.BLUR.1.png' is named as CSIQ's images are, whose published "
        "scores are DMOS (lower is better), and nothing says whether its gt_score is one: add "
        '"lower_is_better": true or false to every row, or with --truth name the dataset, --dataset csiq'
    )


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("twoafc/Coarse_grained_mixed.json", "2afc-coarse"),
        ("twoafc/Fine_grained_CSIQ_levels.json", "2afc-fine-levels"),
        ("twoafc/Fine_grained_CSIQ_types.json", "2afc-fine-types"),
        ("twoafc/Fine_grain_SPAQ.json", "2afc-fine-intervals"),
        ("qbench_mos/koniq.json", "koniq-10k"),
        ("qbench_mos/spaq.json", "spaq"),
        ("qbench_mos/livec.json", "live-itw"),
        ("qbench_mos/cgi.json", "cgiqa-6k"),
        ("qbench_mos/agi.json", "agiqa-3k"),
        ("qbench_mos/kadid.json", "kadid-10k"),
        ("llvisionqa/llvisionqa_dev.json", "llvisionqa-dev"),
        ("llvisionqa/llvisionqa_test.json", "llvisionqa-test"),
    ],
)
def test_the_published_lists_are_recognised(shared_data: Path, tmp_path: Path, file: str, name: str) -> None:
    copy = tmp_path / "copy.json"
    copy.write_bytes((shared_data / file).read_bytes())
    samples = read_manifest(copy)
    facts = find_published_list(samples)
    assert facts is not None
    assert facts.name == name
    assert find_published_list(samples[1:]) is None
    assert all(sample.lower_is_better for sample in samples) is facts.lower_is_better
