"""Every example that the page offers is read as its format, whole, and gives the figure worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qbench.formats import DESCRIPTIONS, FORMATS, find_format, read_results
from qbench.formats.reading import Format
from qbench.formats.reported import read_reported
from qbench.rows import MOST_ROWS, Row, read_file

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


@pytest.mark.parametrize(
    ("name", "task", "dataset", "count"),
    [
        ("scores.koniq.csv", "assessment", "koniq-10k", 12),
        ("word-logits.koniq.json", "assessment", "koniq-10k", 12),
        ("responses.koniq.jsonl", "assessment", "koniq-10k", 12),
        ("unisim-predictions.jsonl", "img-2afc", "nights", 20),
    ],
)
def test_recognised_by_content(name: str, task: str, dataset: str, count: int) -> None:
    read = read_results(EXAMPLES / name)
    assert (read.task, read.dataset, len(read.responses)) == (task, dataset, count)


REPLIES = [
    "llava.llvisionqa-dev.jsonl",
    "answers.llvisionqa-dev.json",
    "20260101_120000_samples_qbench_dev.jsonl",
    "my-model_Q-Bench1_VAL.xlsx",
    "my-model_Q-Bench1_VAL.tsv",
    "my-model_Q-Bench1_VAL.json",
]


@pytest.mark.parametrize("name", REPLIES)
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
