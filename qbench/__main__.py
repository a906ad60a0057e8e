"""The command line: `python -m qbench score|show|rank|average|run|train|models|datasets [get|check]|tasks`.

With --json each command prints one JSON document on stdout and nothing else there; progress and errors go to stderr.
A mistake of the caller's is one sentence and exit code 2; a bug keeps its traceback.
"""

from __future__ import annotations

import argparse
import errno
import importlib
import io
import json
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from qbench import __version__
from qbench.commands.text import printable
from qbench.errors import UserError, how_to_install

VERBS = {
    "score": ("qbench.commands.score", "score files of raw results"),
    "show": ("qbench.commands.show", "show the answers of a result one by one"),
    "rank": ("qbench.commands.rank", "turn comparisons into one ranking"),
    "average": ("qbench.commands.average", "average records over UniSim-Bench"),
    "run": ("qbench.commands.run", "run a model on a dataset"),
    "train": ("qbench.training.cli", "train or fit a model"),
    "datasets": ("qbench.commands.datasets", "list datasets, get or check one"),
    "models": ("qbench.commands.lists", "list models"),
    "tasks": ("qbench.commands.lists", "list tasks"),
}
"""Verb -> the module with its `add_arguments`, imported where the verb is asked for; and what it does."""


_OF_OPEN_FILES = {errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ENOSPC, errno.EROFS}
"""Faults of the disk that come without a file's name; any other without one, of a network say, is a bug."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files hold what not every terminal can show
    try:
        options = _parser(sys.argv[1:] if arguments is None else arguments).parse_args(arguments)
    except SystemExit:  # after --help, which may not have been written
        if fault := _show("", end=""):
            return fault
        raise
    except OSError as error:  # of --help too: later Pythons pass over it
        return _not_shown(error)
    try:
        document, text = options.run(options)
    except UserError as error:
        print(f"qbench: {printable(str(error))}", file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        print(f"qbench: {how_to_install(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nqbench: stopped; the same command goes on from the answers or steps that were kept", file=sys.stderr)
        return 130
    except OSError as error:
        if error.errno == errno.ENOENT or not (error.filename or error.errno in _OF_OPEN_FILES):  # a bug
            raise
        said = f"cannot use {error.filename or 'the disk'}: {error.strerror}; what was written so far is kept"
        print(f"qbench: {printable(said)}", file=sys.stderr)
        return 2
    shown = _show(json.dumps(document, indent=2, allow_nan=False) if options.json else text)
    return shown or getattr(options, "exit_code", 0)  # 2 where some of several files were refused


def _show(text: str, end: str = "\n") -> int:
    """Print what a command found; returns the exit code."""
    try:
        print(text, end=end, flush=True)
    except OSError as error:
        return _not_shown(error)
    return 0


def _not_shown(error: OSError) -> int:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python tries again when it ends
    if isinstance(error, BrokenPipeError):  # the reader, head say, has seen enough
        return 0
    print(f"qbench: cannot write the output: {error.strerror}", file=sys.stderr)
    return 2


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One sentence, as of every other mistake, in place of all options and a sentence at their end."""
        self.exit(2, f"qbench: {printable(message)}; see: {self.prog} --help\n")


def _parser(asked: Sequence[str]) -> argparse.ArgumentParser:
    """The parser of all verbs; the arguments are those of the one that is asked for."""
    parser = _Parser(prog="python -m qbench", description="Evaluate low-level vision.")
    parser.add_argument("--version", action="version", version=f"qbench {__version__}")
    verbs = parser.add_subparsers(required=True, metavar="COMMAND", dest="verb")
    for name, (module, does) in VERBS.items():
        verb = verbs.add_parser(name, help=does)
        if asked and asked[0] == name:
            for command in importlib.import_module(module).add_arguments(verb):
                command.add_argument("--json", action="store_true", help="print one JSON document and nothing else")
    return parser


if __name__ == "__main__":
    sys.exit(main())
