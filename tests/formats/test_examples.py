"""Examples that the page offers and files as other tools write them are read as their formats, to figures by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from qbench.commands.score import score_file
from qbench.datasets.fields import LETTERS_ALONE
from qbench.errors import UserError
from qbench.formats import DESCRIPTIONS, FORMATS, find_format, read_results
from qbench.formats.reading import Format
from qbench.formats.reported import read_reported
from qbench.rows import MOST_ROWS, Row, read_file
from tests.commands.asking import document, refused

EXAMPLES = Path(__file__).resolve().parents[2] / "assets" / "examples"


def test_every_example_belongs_to_one_kind_of_the_table_and_every_kind_has_one() -> None:
    named = [name for kind in DESCRIPTIONS for name in kind.examples]
    assert sorted(named) == sorted(path.name for path in EXAMPLES.iterdir())
    assert all(kind.examples for kind in DESCRIPTIONS)


@pytest.mark.parametrize("kind", FORMATS, ids=lambda kind: kind.kind)
def test_the_record_that_errors_show_is_of_its_kind_and_can_be_read(kind: Format) -> None:
    row = Row(json.loads(kind.example), "record 1")
    assert next(known for known in FORMATS if known.recognise(row)) is kind
    kind.read(row)
    assert all(find_format(read_file(EXAMPLES / name)) is kind for name in kind.examples if not name.endswith(".zip"))


SAME_REPLIES = [
    "llava.llvisionqa-dev.jsonl",
    "answers.llvisionqa-dev.json",
    "20260101_120000_samples_qbench_dev.jsonl",
    "my-model_Q-Bench1_VAL.xlsx",
    "my-model_Q-Bench1_VAL.tsv",
    "my-model_Q-Bench1_VAL.json",
]


@pytest.mark.parametrize("name", SAME_REPLIES)
def test_the_same_replies_are_read_from_every_format(name: str) -> None:
    """The option "None" and the order of the options survive; the workbook was written by openpyxl."""
    read = read_results(EXAMPLES / name)
    samples, replies = list(read.samples.values()), [response.text for response in read.responses.values()]
    assert (read.task, read.dataset) == ("perception", "llvisionqa-dev")
    assert replies == ["A. Yes", "B", "C.", "The answer is B. Dark.", "I cannot tell.", "B. Yes"]
    assert samples[1].options == ("Noise", "Overexposure", "None")
    assert [sample.answer for sample in samples] == [0, 1, 0, 1, 0, 1]


def test_lmms_evals_results_are_a_claim_with_an_interval() -> None:
    claims = read_reported(read_file(EXAMPLES / "20260101_120000_results.json"), "my-model", MOST_ROWS)
    assert claims is not None
    [result] = claims.results
    estimate = result.metrics["accuracy"]
    assert (result.dataset, result.source.kind, estimate.value, estimate.n) == (
        "llvisionqa-dev",
        "self-reported",
        0.61271,
        1495,
    )
    assert estimate.low == pytest.approx(0.5878, abs=1e-4)  # Wilson's formula by hand
    assert estimate.high == pytest.approx(0.6371, abs=1e-4)


def test_older_lmms_eval_files_wrap_their_samples(tmp_path: Path) -> None:
    doc = {"question": "Is it dim?", "option0": "No", "option1": "Yes", "option2": "N/A", "option3": "N/A"}
    judged = {"id": 3, "question_concern": 1, "question_type": 0, "answer": "B", "parsed_pred": "B"}
    log = {"doc_id": 3, "doc": doc, "qbench_acc": judged, "filtered_resps": ["Yes"]}
    path = tmp_path / "qbench_dev.json"
    path.write_text(json.dumps({"args": {}, "model_configs": {}, "logs": [log]}), encoding="utf-8")
    read = read_results(path)
    [sample], [response] = read.samples.values(), read.responses.values()
    assert (sample.options, sample.answer, response.text) == (("No", "Yes"), 1, "Yes")


# --- as other tools write them, read without an option


PHOTOS = {f"{number:03}.jpg": number for number in range(9)}
SHUFFLED = {name: (number * 5) % 9 for name, number in PHOTOS.items()}
SRCC = 0.5
"""Of these scores with the order of PHOTOS, 1 - 6 * 60 / (9 * 80) by hand."""


def lines(*rows: str) -> str:
    return "".join(f"{row}\n" for row in rows)


def of_photos(row: Callable[[str, int, int], Any]) -> list[Any]:
    return [row(name, mos, SHUFFLED[name]) for name, mos in PHOTOS.items()]


BESIDE = {
    # https://github.com/chaofengc/IQA-PyTorch, `pyiqa -o FILE`
    "pyiqa.csv": lines("img_name,niqe", *of_photos(lambda name, _, score: f"{name},{score}")),
    # what everybody writes first
    "by-name.json": json.dumps(SHUFFLED),
    "no-header.csv": lines(*of_photos(lambda name, _, score: f"{name},{score}")),
    "any-name.csv": lines("file,my own score", *of_photos(lambda name, _, score: f"{name},{score}")),
}
SCORES_WITH_TRUTH = {
    # https://github.com/TobyYang7/Q-Insight, evaluation_results
    "q-insight.json": json.dumps(
        {
            "srcc": 0.5,
            "detailed_results": of_photos(lambda name, mos, score: {"image": name, "pred_score": score, "mos": mos}),
        }
    ),
    "three-columns.csv": lines("filename,MOS,mine", *of_photos(lambda name, mos, score: f"{name},{mos},{score}")),
    "lower-is-better.csv": lines("filename,DMOS,mine", *of_photos(lambda name, mos, score: f"{name},{-mos},{score}")),
}


@pytest.mark.parametrize("name", BESIDE)
def test_scores_beside_a_list_of_file_names_and_mos(name: str, tmp_path: Path) -> None:
    file, truth = tmp_path / name, tmp_path / "mos.csv"
    file.write_text(BESIDE[name], encoding="utf-8")
    truth.write_text(lines("filename,MOS", *(f"{photo},{mos}" for photo, mos in PHOTOS.items())), encoding="utf-8")
    [result] = score_file(file, truth=truth)
    assert result.metrics["srcc"].value == pytest.approx(SRCC, abs=1e-12)
    assert (result.metrics["srcc"].n, result.source.kind) == (9, "rescored")


@pytest.mark.parametrize("name", SCORES_WITH_TRUTH)
def test_scores_with_their_truth(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(SCORES_WITH_TRUTH[name], encoding="utf-8")
    [result] = score_file(file)
    assert result.metrics["srcc"].value == pytest.approx(SRCC, abs=1e-12)


QUESTIONS = [
    ("Is it blurry?", ["Yes", "No"], "A", "A"),
    ("Which?", ["Blur", "Noise"], "B", "A"),
    ("Dim?", ["Yes", "No"], "B", "B"),
]
"""Question, options, the right letter, and the letter that the model chose: two of three are right."""


def of_questions(row: Callable[[int, str, list[str], str, str], Any]) -> list[Any]:
    return [row(number, *question) for number, question in enumerate(QUESTIONS)]


REPLIES = {
    # https://github.com/whycantfindaname/doi-vllms, results/q_bench
    "llvisionqa.json": of_questions(
        lambda at, asked, options, right, said: {
            "img_path": f"{at}.jpg",
            "question": asked,
            "candidates": options,
            "correct_ans": options["AB".index(right)],
            "pred_ans": f"{said}. {options['AB'.index(said)]}",
        }
    ),
    # https://github.com/zeyofu/BLINK_Benchmark, eval/saved_outputs
    "blink.json": {
        "val": of_questions(
            lambda at, _asked, _options, right, said: {
                "idx": f"val_Counting_{at}",
                "answer": f"({right})",
                "full_prediction": f"({said}) is right.",
                "prediction": f"({said})",
            }
        ),
        "test": [],
    },
    # https://github.com/MMMU-Benchmark/MMMU, outputs of its evaluation
    "mmmu.json": of_questions(
        lambda at, _asked, options, right, said: {
            "id": f"validation_Art_{at}",
            "question_type": "multiple-choice",
            "answer": right,
            "all_choices": ["A", "B"],
            "index2ans": dict(zip("AB", options, strict=True)),
            "response": said,
        }
    ),
    # https://github.com/MMMU-Benchmark/MMMU, mmmu-pro/output
    "mmmu-pro.jsonl": of_questions(
        lambda at, _asked, options, right, said: {
            "id": f"test_Art_{at}",
            "options": repr(options),
            "answer": right,
            "response": f"Answer: {said}",
        }
    ),
    # https://github.com/EvolvingLMMs-Lab/lmms-eval, samples of any task with options
    "lmms-eval.jsonl": of_questions(
        lambda at, asked, options, right, said: {
            "doc_id": at,
            "doc": {"question": asked, "options": options},
            "target": right,
            "resps": [[said]],
            "filtered_resps": [said],
        }
    ),
    # https://github.com/UKGovernmentBEIS/inspect_ai, a log in JSON
    "inspect.json": {
        "version": 2,
        "status": "success",
        "eval": {"task": "blur", "model": "openai/gpt-5"},
        "samples": of_questions(
            lambda at, asked, options, right, said: {
                "id": at,
                "epoch": 1,
                "input": [{"role": "user", "content": [{"type": "text", "text": asked}]}],
                "choices": options,
                "target": right,
                "output": {"completion": f"ANSWER: {said}"},
            }
        ),
    },
}


@pytest.mark.parametrize("name", REPLIES)
def test_replies_to_questions(name: str, tmp_path: Path) -> None:
    file, content = tmp_path / name, REPLIES[name]
    rows = map(json.dumps, content) if name.endswith("jsonl") else [json.dumps(content)]
    file.write_text(lines(*rows), encoding="utf-8")
    [result] = score_file(file)
    accuracy = result.metrics["accuracy"]
    assert (accuracy.value, accuracy.n) == (pytest.approx(2 / 3), 3)
    assert result.protocol.get("note") == (LETTERS_ALONE if name == "blink.json" else None)


def test_columns_are_named_where_they_do_not_tell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "table.csv"
    rows = of_photos(lambda name, mos, score: f"{name},{mos},{score},7")
    file.write_text(lines("a,b,c,width", *rows), encoding="utf-8")
    said = refused(capsys, "score", file)
    assert "or say which column is which, such as --columns image=a score=width" in said
    [record] = document(capsys, "score", file, "--columns", "image=a", "truth=b", "score=c")
    assert record["metrics"]["srcc"]["value"] == pytest.approx(SRCC, abs=1e-12)
    with pytest.raises(UserError, match="has no field d; its fields are a, b, c, width"):
        score_file(file, columns={"img_path": "a", "score": "d"})
    said = refused(capsys, "score", file, "--columns", "photo=a")
    assert "is not WORD=COLUMN with one of the words image, truth, score" in said
