"""`models` and `tasks`: what can be asked, and what for."""

from __future__ import annotations

import argparse
from typing import Any

from qbench.models.builtin import BUILTIN
from qbench.models.catalogue import load, way_to_run
from qbench.tasks import TASKS


def add_arguments(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    parser.set_defaults(run=_list)
    return [parser]


def _list(options: argparse.Namespace) -> tuple[list[dict[str, Any]], str]:
    rows = _models() if options.verb == "models" else _tasks()
    width = max(len(row["name"]) for row in rows)
    return rows, "\n".join(f"{row['name']:<{width}}  {row['what']}" for row in rows)


def _models() -> list[dict[str, Any]]:
    alone = [name for name, model in BUILTIN.items() if model.opens_alone]
    others = [facts for facts in load() if facts.id not in BUILTIN]
    rows: list[dict[str, Any]] = [{"name": name, "what": "built in", "hub": None} for name in alone]
    return rows + [{"name": facts.id, "what": way_to_run(facts), "hub": facts.hub} for facts in others]


def _tasks() -> list[dict[str, Any]]:
    return [{"name": task.name, "what": task.sentence} for task in TASKS.values()]
