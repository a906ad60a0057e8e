"""Which dataset a file is about: the same door for `score` and for what is handed in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from qbench.datasets.answer_keys import AnswerKey
from qbench.errors import UserError
from qbench.formats import read_results
from qbench.formats.subject import identify
from qbench.records import Sample
from qbench.rows import File

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
        (
            "mine",
            LEVELS,
            "",
            "{0}.json names images as CSIQ does, whose published scores are DMOS; say --dataset",
            NAMED,
        ),
        ("mine", MARKED, "", "unknown", NAMED),
        ("qbench_dev", ANSWERS, "", "llvisionqa-dev", "llvisionqa-dev"),
        (
            "koniq",
            ANSWERS,
            "",
            "{0}.json holds answers, which are results of perception, but KonIQ-10k is a",
            "{0}.json holds",
        ),
        ("mine", ANSWERS, "my questions", "unknown my questions", "unknown my questions"),
        ("mine", COMPARED, "csiq", "csiq of None", "2afc-coarse of csiq"),
        ("2afc-fine-levels", COMPARED, "", "2afc-fine-levels of None", "2afc-fine-levels of None"),
        ("mine", OF_CSIQ, "", "unknown of CSIQ", "2afc-coarse of CSIQ"),
        ("mine", CHOICES, "", "nights", "nights"),
        ("mine", CHOICES, "koniq", "{0}.json holds choices, which are results of img-2afc", "{0}.json holds choices"),
        (
            "mine",
            OF_PAIRS,
            "",
            "koniq-10k",
            "{0}.json holds choices, which are results of iqa-2afc, but KonIQ-10k is a",
        ),
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


def test_the_answers_that_it_is_held_against_do_not_need_its_direction() -> None:
    assert about("mine", LEVELS, "", key=KEY) == "unknown"


def test_comparisons_in_an_archive_are_of_the_list_that_samples_their_dataset() -> None:
    assert about("csiq", COMPARED, "", sampled=True) == "2afc-coarse of csiq"
