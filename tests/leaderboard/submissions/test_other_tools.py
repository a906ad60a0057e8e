"""Files that other tools write reach their board, with figures worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leaderboard.boards import all_boards
from leaderboard.snapshot import Snapshot
from leaderboard.store import Loaded, records_of
from leaderboard.submissions.answer_keys import AnswerKeys
from leaderboard.submissions.check import check
from leaderboard.submissions.scoring import ScoringOptions
from qbench.models import catalogue


def judged(number: int, field: str, **codes: object) -> dict[str, object]:
    """A sample as lmms-eval writes it: the reply is A, and right for even numbers."""
    asked = f"Which one of {number} is blurred?\nA. The first\nB. The second\n"
    return {
        "doc_id": number,
        "filtered_resps": "A",
        field: {"id": number, "answer": "AB"[number % 2], "parsed_pred": "A", **codes},
        "submission": {str(number): "A"},
        "input": asked,
    }


CATEGORIES = ("part1 -> bag_of_words -> attribute", "part2 -> technical -> overall", "part2 -> generative_distortion")
UPLOADS: dict[str, tuple[str, list[dict[str, object]], dict[str, float]]] = {
    "20260101_120000_samples_qbench2_dev.jsonl": (
        "perception-pairs-dev",
        [judged(number, "qbench_acc", question_type=number % 2, question_concern=2) for number in range(1000)],
        {"overall": 0.5, "question_type/yes-or-no": 1.0, "question_type/what": 0.0},
    ),
    "20260101_120000_samples_abench_dev.jsonl": (
        "a-bench-dev",
        [judged(number, "abench_acc", category=CATEGORIES[number % 3]) for number in range(6)],
        {
            "overall": 0.5,
            "part/part1": 0.5,
            "part/part2": 0.5,
            **dict.fromkeys(("category/bag-of-words", "category/technical", "category/generative"), 0.5),
        },
    ),
    "my-model_A-Bench_VAL.json": (
        "a-bench-dev",
        [
            {
                "index": number,
                "question": f"Question {number}?",
                "A": "Yes",
                "B": "No",
                "answer": "A",
                "category": CATEGORIES[0],
                "prediction": "AB"[number % 2],
            }
            for number in range(4)
        ],
        {"overall": 0.5, "part/part1": 0.5, "category/bag-of-words": 0.5},
    ),
    "my-model_Q-Bench1_VAL.json": (
        "perception-dev",
        [
            {"index": n, "question": f"Question {n}?", "A": "Yes", "B": "No", "answer": "A", "prediction": "A"}
            for n in range(1495)
        ],
        {"overall": 1.0, "unread": 0.0},
    ),
}
"""Name of a file that other tools write -> its board, its records, and figures worked out by hand."""


@pytest.mark.parametrize("name", UPLOADS)
def test_files_of_other_tools_reach_their_board(name: str, tmp_path: Path) -> None:
    board, rows, figures = UPLOADS[name]
    path = tmp_path / name
    lines = [json.dumps(row) for row in rows]
    path.write_text("\n".join(lines) if name.endswith(".jsonl") else f"[{','.join(lines)}]", encoding="utf-8")
    report = check(path, "my-model", ScoringOptions(AnswerKeys(tmp_path / "none")))
    assert report.accepted, report.problems
    snapshot = Snapshot(Loaded(records_of(report.results), (), ""), all_boards(), catalogue.find_model)
    [row] = snapshot.table(board, "all").ranked.values()
    assert {key: cell.value for key, cell in row.cells.items()} == figures
