"""`models` and `tasks`: what can be named."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from qbench.tasks import TASKS


def add_parsers(commands: Any) -> list[argparse.ArgumentParser]:
    """Add the lists, one command each."""
    return [_list_parser(commands, "models", _models), _list_parser(commands, "tasks", _tasks)]


def _list_parser(commands: Any, name: str, what: Callable[[], list[dict[str, Any]]]) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=f"list {name}")
    parser.set_defaults(run=lambda _options: _listed(what()))
    return parser


def _listed(rows: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], str]:
    width = max(len(row["name"]) for row in rows)
    return rows, "\n".join(f"{row['name']:<{width}}  {row['what']}" for row in rows)


def _models() -> list[dict[str, Any]]:
    from qbench.models.builtin import BUILTIN
    from qbench.models.catalogue import load, way_to_run

    alone = [name for name, model in BUILTIN.items() if model.opens_alone and not model.for_tests]
    built_in = [{"name": name, "what": "built in", "hub": None} for name in alone]
    known = [{"name": facts.id, "what": way_to_run(facts), "hub": facts.hub} for facts in load()]
    return built_in + [row for row in known if row["name"] not in BUILTIN]


def _tasks() -> list[dict[str, Any]]:
    return [{"name": task.name, "what": task.sentence} for task in TASKS.values()]
