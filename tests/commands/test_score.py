"""`score` at a terminal: what it prints and how it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from qbench.__main__ import main
from tests.commands.asking import SCORES, refused, text, write


def test_score_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    constant = [{**row, "score": 1} for row in SCORES]
    path, other = write(tmp_path, [*SCORES, SCORES[0]]), write(tmp_path, constant, "constant.jsonl")
    first, second = text(capsys, "score", path, other, "--model", "shikra").strip().split("\n\n")
    head, counts, srcc, *rest = first.splitlines()
    assert head == "shikra on unnamed (assessment, self-reported)"
    assert counts == "  7 read, 1 repeated, 6 scored"
    assert srcc.split()[:2] == ["srcc", "0.8857"]  # two swapped neighbours: 1 - 6 * 4 / (6 * 35)
    assert [line.split()[0] for line in rest] == ["plcc", "plcc_fitted", "krcc", "rmse"]
    assert "–        all 6 model scores are equal" in second


def test_one_bad_file_among_several_leaves_the_others_their_records(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = write(tmp_path, SCORES, "koniq.json"), write(tmp_path, "", "spaq.json")
    assert main(["score", str(bad), str(good), str(tmp_path / "absent.json"), "--json"]) == 2
    printed = capsys.readouterr()
    assert [row["dataset"] for row in json.loads(printed.out)] == ["koniq-10k"]
    empty, absent = printed.err.splitlines()
    assert empty == "qbench: spaq.json is empty; expected JSON records or CSV lines"
    assert absent.endswith("absent.json: No such file or directory")


def noted(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    """What --json prints, where stderr says that records were left out."""
    assert main([*map(str, arguments), "--json"]) == 0
    printed = capsys.readouterr()
    assert "cannot be used and were left out" in printed.err
    return json.loads(printed.out)


def rated(count: int) -> list[str]:
    """Lines of a CSV whose scores and human scores agree in order."""
    return ["img_path,score,gt_score", *(f"{number}.png,{number},{number}" for number in range(count))]


BAD_LINES = ["a.png,nan,1", "b.png,,2", "c.png", "7.png,70,7", "d.png,nan,3"]
"""No number twice, an empty cell, a line that breaks off, and an image that has another score already."""
REASONS = (
    "5 of 105 records cannot be used and were left out: 3 × score is …, not a finite number; "
    "1 × does not have the header's … fields; 1 × … was given before with other values "
    "(first: record 101 (line 102): score is 'nan', not a finite number; record 102 (line 103): score is '', not a "
    "finite number; record 103 (line 104) does not have the header's 3 fields)"
)


def test_records_that_cannot_be_used_are_left_out_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, "\n".join([*rated(100), *BAD_LINES]), "scores.csv")
    assert main(["score", str(path), "--json"]) == 0
    printed = capsys.readouterr()
    [record] = json.loads(printed.out)
    assert (record["metrics"]["srcc"]["value"], record["metrics"]["srcc"]["n"]) == (1.0, 100)  # 7.png counts as first
    assert record["protocol"]["left_out"] == REASONS
    assert printed.err == f"qbench: {REASONS}\n"


def test_many_records_that_cannot_be_used_are_only_left_out_on_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, "\n".join([*rated(94), *BAD_LINES]), "scores.csv")  # 5 of 99: 5.05 %
    said = refused(capsys, "score", path)
    assert said.startswith(
        "scores.csv: record 95 (line 96): score is 'nan', not a finite number (5 such records in all)"
    )
    assert said.endswith("; mend or remove them and score the file again, or leave them out with --skip-bad")
    [record] = noted(capsys, "score", path, "--skip-bad")
    assert record["metrics"]["srcc"]["n"] == 94


def test_records_about_nothing_in_the_truth_are_left_out_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    truth = write(tmp_path, [{"img_path": f"{n}.png", "gt_score": n} for n in range(57)], "truth.json")
    rows = [{"img_path": f"{n}.png", "score": n} for n in range(57)]
    rows += [{"img_path": "other.png", "score": 1}, *({"img_path": name, "score": None} for name in "ab")]
    [record] = noted(capsys, "score", write(tmp_path, rows), "--truth", truth)  # 3 of 60: 5 %
    assert (record["metrics"]["srcc"]["n"], record["status"]["missing"]) == (57, 0)
    left_out = record["protocol"]["left_out"]
    assert left_out.startswith("3 of 60 records cannot be used and were left out: 2 × score is …, not a finite number;")
    assert "1 × … is not in truth.json" in left_out
    said = refused(capsys, "score", write(tmp_path, [*rows, {"img_path": "x", "score": 2}]), "--truth", truth)
    assert "record 59 (line 59): score is None, not a finite number (4 such records in all)" in said


@pytest.mark.parametrize(
    ("content", "options", "says"),
    [
        ('{"img_path": "<b>\\u001b[31m\\n", "score": 1}' * 2 + '{"id": 1}', [], "has the fields ['id']"),
        (json.dumps(SCORES), ["--task", "comparison"], "are scored as assessment, not as comparison"),
        ('{"size": 3}', [], "none of the known kinds"),
    ],
)
def test_score_refuses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, options: list[str], says: str
) -> None:
    assert says in refused(capsys, "score", write(tmp_path, content), *options)


def test_groups_with_hostile_names_cannot_draw_on_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {"question": "q", "options": ["a", "b"], "answer": "a", "response": "a", "concern": "\x1b[2J\nfake: 1.0"}
    printed = text(capsys, "score", write(tmp_path, [row]), "--model", "m\x07", "--dataset", "d\x1b")
    assert printed.replace("\n", "").isprintable()
    assert r"concern: \x1b[2J\nfake: 1.0" in printed
