from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from leaderboard.exports import metrics_of, slug, write_texts
from leaderboard.exports.hub_results import eval_results, eval_yaml, to_yaml
from qbench.models.catalogue import ModelFacts
from tests.leaderboard.made import board, find_model, result

METRICS = metrics_of([board()])


def on_the_hub(name: str) -> ModelFacts | None:
    facts = find_model(name)
    return replace(facts, hub="lab/Alpha-7B") if facts and facts.id == "alpha" else facts


def test_each_figure_of_a_model_on_the_hub_is_a_row_of_its_file() -> None:
    results = [result("alpha", srcc=0.8125, plcc=0.75, rmse=3.0, at="2026-05-31"), result("beta"), result("stranger")]
    files = eval_results(results, METRICS, on_the_hub, "lab/low-level")
    assert list(files) == ["lab/Alpha-7B/.eval_results/low-level.yaml"]
    source = {"url": "https://example.org/paper", "name": "Table 1"}
    assert yaml.safe_load(next(iter(files.values()))) == [
        {
            "dataset": {"id": "lab/low-level", "task_id": f"assessment_a_{key}"},
            "value": value,
            "date": "2026-05-31",
            "source": source,
            "notes": f"{key.upper()}; paper: Table 1",
        }
        for key, value in (("srcc", 0.8125), ("plcc", 0.75))
    ]


def test_what_does_not_exist_is_no_row() -> None:
    assert eval_results([result("alpha", srcc=None)], METRICS, on_the_hub, "lab/low-level") == {}


def test_every_row_has_its_task() -> None:
    results = [result("alpha", "a"), result("alpha", "b", plcc=0.5)]
    text = eval_yaml(results, METRICS, "Low level", "Says: what?", "qbench")
    assert yaml.safe_load(text) == {
        "name": "Low level",
        "description": "Says: what?",
        "evaluation_framework": "qbench",
        "tasks": [{"id": one} for one in ("assessment_a_srcc", "assessment_b_plcc", "assessment_b_srcc")],
    }


@pytest.mark.parametrize(
    "text", ["yes", "1e3", "2026-01-01", "a: b # c", "- x", '"', "\\", "line\nend", "ä🔬", "", "~"]
)
def test_every_text_reads_back_as_itself(text: str) -> None:
    data = {"one": text, "many": [{"a": text, "b": {"c": 1.5}}, {"a": None, "b": {"c": True}}], "none": []}
    assert yaml.safe_load(to_yaml(data)) == data


@pytest.mark.parametrize("name", ["../../etc", "..", "", "/", "a\\b", "C:", "ü"])
def test_names_never_leave_the_folder(name: str, tmp_path: Path) -> None:
    assert "/" not in slug(name)
    assert slug(name).strip(".")
    write_texts({f"{slug(name)}/x.txt": "x"}, tmp_path / "out")
    assert [one.name for one in tmp_path.iterdir()] == ["out"]
