"""Every kind of result file is recognised by its fields and read with its problems counted; also 2AFC folders."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from qbench.datasets.places import AnswerKey
from qbench.errors import DataError, UserError
from qbench.formats import packed, read_results
from qbench.formats.reading import Reading
from qbench.formats.subject import identify
from qbench.records import Presented, Sample
from qbench.rows import File

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


def test_logits_keep_every_word_and_the_files_own_truth_and_go_before_a_score(tmp_path: Path) -> None:
    read = reading(tmp_path, {**LOGITS, "gt_score": "3.5 ", "logit_high": "-1.25", "score": 1})
    assert read.kind == "word logits"
    [sample], [response] = read.samples.values(), read.responses.values()
    assert (sample.id, sample.images, sample.human) == ("a.png", ("a.png",), 3.5)
    assert (response.sample, dict(response.logits)) == ("a.png", {"good": 12.5, "poor": 10.0, "high": -1.25})


def test_in_csv_an_empty_choice_is_no_answer(tmp_path: Path) -> None:
    path = tmp_path / "comparisons.csv"
    path.write_text("first,second,choice,dataset\na,b,tie,\nb,a,,\na,c,null,csiq\n", encoding="utf-8")
    assert read_results(path).presented == (
        Presented("a", "b", "tie", None),
        Presented("b", "a", None, None),
        Presented("a", "c", None, "csiq"),
    )


@pytest.mark.parametrize(
    ("record", "says"),
    [
        ({**LOGITS, "logit_good": float("nan")}, "the logit of 'good' is nan, not a finite number"),
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


SCORES = [{"img_path": f"{n}.jpg", "score": n, "gt_score": n} for n in range(3)]
LEVELS = [{"img_path": f"CSIQ/dst_imgs/redwood.BLUR.{n}.png", "score": n, "gt_score": n / 10} for n in (1, 2)]
MARKED = [{**row, "lower_is_better": True} for row in LEVELS]
ANSWERS = [{"question": "Is it dim?", "options": ["No", "Yes"], "answer": "A", "reply": "A"}]
COMPARED = [{"first": "a.png", "second": "b.png", "choice": "first"}]
OF_CSIQ = [{**COMPARED[0], "dataset": "CSIQ"}]
CHOICES = [{"task": "img-2afc", "dataset": "nights", "id": "1", "prediction": 1}]
OF_PAIRS = [{"task": "iqa-2afc", "dataset": "koniq-10k", "id": "1", "prediction": 1}]
ELSEWHERE = [{"task": "img-2afc", "dataset": "my pairs", "id": "1", "prediction": 1}]
Rows = Sequence[dict[str, Any]]
NAMED = "{0}.json does not say which dataset it is about; choose the dataset, or name the file after it"
AS_CSIQ = (
    "{0}.json names images as CSIQ does, whose published scores are DMOS; say --dataset csiq if its gt_score is lower "
    "for the better image, or else name it otherwise, --dataset NAME"
)
OF_QUESTIONS = "{0}.json holds answers, which are results of perception, but KonIQ-10k is a dataset of assessment; "
OF_CHOICES = "{0}.json holds choices, which are results of iqa-2afc, but KonIQ-10k is a"
KEY = AnswerKey("truth.json", (Sample("0.jpg", ("0.jpg",), human=1.0),))


def about(name: str, rows: Rows, asked: str, **options: Any) -> str:
    """What it is found to be about, with the datasets of its comparisons; or why it is refused."""
    reading = read_results(File(f"{name}.json", json.dumps(list(rows)).encode()))
    try:
        subject = identify(reading, asked, **options)
    except UserError as error:
        return str(error)
    known = subject.facts.name if subject.facts else f"unknown {subject.name}".rstrip()
    return " ".join([known, *sorted({f"of {shown.dataset}" for shown in subject.reading.presented})])


@pytest.mark.parametrize(
    ("name", "rows", "asked", "scored", "handed_in"),
    [
        ("koniq", SCORES, "", "koniq-10k", "koniq-10k"),
        ("mine", SCORES, "", "unknown", NAMED),
        ("koniq", SCORES, "spaq", "spaq", "spaq"),
        ("mine", SCORES, "mine too", "unknown mine too", "no dataset is called 'mine too'; choose the dataset"),
        ("mine", LEVELS, "", AS_CSIQ, NAMED),
        ("mine", LEVELS, "mine too", "unknown mine too", "no dataset is called 'mine too'"),
        ("mine", MARKED, "", "unknown", NAMED),
        ("qbench_dev", ANSWERS, "", "llvisionqa-dev", "llvisionqa-dev"),
        ("koniq", ANSWERS, "", OF_QUESTIONS + "name the dataset that they", OF_QUESTIONS + "choose the dataset it"),
        ("mine", ANSWERS, "my questions", "unknown my questions", "unknown my questions"),
        ("mine", COMPARED, "csiq", "csiq of None", "2afc-coarse of csiq"),
        ("2afc-fine-levels", COMPARED, "", "2afc-fine-levels of None", "2afc-fine-levels of None"),
        ("mine", OF_CSIQ, "", "unknown of CSIQ", "2afc-coarse of CSIQ"),
        ("mine", CHOICES, "", "nights", "nights"),
        ("mine", CHOICES, "koniq", "{0}.json holds choices, which are results of img-2afc", "{0}.json holds choices"),
        ("mine", OF_PAIRS, "", "koniq-10k", OF_CHOICES),
        ("mine", ELSEWHERE, "", "unknown my pairs", "unknown my pairs"),
    ],
)
def test_what_a_file_is_about(name: str, rows: Rows, asked: str, scored: str, handed_in: str) -> None:
    for expected, found in (
        (scored, about(name, rows, asked)),
        (handed_in, about(name, rows, asked, for_board=True)),
    ):
        said = expected.format(name)
        assert found.startswith(said) if " " in said and not said.startswith("unknown") else found == said


def test_a_key_says_the_direction_and_an_archive_the_list_that_samples_its_dataset() -> None:
    assert about("mine", LEVELS, "", key=KEY) == "unknown"
    assert about("csiq", COMPARED, "", sampled=True) == "2afc-coarse of csiq"


ROW = {"consistency": True, "winner": "img1", "answer1": "first", "answer2": "second", "img1_mos": "3.5", "img2_mos": 2}


def read(*names: str, **changes: object) -> list[Reading]:
    """The same verdict in files of these names."""
    row = File("row.json", json.dumps({**ROW, **changes}).encode())
    return packed.read_stages(dict.fromkeys(names, row), row)


def test_a_stage_is_named_after_its_list_and_images_after_their_set() -> None:
    [reading] = read("results/me/Coarse_grained_mixed/textual_results/koniq10k_1.jpg_VS_koniq10k_2.jpg.json")
    assert reading.dataset == "2afc-coarse"
    assert reading.presented == (
        Presented("koniq10k_1.jpg", "koniq10k_2.jpg", "first", "koniq-10k"),
        Presented("koniq10k_2.jpg", "koniq10k_1.jpg", "second", "koniq-10k"),
    )
    assert [sample.human for sample in reading.samples.values()] == [3.5, 2.0]


@pytest.mark.parametrize(
    ("stage", "dataset"),
    [
        ("Fine_grained_CSIQ_levels", "2afc-fine-levels"),
        ("Fine_grained_CSIQ_types", "2afc-fine-types"),
        ("Fine_grain_SPAQ", "2afc-fine-intervals"),
        ("Coarse_grain_mixed", "2afc-coarse"),  # as the study's own summary calls it
        ("koniq-10k", ""),  # a dataset, but no list of comparisons
        ("mine", ""),
    ],
)
def test_stages(stage: str, dataset: str) -> None:
    [reading] = read(f"{stage}/textual_results/a_VS_b.json")
    assert reading.dataset == dataset


def test_images_that_do_not_name_their_set_are_from_the_only_one_of_the_summaries() -> None:
    pair, summary = "me/mine/textual_results/1_VS_2.json", "me/mine/performances/{}_Round_0.json"
    assert read(pair, summary.format("KONIQ"))[0].presented[0].dataset == "koniq-10k"
    assert read(pair, *map(summary.format, ("KONIQ", "SPAQ")))[0].presented[0].dataset is None
    assert read(pair, summary.format("photos"))[0].presented[0].dataset is None


@pytest.mark.parametrize(("said", "choice"), [("draw", "tie"), ("N.A.", None), (None, None), (["first"], None)])
def test_what_is_no_choice_is_none(said: object, choice: str | None) -> None:
    [reading] = read("a_VS_b.json", answer1=said)
    assert [shown.choice for shown in reading.presented] == [choice, "second"]


def test_a_list_gives_images_their_names_back() -> None:
    [reading] = read("CSIQ_dst_imgs_a.BLUR.1_VS_CSIQ_dst_imgs_a.BLUR.2.json")
    names = ["CSIQ/dst_imgs/a.BLUR.1.png", "CSIQ/dst_imgs/a.BLUR.2.png"]
    renamed = packed.rename_images(reading, [Sample(name, (name,)) for name in names])
    assert [shown.first for shown in renamed.presented] == names
    assert list(renamed.samples) == names
