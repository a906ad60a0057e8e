"""Whatever treats tasks alike finds it in the table, and no task is named outside its file, prompts and data."""

from __future__ import annotations

import ast
from pathlib import Path

from qbench.tasks import TASKS

ROOT = Path(__file__).resolve().parents[2]


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
