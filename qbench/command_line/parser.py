"""The reader of arguments that every command has."""

from __future__ import annotations

import argparse
from typing import Any


class Parser(argparse.ArgumentParser):
    """Refuses an option that is given twice: which of its values is meant nobody can tell."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        for name in (None, "store"):
            self.register("action", name, _StoreOnce)


class _StoreOnce(argparse.Action):
    given = False

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        if option and self.given:
            parser.error(f"argument {option}: is given twice; keep one of them")
        self.given = True
        setattr(namespace, self.dest, values)
