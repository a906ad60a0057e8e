"""The models that come with the project: small, without code of their own, and as on their cards."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from qbench.__main__ import main
from qbench.models.builtin import BUILTIN, WEIGHTS_FOLDER

NAMES = ("nano-iqa", "nano-vlm", "nano-clip")
ABSOLUTE = re.compile(rb"(?<![\w:/.<)])/(?:[\w.-]{2,}/)+[\w.-]{2,}|\b[A-Z]:\\{1,2}\w{2,}")
"""A path from the root of a file system, of two names or more, or from a drive."""
SIMILARITY = ("img-2afc", "it-2afc", "text-2afc", "iqa-2afc", "attributes", "odd-one-out", "retrieval")
RUNS = [
    ("nano-iqa", "comparison"),
    ("nano-vlm", "perception"),
    ("nano-clip", "retrieval"),
    *(
        pytest.param(model, task, marks=pytest.mark.slow(reason="it is asked about many pictures"))
        for model in ("nano-vlm", "nano-clip")
        for task in ("comparison", *SIMILARITY)
        if (model, task) != ("nano-clip", "retrieval")
    ),
    pytest.param("nano-vlm", "description", marks=pytest.mark.slow(reason="it writes about many pictures")),
]


def test_together_they_are_small_and_hold_nothing_that_runs() -> None:
    files = [path for name in NAMES for path in (WEIGHTS_FOLDER / name).rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 24 * 1000**2
    assert max(path.stat().st_size for path in files) < 9 * 1000**2  # a Space takes no file of 10 MB without LFS
    assert {path.suffix for path in files} <= {".safetensors", ".json", ".jsonl", ".jinja", ".md"}
    assert set(NAMES) <= BUILTIN.keys()
    for name, kind in (("nano-vlm", "fast_vlm"), ("nano-clip", "vision-text-dual-encoder")):  # nano-iqa is heads alone
        config = json.loads((WEIGHTS_FOLDER / name / "config.json").read_text(encoding="utf-8"))
        assert config["model_type"] == kind
        assert "auto_map" not in config


def test_no_file_of_a_checkpoint_names_a_folder_of_the_machine_it_was_made_on() -> None:
    """Libraries write where a model was read from into its configuration."""
    folders = sorted(path.parent for path in WEIGHTS_FOLDER.rglob("*.safetensors"))
    assert {folder.name for folder in folders} >= set(NAMES)
    for path in (path for folder in folders for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes()
        if path.suffix == ".safetensors":  # its header is text; of its numbers some look like paths
            content = content[8 : 8 + int.from_bytes(content[:8], "little")]
        assert ABSOLUTE.findall(content) == [], path


@pytest.mark.parametrize(("model", "task"), RUNS)
def test_every_other_task_runs(model: str, task: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    limit = 8 if task == "retrieval" else 4
    command = f"run --model {model} --task {task} --dataset demo-{task} --limit {limit} --json --out {tmp_path}"
    assert main(command.split()) == 0
    (record,) = json.loads(capsys.readouterr().out)
    assert record["protocol"]["truth"] == "construction (synthetic)"
    assert record["status"]["failed"] == 0
    assert record["unscored"].get("failed", 0) == 0


@pytest.mark.parametrize("model", ("brightness", "contrast", "sharpness", "colourfulness", "niqe", *NAMES))
def test_scores_are_those_behind_the_record_on_the_board(model: str, tmp_path: Path) -> None:
    """Picture by picture; on another processor the last digits of what is seen may differ."""
    run = f"run --model {model} --task assessment --dataset demo-assessment --limit 18 --out {tmp_path}"
    assert main(run.split()) == 0
    name = f"items/assessment--demo-assessment--{model}--*.jsonl"
    (made,), (shown,) = (folder.glob(name) for folder in (tmp_path, WEIGHTS_FOLDER / "demo"))
    ours, stored = (json.loads(path.read_text(encoding="utf-8").splitlines()[1]) for path in (made, shown))
    assert ours["names"] == stored["names"][:18]
    assert ours["values"] == pytest.approx(stored["values"][:18], abs=0.01)


FIGURE = re.compile(r"(-?\d\.\d+)(?: \((-?\d\.\d+) to (-?\d\.\d+)\))?")


def card(model: str) -> str:
    return (WEIGHTS_FOLDER / model / "README.md").read_text(encoding="utf-8")


def cells(model: str) -> Iterator[tuple[str, str, str, str]]:
    """Dataset, metric, model and what is printed, of the tables whose rows are figures of demo sets."""
    head: list[str] = []
    for line in card(model).splitlines():
        row = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if row[:2] == ["set", "figure"]:
            head = row
        elif row and head and row[0].startswith("demo-"):
            named = zip(head[2:], row[2:], strict=True)
            yield from ((row[0], row[1].lower().replace(" ", "_"), of, cell) for of, cell in named if of != "before")
        elif not row:
            head = []


@pytest.fixture(scope="module")
def records() -> dict[tuple[str, str], dict[str, Any]]:
    read = [json.loads(path.read_text(encoding="utf-8")) for path in (WEIGHTS_FOLDER / "demo").glob("*.json")]
    return {(record["dataset"], record["model"]): record for record in read}


@pytest.mark.parametrize(("model", "rows"), [("nano-iqa", 7), ("nano-vlm", 32), ("nano-clip", 30)])
def test_figures_on_demo_sets_are_those_of_the_records(
    model: str, rows: int, records: dict[tuple[str, str], dict[str, Any]]
) -> None:
    printed = [cell for cell in cells(model) if cell[3] != "–"]
    assert len({(dataset, metric) for dataset, metric, _, _ in printed}) == rows
    for dataset, metric, of, cell in printed:
        found = FIGURE.fullmatch(cell)
        assert found, cell
        recorded = records[dataset, of]["metrics"][metric]
        for key, figure in zip(("value", "low", "high"), found.groups(), strict=True):
            if figure is not None:
                assert float(figure) == pytest.approx(recorded[key], abs=0.00051), (dataset, metric, of, key)
