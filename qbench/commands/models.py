"""`models`: what can be asked, by name."""

from __future__ import annotations

import argparse
from typing import Any

from qbench.commands.text import list_text
from qbench.models.builtin import BUILTIN
from qbench.models.catalogue import load, way_to_run


def add_arguments(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """`models` takes none."""
    parser.set_defaults(run=_list)
    return [parser]


def _list(_options: argparse.Namespace) -> tuple[list[dict[str, Any]], str]:
    alone = [name for name, model in BUILTIN.items() if model.opens_alone]
    rows: list[dict[str, Any]] = [{"name": name, "what": "built in", "hub": None} for name in alone]
    rows += [
        {"name": facts.id, "what": way_to_run(facts), "hub": facts.hub} for facts in load() if facts.id not in BUILTIN
    ]
    return rows, list_text(rows)
