"""Demo sets by name, offline: made at first use, listed with the others, and marked in every record."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qbench.__main__ import main
from qbench.datasets import open_dataset
from qbench.datasets.demo import DEMO_SETS, make_demo_set
from qbench.datasets.known import SYNTHETIC, find_dataset, known_datasets
from qbench.tasks import TASKS


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("QBENCH_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def test_known_demo_sets_are_the_ones_there_are() -> None:
    known = {facts.name: facts for facts in known_datasets() if facts.truth == "construction"}
    assert list(known) == list(DEMO_SETS)
    for name, fact in known.items():
        assert fact.items == len(make_demo_set(name).samples)
        assert fact.task in TASKS
        assert name.startswith(f"demo-{fact.task}")


@pytest.mark.parametrize("rule", ["levels", "types", "intervals"])
def test_fine_sets_are_paired_by_their_rule_unasked(
    rule: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("run", "--model", "scripted", "--task", "comparison", "--dataset", f"demo-comparison-{rule}")
    (record,) = run(capsys, *arguments, "--rounds", 2, "--out", tmp_path / "out")
    assert record["protocol"]["pairing"] == rule
    assert record["status"]["presented"] == 4 * 2 * 2 * 2  # sets, pairs, rounds, orders
    assert record["metrics"]["consistency"]["value"] == 1
    assert ("accuracy" in record["metrics"]) == (rule != "types")


def test_a_set_is_made_at_first_use_and_found_at_the_second(root: Path) -> None:
    first = open_dataset("demo-comparison-types", limit=2)
    assert [Path(sample.images[0]).is_file() for sample in first.samples] == [True, True]
    assert first.limit == 2
    made = {path: path.stat().st_mtime_ns for path in root.rglob("*.png")}
    assert len(made) == 2  # only what is used
    again = open_dataset("demo-comparison-types", limit=2)
    assert again == first
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*.png")} == made


def test_a_reference_image_is_the_first_of_the_paths() -> None:
    (one,) = open_dataset("demo-img-2afc", limit=1).samples
    assert one.reference == one.images[0]
    assert Path(one.reference).is_file()


def test_a_reference_description_stays_a_text() -> None:
    (one,) = open_dataset("demo-description", limit=1).samples
    assert "quality" in one.reference


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[dict]:
    assert main([*map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("task", ["perception", "description", "assessment", "comparison", "odd-one-out"])
def test_records_say_that_the_truth_was_constructed(
    task: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("run", "--model", "scripted", "--task", task, "--dataset", f"demo-{task}", "--limit", 4)
    records = run(capsys, *arguments, "--out", tmp_path / "out")
    assert {record["protocol"]["truth"] for record in records} == {SYNTHETIC}


def test_scored_files_say_it_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.json"
    rows = [{"img_path": f"{number}.png", "gt_score": number, "score": number} for number in range(12)]
    file.write_text(json.dumps(rows))
    (record,) = run(capsys, "score", file, "--dataset", "demo-assessment", "--model", "mine")
    assert record["protocol"]["truth"] == SYNTHETIC


def test_the_list_of_datasets_marks_them(capsys: pytest.CaptureFixture[str]) -> None:
    rows = {row["name"]: row for row in run(capsys, "datasets")}
    assert rows["demo-retrieval"]["here"]
    assert rows["demo-retrieval"]["what"].endswith("; synthetic, truth by construction")
    assert rows["demo-retrieval"]["truth"] == "construction"
    assert rows["koniq-10k"]["truth"] == find_dataset("koniq").truth == "people"
