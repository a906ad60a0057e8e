"""Whatever treats tasks alike finds it in the table, and no task is named outside its file, prompts and data."""

from __future__ import annotations

import ast
import typing
from pathlib import Path

import pytest

from qbench.records import Want
from qbench.results import BUILDERS
from qbench.tasks import MEAN_OF_TASKS, OPTIONS, TASKS

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", TASKS)
def test_every_task_is_whole(name: str) -> None:
    task = TASKS[name]
    assert task.name == name != MEAN_OF_TASKS
    assert task.modes and set(task.modes.values()) <= set(typing.get_args(Want))
    assert task.options <= set(OPTIONS)
    assert task.result in BUILDERS
    assert (task.running is None) == (task.reader is None)
    assert all(0 < level < 1 for level in task.chance.values())
    assert (task.result == "choices") == (task.choice is not None)
    assert task.choose_mode(frozenset(task.modes.values())) in task.modes


DATA = (
    "qbench/commands/average.py",  # which datasets make up the benchmark
    "qbench/prompts.py",
    "qbench/training/",  # which tasks a model is trained on
    "leaderboard/boards/",
)
"""Declarations that name tasks of similarity because that is what they are about."""


def test_nothing_compares_a_task_with_a_name() -> None:
    """What holds of one task alone is a field of its record, which everything else reads."""
    compared = []
    for path in [*ROOT.glob("qbench/**/*.py"), *ROOT.glob("leaderboard/**/*.py")]:
        if path.relative_to(ROOT).as_posix().startswith(DATA):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
            if any(is_text(side) and side.value in TASKS for side in sides) and any(is_task(side) for side in sides):
                compared.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert not compared


def is_task(node: ast.AST) -> bool:
    """Whether it is called task, by itself or of something."""
    return (isinstance(node, ast.Name) and node.id == "task") or (
        isinstance(node, ast.Attribute) and node.attr == "task"
    )


def is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
