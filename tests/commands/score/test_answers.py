"""Replies to multiple-choice questions: how they find their question, and what they are worth."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands.asking import text, write
from tests.commands.score.made_files import OPTIONS, complaint, llava, one, value


def test_a_llava_file_is_scored_by_the_answers_it_carries(tmp_path: Path) -> None:
    rows = [
        llava(0, "B."),
        llava(1, "The photo is soft."),
        llava(2, "", type=1, concern=3),
        llava(3, "I cannot see the image.", type=1),
        llava(4, None, type=1),
        llava(5, "(B) Sharp", type=1),
    ]
    result = one(write(tmp_path, [*rows, rows[0]], "llvisionqa_dev.json"))
    assert (result.task, result.dataset, result.split) == ("perception", "llvisionqa-dev", "dev")
    assert value(result.metrics, "accuracy") == pytest.approx(2 / 6)
    assert sum(result.unscored.values()) == 3
    assert result.unscored["empty"] == 2
    by_type = {name: value(metrics, "accuracy") for name, metrics in result.groups["question_type"].items()}
    assert by_type == pytest.approx({"how": 1 / 2, "what": 1 / 4})
    assert value(result.groups["concern"]["in-context-other"], "accuracy") == 0
    counts = {"read": 7, "repeated": 1, "missing": 1489, "scored": 6, "without_truth": 0}
    assert result.status == counts
    assert result.protocol["unscored"] == "counted as not correct"


def questions() -> list[dict[str, object]]:
    return [
        {"img_path": f"x/{i}.jpg", "question": f"How sharp is photo {i}?", "options": OPTIONS, "answer": "Sharp"}
        for i in range(4)
    ]


@pytest.mark.parametrize(
    "named",
    [
        lambda i: {"id": i},
        lambda i: {"question": f"How sharp is photo {i}?", "img_path": f"y/{i}.jpg"},
        lambda i: {"question": f"How sharp is photo {i}?"},
    ],
    ids=["by position", "by question and image", "by question"],
)
def test_a_reply_finds_its_question(tmp_path: Path, named: Callable[[int], dict[str, object]]) -> None:
    truth = write(tmp_path, questions(), "truth.json")
    result = one(write(tmp_path, [{**named(i), "reply": "AB"[i % 2]} for i in range(3)]), truth=truth)
    assert value(result.metrics, "accuracy") == pytest.approx(1 / 3)
    assert (result.status["missing"], result.source.kind) == (1, "rescored")


def test_numbers_that_name_other_questions_are_refused(tmp_path: Path) -> None:
    truth = write(tmp_path, questions(), "truth.json")
    prompts = [{"id": i, "question": f"Look! How sharp is photo {i}?\nA. Soft", "reply": "B"} for i in range(4)]
    assert value(one(write(tmp_path, prompts), truth=truth).metrics, "accuracy") == 1
    shifted = [{**row, "id": i} for i, row in enumerate(prompts[1:])]
    assert "'0' is another question in truth.json (3 such" in complaint(write(tmp_path, shifted), truth=truth)
    images = [{"id": i, "img_path": f"{i + 1}.jpg", "reply": "B"} for i in range(3)]
    assert "'0' is another question" in complaint(write(tmp_path, images), truth=truth)


def test_letters_are_of_the_options_in_the_order_that_the_file_shows(tmp_path: Path) -> None:
    """The list has Soft before Sharp; who was shown Sharp first and says A means Sharp, which is right."""
    truth = write(tmp_path, questions(), "truth.json")
    asked = [{"question": f"How sharp is photo {i}?", "img_path": f"{i}.jpg"} for i in range(4)]
    sharp_first = ["Sharp", "Soft", "Medium"]

    def accuracy(options: list[str], letter: str) -> float | None:
        rows = [{**row, "options": options, "reply": letter} for row in asked]
        return value(one(write(tmp_path, rows), truth=truth).metrics, "accuracy")

    assert (accuracy(OPTIONS, "A"), accuracy(OPTIONS, "B")) == (0, 1)
    assert (accuracy(sharp_first, "A"), accuracy(sharp_first, "B")) == (1, 0)
    others = write(tmp_path, [{**row, "options": ["Sharp", "Blurred"], "reply": "A"} for row in asked])
    assert "has other options in truth.json (4 such records in all)" in complaint(others, truth=truth)


def test_questions_that_share_an_image_count_as_one_cluster_and_say_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{**llava(i // 2, "B"), "question": f"Question {i}?", "response": "AB"[i % 3 == 0]} for i in range(20)]
    path = write(tmp_path, rows)
    accuracy = one(path).metrics["accuracy"]
    assert (accuracy.n, accuracy.value) == (10, 7 / 20)
    assert accuracy.method == "wilson over clusters"
    printed = re.findall(r"  accuracy .*  (n=.*)", text(capsys, "score", path))
    assert printed == ["n=20 in 10 clusters", "n=10 clusters", "n=10 clusters"]  # of all, of its type, of its concern


def test_answers_need_options_and_a_truth(tmp_path: Path) -> None:
    assert complaint(write(tmp_path, {"id": 1, "reply": "B"})) == (
        "file.json: not every question has options in the file; give the truth with --truth FILE"
    )
    told = complaint(write(tmp_path, [llava(i, "B", None) for i in range(2)]))
    assert told == "file.json: none of 2 questions has a known answer in the file; give the truth with --truth FILE"
    mixed = one(write(tmp_path, [llava(0, "B"), llava(1, "B", None)]))
    assert (mixed.status["scored"], mixed.status["without_truth"]) == (1, 1)
