"""`score` at a terminal: what it prints and how it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qbench.assets import assets_folder
from qbench.records import Result
from tests.command_line.asking import SCORES, document, refused, text, write


def test_score_prints_results_that_can_be_stored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [row] = document(capsys, "score", write(tmp_path, SCORES), "--dataset", "mine", "--model", "my model")
    result = Result.from_json(row)
    assert (result.dataset, result.model, result.source.kind) == ("mine", "my model", "self-reported")
    assert row["metrics"]["srcc"]["n"] == 6


def test_an_interval_that_cannot_be_computed_is_null(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [row] = document(capsys, "score", write(tmp_path, SCORES[:2]))
    for metric in row["metrics"].values():
        assert (metric["value"], metric["low"], metric["high"]) == (None, None, None)
        assert metric["note"].startswith("only 2 scored item(s)")


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


def test_several_files_make_one_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [write(tmp_path, SCORES, name) for name in ("koniq.json", "spaq.json")]
    assert [row["dataset"] for row in document(capsys, "score", *paths)] == ["koniq-10k", "spaq"]


def test_one_bad_file_among_several_stops_them_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, "score", write(tmp_path, SCORES), tmp_path / "absent.json").endswith(
        "No such file or directory"
    )


@pytest.mark.parametrize(
    ("content", "options", "says"),
    [
        ("", [], "is empty"),
        ('{"img_path": "a", "score": NaN}', [], "score is nan, not a finite number"),
        ('{"img_path": "<b>\\u001b[31m\\n", "score": "x"}', [], "score is 'x'"),
        ('{"img_path": "a", "score": 1}{"img_path": "a", "score": 2}', [], "'a' was given before with other values"),
        ('{"img_path": "<b>\\u001b[31m\\n", "score": 1}' * 2 + '{"id": 1}', [], "has the fields ['id']"),
        (json.dumps(SCORES), ["--task", "comparison"], "are scored as assessment, not as comparison"),
        ('{"size": 3}', [], "none of the known kinds"),
        ('{"first": "a", "second": "a", "choice": "tie"}', [], "'a' is compared with itself"),
        ('{"first": "a", "second": "b", "choice": "both"}', [], "choice is 'both'"),
    ],
)
def test_score_refuses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, options: list[str], says: str
) -> None:
    assert says in refused(capsys, "score", write(tmp_path, content), *options)


def test_a_spreadsheet_as_truth_is_refused_as_what_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = assets_folder() / "examples" / "my-model_Q-Bench1_VAL.xlsx"
    assert refused(capsys, "score", write(tmp_path, SCORES), "--truth", sheet) == (
        "my-model_Q-Bench1_VAL.xlsx: this is a zip archive or a spreadsheet (xlsx); what is read here is JSON, JSON "
        "lines, CSV or TSV"
    )


def test_hostile_names_in_files_and_of_files_stay_on_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "<img src=x>\x1b[31m\n" * 20
    path = write(tmp_path, [{"img_path": name, "score": 1}, {"img_path": name, "score": 2}], "a\nb\x1b[2J.json")
    told = refused(capsys, "score", path, "--json")
    assert told.startswith(r"a\nb\x1b[2J.json: record 2 (line 2): '<img src=x>\x1b[31m\n")
    assert len(told) < 250


def test_groups_with_hostile_names_cannot_draw_on_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {"question": "q", "options": ["a", "b"], "answer": "a", "response": "a", "concern": "\x1b[2J\nfake: 1.0"}
    printed = text(capsys, "score", write(tmp_path, [row]), "--model", "m\x07", "--dataset", "d\x1b")
    assert printed.replace("\n", "").isprintable()
    assert r"concern: \x1b[2J\nfake: 1.0" in printed


@pytest.mark.parametrize("truth", ["", "[]", '[{"img_path": "0.png"', '{"img_path": "0.png", "gt_score": null}'])
def test_score_refuses_a_malformed_truth(tmp_path: Path, capsys: pytest.CaptureFixture[str], truth: str) -> None:
    other = write(tmp_path, truth, "truth.json")
    assert "truth.json" in refused(capsys, "score", write(tmp_path, SCORES), "--truth", other)
