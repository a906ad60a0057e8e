"""The command line: `python -m qbench score|rank`.

With --json each command prints one JSON document on stdout and nothing else there; progress and errors go to stderr.
A mistake of the caller's is one sentence and exit code 2; a bug keeps its traceback.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from qbench.errors import UserError
from qbench.records import TASKS, Estimate, Metrics, Result

PAIR_RULES = ("consistent", "all")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        document, text = options.run(options)
    except UserError as error:
        print(f"qbench: {_printable(str(error))}", file=sys.stderr)
        return 2
    print(json.dumps(document, indent=2, allow_nan=False) if options.json else text)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m qbench", description="Evaluate low-level vision.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    score = commands.add_parser(
        "score",
        help="score files of raw results",
        description="Score raw results: word logits, plain scores, replies to questions, or comparisons. "
        "The kind of each file is recognised from its fields.",
    )
    score.add_argument("files", nargs="+", type=Path, metavar="FILE")
    score.add_argument("--task", choices=TASKS, help="refuse files that hold another task's results")
    score.add_argument("--dataset", help="dataset name (default: the file's name, where that is a known dataset's)")
    score.add_argument("--model", help="model name (default: the folder's name, where that is a known model's)")
    score.add_argument("--truth", type=Path, metavar="FILE", help="human scores, or questions with their answers")
    score.set_defaults(run=_score)

    rank = commands.add_parser(
        "rank", help="turn comparisons into one ranking", description="Rank the items of a file of comparisons."
    )
    rank.add_argument("file", type=Path, metavar="FILE")
    rank.add_argument("--method", choices=("map", "mle", "perron", "trueskill", "bt"), default="map")
    rank.add_argument("--dataset", help="which dataset's comparisons, where the file holds several")
    rank.add_argument(
        "--pairs",
        choices=PAIR_RULES,
        help="count pairs answered alike in both orders, or every presentation "
        "(default: consistent, where the file asks any pair in both orders)",
    )
    rank.set_defaults(run=_rank)

    for command in (score, rank):
        command.add_argument("--json", action="store_true", help="print one JSON document and nothing else")
    return parser


def _score(options: argparse.Namespace) -> tuple[list[dict[str, Any]], str]:
    from qbench.scoring import score_file

    results: list[Result] = []
    for number, path in enumerate(options.files, start=1):
        if len(options.files) > 1 and sys.stderr.isatty():
            print(f"\rscoring {number} of {len(options.files)}: {path}\033[K", end="", file=sys.stderr)
        results += score_file(
            path, task=options.task, dataset=options.dataset, model=options.model, truth=options.truth
        )
    if len(options.files) > 1 and sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    return [result.to_json() for result in results], "\n\n".join(map(_result_text, results))


def _rank(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from qbench.ranking_file import rank_file

    document = rank_file(options.file, method=options.method, dataset=options.dataset, pairs=options.pairs)
    intervals = document["intervals"] or {}
    lines = [f"{'rank':>4}  {'score':>8}  {'95 % interval':>18}  item"]
    for place, (item, score) in enumerate(document["scores"].items(), start=1):
        low, high = intervals.get(item, (None, None))
        span = "–" if low is None else f"{low:.3f} to {high:.3f}"
        lines.append(f"{place:>4}  {score:>8.3f}  {span:>18}  {_printable(item)}")
    return document, "\n".join(lines)


def _result_text(result: Result) -> str:
    head = f"{_printable(result.model)} on {_printable(result.dataset)} ({result.task}, {result.source.kind})"
    counts = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in result.status.items() if count)
    lines = [head, f"  {counts}", *_metric_lines(result.metrics, "  ")]
    for grouping, groups in result.groups.items():
        for group, metrics in groups.items():
            lines += [f"  {grouping}: {_printable(group)}", *_metric_lines(metrics, "    ")]
    lines += [f"  unscored: {count:,} {reason}" for reason, count in result.unscored.items()]
    return "\n".join(lines)


def _metric_lines(metrics: Metrics, indent: str) -> list[str]:
    return [f"{indent}{name:<20} {_estimate_text(estimate)}" for name, estimate in metrics.items()]


def _estimate_text(estimate: Estimate) -> str:
    if estimate.value is None:
        return f"–        {estimate.note or 'not computed'}"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:7.4f}"
    return f"{estimate.value:7.4f}  [{estimate.low:.4f}, {estimate.high:.4f}]  n={estimate.n:,}"


def _printable(text: str) -> str:
    """Text out of a file, without the control characters that would move the cursor or break the encoding."""
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


if __name__ == "__main__":
    sys.exit(main())
