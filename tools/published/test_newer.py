"""The tables of newer papers are as the facts that they were transcribed from have them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from qbench.records import Result

pytestmark = pytest.mark.slow(reason="the tables seldom change")

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = ROOT / "assets" / "published"
TABLES = sorted((PUBLISHED / "newer").glob("table_*.json"))


MISQUOTED = {"Table 3, column QBench-T": "Table 4, column QBenchT"}
"""Table of a facts file -> the table of the paper where its numbers are: IXC2-4KHD's Table 3 holds two of the five."""


ONE_ALIGN = ["koniq-10k", "spaq", "kadid-10k", "ava", "lsvq"]
"""What OneAlign was trained on, by its card."""
OF_PYIQA = {"qalign": "one-align", "qalign_4bit": "one-align-4bit", "qalign_8bit": "one-align-8bit"}
"""Rows of pyiqa -> the model: its qalign_arch.py loads q-future/one-align for all three, which the facts leave open."""


IDS = {"KonIQ-10k": "koniq-10k"}
"""Databases as some facts name them -> as records do."""


def training(facts: dict[str, Any], row: dict[str, Any]) -> list[str] | None:
    if row["model"] in OF_PYIQA:
        return ONE_ALIGN
    named = row.get("trained_on")
    return [IDS.get(name, name) for name in named] if named and facts["benchmark"] == "a3" else named


def reference(facts: dict[str, Any], row: dict[str, Any]) -> str:
    return f"{facts['paper']}, {MISQUOTED.get(facts['reference'], facts['reference'])}, row '{row['model']}'"


def records(path: Path) -> list[dict[str, Any]]:
    read: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return read


def cited(record: dict[str, Any]) -> str:
    return Result.from_json(record).source.cited


def figures(record: dict[str, Any]) -> list[float]:
    groups = [metrics for members in record["groups"].values() for metrics in members.values()]
    return [estimate["value"] for metrics in (record["metrics"], *groups) for estimate in metrics.values()]


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_the_numbers_of_each_row_are_those_of_the_facts(path: Path, newer_facts: list[dict[str, Any]]) -> None:
    """Each row, told by its reference, holds the same numbers: percentages as shares, all else as it is."""
    ours: dict[str, Counter[float]] = {}
    for record in records(path):
        ours.setdefault(cited(record), Counter()).update(round(figure, 6) for figure in figures(record))
    theirs: dict[str, Counter[float]] = {}
    for facts in newer_facts:
        for row in facts["rows"]:
            row_reference = reference(facts, row)
            for column, value in row["values"].items():
                percent = facts["unit"].startswith("%") or (column.endswith(":accuracy") and value > 1)
                if row_reference in ours and value is not None:
                    theirs.setdefault(row_reference, Counter())[round(value / 100 if percent else value, 6)] += 1
    assert ours == theirs


RESCORED = ("doi-vllms-a1-dev-recomputed", "doi-vllms-a3-recomputed")
"""Nobody printed these: the records have our own figures from the same replies and logits (test_released_answers)."""


def test_all_rows_of_all_tables_are_there(newer_facts: list[dict[str, Any]]) -> None:
    """A table is transcribed whole; of the 56 that are known, all are but two of the same raw answers as ours."""
    references = {cited(record) for path in TABLES for record in records(path)}
    tables = [{reference(facts, row) for row in facts["rows"]} for facts in newer_facts]
    assert set().union(*tables) == references
    assert len(tables) == 56 - len(RESCORED)


def test_q_align_of_the_toolbox_is_onealign_and_not_unseen_on_what_that_was_trained_on() -> None:
    [table] = [path for path in TABLES if path.stem == "table_pyiqa_nr_a3"]
    rows = [record for record in records(table) if "qalign" in record["source"]["row"]]
    models = {record["source"]["row"].split("'")[1]: record["model"] for record in rows}
    assert models == OF_PYIQA
    seen = {record["dataset"]: record["protocol"]["trained_on"] for record in rows}
    assert seen == {"live-itw": False, "tid2013": False, "live-fb": False, "koniq-10k": True, "spaq": True}


def test_misprints_are_flagged_beside_what_the_cells_give() -> None:
    """BlueImage-GPT on pairs: completeness, precision and relevance add up to 4.90, and 4.53 is printed."""
    [pairs] = [path for path in TABLES if path.stem == "table_pairs_a2"]
    [blue] = [record for record in records(pairs) if record["model"] == "blueimage-gpt"]
    assert (blue["metrics"]["sum"]["value"], blue["metrics"]["sum"]["recomputed"]) == (4.53, 4.90)
    [dev] = [path for path in TABLES if path.stem == "table_qinstruct_3_a1_dev"]
    [owl] = [record for record in records(dev) if record["model"] == "mplug-owl2"]
    assert "The cells by type average 62.61 %" in owl["metrics"]["accuracy"]["note"]  # 936 of 1,495; printed is 61.61


def test_a_percentage_that_is_no_whole_count_says_so() -> None:
    """Gemini 3 Pro on dev: 80.63 % of 1,495 would be 1,205.4 questions; GPT-5's 80.27 % is 1,200."""
    [table] = [path for path in TABLES if path.stem == "table_qualirag_1_a1_dev"]
    notes = {record["model"]: record["metrics"]["accuracy"].get("note", "") for record in records(table)}
    assert "no whole count" in notes["gemini-3-pro"]
    assert "no whole count" not in notes["gpt-5"]


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_every_percentage_is_a_whole_count_or_says_that_it_is_none(path: Path) -> None:
    rounding = 0.0005 if "ixc2" in path.stem else 0.00005  # one decimal of a percentage is printed there, else two
    for record in records(path):
        groups = [metrics for members in record["groups"].values() for metrics in members.values()]
        for estimate in (metrics.get("accuracy", {}) for metrics in (record["metrics"], *groups)):
            number, value = estimate.get("n"), estimate.get("value")
            if number and value is not None:
                is_whole = abs(round(value * number) / number - value) <= rounding + 1e-9
                assert is_whole != ("no whole count" in (estimate.get("note") or "")), (record["model"], estimate)


SPLITS: dict[str, set[tuple[str, str | None]]] = {
    "qbench-a1-dev": {("llvisionqa-dev", "dev")},
    "qbench-a1-test": {("llvisionqa-test", "test")},
    "qbench-a1-dev and qbench-a1-test, overall only": {("llvisionqa-dev", "dev"), ("llvisionqa-test", "test")},
    "qbench-a1, split not stated": {("llvisionqa-half-not-stated", None)},
    "qbench2-pairs-dev": {("q-bench2-dev", "dev")},
    "qbench2-pairs-test": {("q-bench2-test", "test")},
    "qbench2-pairs, overall only": {("q-bench2-half-not-stated", None)},
    "micbench-test": {("micbench-test", "test")},
    "square-bench-quality": {("square-bench-quality", "test")},
    "unipercept-bench-vqa-iqa": {("unipercept-vqa-quality", "test")},
    "a-bench": {("a-bench", None)},
    "diag-bench": {("diag-bench", "test")},
    "qbench-video": {("q-bench-video", "test")},
    "medqbench-perception": {("medq-bench", "test")},
}
"""Benchmark of a facts file -> dataset and split of its records."""


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_halves_and_training_data_are_those_of_the_facts(path: Path, newer_facts: list[dict[str, Any]]) -> None:
    """Dev and test are never taken for each other, and what a row's model was trained on is as the source tells."""
    rows = {
        reference(facts, row): (facts["benchmark"], training(facts, row))
        for facts in newer_facts
        for row in facts["rows"]
    }
    for record in records(path):
        benchmark, trained_on = rows[cited(record)]
        assert record["protocol"].get("training_data") == trained_on
        if record["task"] == "perception" and benchmark in SPLITS:
            assert (record["dataset"], record.get("split")) in SPLITS[benchmark]
        elif record["task"] == "assessment" and record["dataset"] in (trained_on or ()):
            assert record["protocol"]["trained_on"] is True


@pytest.fixture(scope="module")
def newer_facts(shared_data: Path) -> list[dict[str, Any]]:
    folder = shared_data.parent / "facts" / "newer"
    if not folder.is_dir():
        pytest.skip(f"the facts that these tables were transcribed from are not at {folder}")
    return [
        json.loads(path.read_text(encoding="utf-8"))
        for path in folder.glob("*.json")
        if path.stem not in ("models", *RESCORED)
    ]
