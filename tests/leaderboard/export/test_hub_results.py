from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from leaderboard.boards import all_boards
from leaderboard.export import slug, write_texts
from leaderboard.export.hub_results import eval_results, eval_yaml, name_tasks, to_yaml
from leaderboard.store import records_of
from leaderboard.tables.columns import EVERYTHING
from leaderboard.tables.models import group_by_model
from leaderboard.tables.table import Table, build_table
from qbench.models.catalogue import ModelFacts
from qbench.records import Result
from tests.leaderboard.made import board, find_model, result
from tests.leaderboard.published import published


def on_the_hub(name: str) -> ModelFacts | None:
    facts = find_model(name)
    return replace(facts, hub="lab/Alpha-7B") if facts and facts.id == "alpha" else facts


def table(*results: Result) -> Table:
    return build_table(group_by_model(records_of(results), on_the_hub), board(), board().choose(EVERYTHING))


def test_each_figure_of_a_model_on_the_hub_is_a_row_of_its_file() -> None:
    results = [result("alpha", srcc=0.8125, plcc=0.75, rmse=3.0, at="2026-05-31"), result("beta"), result("stranger")]
    files = eval_results([table(*results)], "lab/low-level")
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


def test_every_row_has_its_task() -> None:
    results = [result("alpha", "a"), result("alpha", "b", plcc=0.5)]
    text = eval_yaml([table(*results)], "Low level", "Says: what?", "qbench")
    assert yaml.safe_load(text) == {
        "name": "Low level",
        "description": "Says: what?",
        "evaluation_framework": "qbench",
        "tasks": [{"id": task} for task in ("assessment_a_srcc", "assessment_b_plcc", "assessment_b_srcc")],
    }


def test_a_task_has_the_one_value_that_its_board_shows() -> None:
    """InstructBLIP's own words are high and low: Table 4 prints 0.334, Table 10 0.288 for good and poor."""
    tables = [published().table(board.key, EVERYTHING) for board in published().boards]
    files = {path: yaml.safe_load(text) for path, text in eval_results(tables, "lab/low-level").items()}
    for path, rows in files.items():
        ids = [row["dataset"]["task_id"] for row in rows]
        assert len(set(ids)) == len(ids), path
    values = {
        row["dataset"]["task_id"]: row["value"]
        for row in files["Salesforce/instructblip-flan-t5-xl/.eval_results/low-level.yaml"]
    }
    assert values["assessment_koniq-10k_srcc"] == 0.334


def test_tasks_are_told_apart_by_split_and_by_how_they_were_asked() -> None:
    """Pairs of CSIQ are drawn at random (Table II), of one distortion or of one level (Table III)."""
    ids = name_tasks(all_boards())
    assert len(set(ids.values())) == len(ids)
    assert [
        ids[board, f"{column}/consistency"]
        for board, column in (("2afc-coarse", "csiq"), ("2afc-fine", "fine-levels"), ("2afc-fine", "fine-types"))
    ] == [
        "comparison_csiq_coarse_consistency",
        "comparison_csiq_fine-levels_consistency",
        "comparison_csiq_fine-types_consistency",
    ]
    assert ids["perception-dev", "overall"] == "perception_llvisionqa-dev_accuracy"
    assert ids["assessment", "spaq/srcc"] == "assessment_spaq_srcc"
    assert ids["assessment-trained", "spaq/seen/srcc"] == "assessment_spaq_srcc_assessment-trained_spaq-seen-srcc"
    assert ("unisim-n-way", "2-way") not in ids  # a column of the core board


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
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
