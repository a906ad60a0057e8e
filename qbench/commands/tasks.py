"""`tasks`: what a model can be asked to do."""

from __future__ import annotations

import argparse
from typing import Any

from qbench.commands.text import list_text
from qbench.tasks import TASKS


def add_arguments(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """`tasks` takes none."""
    parser.set_defaults(run=_list)
    return [parser]


def _list(_options: argparse.Namespace) -> tuple[list[dict[str, Any]], str]:
    rows = [{"name": task.name, "what": task.sentence} for task in TASKS.values()]
    return rows, list_text(rows)
