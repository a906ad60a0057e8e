"""`score`: its arguments, and its records as text."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from qbench.command_line.bad_records import add_skip_bad, suggesting_skip_bad
from qbench.command_line.notes import tell_notes
from qbench.commands.text import printable, result_text
from qbench.commands.waiting import telling
from qbench.errors import UserError
from qbench.records import Result
from qbench.tasks import MEAN_OF_TASKS, TASKS


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Add `score` and its arguments."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "score",
        help="score files of raw results",
        description="Score raw results: word logits, plain scores, replies to questions, or comparisons. "
        "The kind of each file is recognised from its fields; a zip of such files is taken too.",
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--task", choices=(*TASKS, MEAN_OF_TASKS), help="refuse files that hold another task's results")
    parser.add_argument("--dataset", help="dataset name (default: what the file or its name says)")
    parser.add_argument("--model", help="model name (default: the folder's name, where that is a known model's)")
    parser.add_argument("--truth", type=Path, metavar="FILE", help="human scores, or questions with their answers")
    parser.add_argument(
        "--against",
        nargs="?",
        const="",
        metavar="FILE",
        help="test the model of the one file against that of this one (or of two files the first against the second) "
        "on the items that both answered (paired)",
    )
    add_skip_bad(parser)
    parser.set_defaults(run=_score)
    return parser


def _score_one(path: Path, options: argparse.Namespace) -> list[Result]:
    from qbench.commands.score import score_file

    return score_file(
        path,
        task=options.task,
        dataset=options.dataset,
        model=options.model,
        truth=options.truth,
        skip_bad=options.skip_bad,
    )


def _score(options: argparse.Namespace) -> tuple[Any, str]:
    from qbench.commands.against import compare_results, differences_text

    compares = options.against is not None
    files = [*options.files, *([Path(options.against)] if options.against else [])]
    if compares and len(files) != 2:
        raise UserError(f"--against compares two files, and {len(files)} are named")
    each: list[list[Result]] = []
    for number, path in enumerate(files, start=1):
        which = f"{number} of {len(files)}: {path}" if len(files) > 1 else str(path)
        try:
            with telling(f"scoring {printable(which)}"), suggesting_skip_bad():
                each.append(_score_one(path, options))
        except UserError as error:
            if compares or not (each or number < len(files)):
                raise
            print(f"qbench: {printable(str(error))}", file=sys.stderr)
            options.exit_code = 2
    results = [result for some in each for result in some]
    tell_notes(results)
    documents = [result.to_json() for result in results]
    text = "\n\n".join(map(result_text, results))
    if not compares:
        return documents, text
    found = compare_results(*each)
    differences = [difference.to_json() for difference in found]
    return {"results": documents, "differences": differences}, f"{text}\n\n{differences_text(found)}"
