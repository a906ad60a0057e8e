"""The page of one model, from a few made-up records and from the published ones."""

from __future__ import annotations

import pytest

from leaderboard.analysis.model import ModelReport, listed_models, model_report, read_models
from leaderboard.boards.twoafc import coarse_board, fine_board
from leaderboard.html.how_to_run import how_to_run, memory_of
from leaderboard.snapshot import Snapshot
from leaderboard.store import Loaded, records_of
from qbench.models.catalogue import ModelFacts
from qbench.records import Result
from tests.leaderboard.made import board, find_model, result
from tests.leaderboard.published import published, simulated


def report(name: str, *results: Result) -> ModelReport:
    snapshot = Snapshot(Loaded(records_of(results), (), "abc1234"), (board(), coarse_board(), fine_board()), find_model)
    return model_report(read_models(snapshot, {}), name)


def test_a_figure_stands_with_its_rank_among_all() -> None:
    """By SRCC on A: beta 0.7, alpha 0.5, gamma 0.4; only alpha has both sets, and so the mean that ranks."""
    found = report(
        "Alpha (7B)",
        result("alpha", "a", 0.5),
        result("alpha", "b", 0.3),
        result("beta", "a", 0.7),
        result("gamma", "a", 0.4),
    )
    [on] = found.boards
    assert on.main is not None
    assert (on.main.column.key, on.main.figure.value, on.main.rank, on.main.ranked) == ("mean/srcc", 0.4, 1, 1)
    others = {standing.column.key: (standing.rank, standing.ranked) for standing in on.others}
    assert others == {"a/srcc": (2, 3), "b/srcc": (1, 1)}
    assert not found.conflicts


def test_sources_that_differ_are_conflicts_and_those_that_agree_are_not() -> None:
    found = report(
        "alpha",
        result("alpha", "a", 0.5, reference="Benchmark, Table 1"),
        result("alpha", "a", 0.62, reference="Later, Table 9", protocol={"reported_by": "others"}),
        result("alpha", "b", 0.3, reference="Benchmark, Table 1"),
        result("alpha", "b", 0.3, reference="Later, Table 9", protocol={"reported_by": "others"}),
    )
    [conflict] = found.conflicts
    assert (conflict.column.key, conflict.shown, conflict.other) == ("a/srcc", 0.5, 0.62)
    assert (conflict.shown_from, conflict.other_from) == ("Benchmark, Table 1", "Later, Table 9")


def test_every_model_on_a_board_has_a_page() -> None:
    """The published figures of GPT-4V: rank by the table itself, 0.7336 of Q-Bench Table 2, beside people."""
    snapshot = published()
    listed = {model["id"]: model for model in listed_models(snapshot)}
    assert {"gpt-4v", "niqe", "human-senior", "qwen2.5-vl-7b"} <= listed.keys()
    assert listed["gpt-5"]["boards"] == ["perception-dev"]
    assert sum(not model["reference"] for model in listed.values()) == snapshot.index()["models"]
    found = model_report(read_models(snapshot, simulated()), "gpt-4v")
    on = {part.board.key: part for part in found.boards}
    main = on["perception-test"].main
    assert main is not None
    assert main.figure.value == 0.7336
    assert main.rank == 1 + sum(
        row.cells["overall"].value > 0.7336
        for row in snapshot.table("perception-test").ranked.values()
        if "overall" in row.cells
    )
    assert main.claimed is not None and main.claimed.best <= main.rank <= main.claimed.worst
    assert found.profile is not None
    assert {model.kind for model in found.profile.references} >= {"human"}
    assert found.profile.models[0].id == "gpt-4v" and len(found.profile.models) == 2
    assert found.habits.pairs and not report("alpha", result("alpha")).habits.known


def test_memory_by_precision() -> None:
    """Seven billion parameters: 28, 14, 7 and 3.5 GB of weights, and a fifth more to run."""
    taken = {memory.precision: (memory.weights, memory.with_margin) for memory in memory_of(7)}
    assert taken == {
        "float32": (28, pytest.approx(33.6)),
        "bfloat16": (14, pytest.approx(16.8)),
        "int8": (7, pytest.approx(8.4)),
        "int4": (3.5, pytest.approx(4.2)),
    }


@pytest.mark.parametrize(
    ("facts", "lines", "note"),
    [
        (ModelFacts("some-vlm", "Some", "model", hub="a/b", open=True), 3, "Transformers loads it"),
        (ModelFacts("some-clip", "Some", "encoder", hub="a/b", open=True), 2, "Transformers loads it"),
        (ModelFacts("gpt-x", "GPT-X", "model", open=False), 1, "Its weights are closed"),
        (ModelFacts("old", "Old", "model", hub="a/b", serve="Runs only with its code."), 1, "Runs only with its code."),
        (ModelFacts("unknown", "Unknown", "model"), 0, "known by its published figures alone"),
        (ModelFacts("people", "People", "human"), 0, "no model that could be asked"),
        (ModelFacts("niqe", "NIQE", "classical"), 1, "comes with this project"),
    ],
)
def test_how_it_is_run(facts: ModelFacts, lines: int, note: str) -> None:
    how = how_to_run(facts)
    assert note in how.note
    assert len(how.commands) == lines
    assert all(command.line.startswith("python -m qbench run --task ") for command in how.commands)
