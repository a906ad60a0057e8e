"""The command line: `python -m qbench score|rank|average|run|train|models|datasets|tasks`.

With --json each command prints one JSON document on stdout and nothing else there; progress and errors go to stderr.
A mistake of the caller's is one sentence and exit code 2; a bug keeps its traceback.
"""

from __future__ import annotations

import argparse
import errno
import io
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qbench.errors import UserError
from qbench.records import TASKS, Estimate, Metrics, Result
from qbench.runner import Progress

if TYPE_CHECKING:
    from qbench.models import Model

PAIR_RULES = ("consistent", "all")
_OF_THE_DISK = {
    getattr(errno, name)
    for name in ("EACCES", "EDQUOT", "EEXIST", "EFBIG", "EISDIR", "ELOOP", "ENAMETOOLONG", "ENOSPC", "ENOTDIR", "EROFS")
}
"""What keeps a file from being written and is no bug."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files hold what not every terminal can show
    options = _parser().parse_args(arguments)
    try:
        document, text = options.run(options)
    except UserError as error:
        print(f"qbench: {_printable(str(error))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nqbench: stopped; the same command goes on from the answers or steps that were kept", file=sys.stderr)
        return 130
    except OSError as error:
        if error.errno not in _OF_THE_DISK:
            raise
        place = _printable(str(error.filename or "to the disk"))
        print(f"qbench: cannot write {place}: {error.strerror}; what was written so far is kept", file=sys.stderr)
        return 2
    try:
        print(json.dumps(document, indent=2, allow_nan=False) if options.json else text, flush=True)
    except BrokenPipeError:  # the reader, head say, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m qbench", description="Evaluate low-level vision.")
    from qbench.training import cli as training

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

    average = commands.add_parser(
        "average",
        help="average records over UniSim-Bench",
        description="Average each model's records over the datasets of every task, and over the tasks. Runs of a part "
        "(--limit) do not count, and where a dataset is missing there is no average.",
    )
    average.add_argument(
        "records", nargs="+", type=Path, metavar="FILE|FOLDER", help="records of runs, or their folder"
    )
    average.set_defaults(run=_average)

    run = _run_parser(commands)
    trainers = training.add_parsers(commands)
    lists = [
        _list_parser(commands, name, what)
        for name, what in (("models", _models), ("datasets", _datasets), ("tasks", _tasks))
    ]
    for command in (score, rank, average, run, *trainers, *lists):
        command.add_argument("--json", action="store_true", help="print one JSON document and nothing else")
    return parser


def _run_parser(commands: Any) -> argparse.ArgumentParser:
    run: argparse.ArgumentParser = commands.add_parser(
        "run",
        help="run a model on a dataset",
        description="Run a model on a dataset. Every answer is kept as it comes: stop at any time, and the same "
        "command goes on where it stopped.",
    )
    runnable = ", ".join(task for task in TASKS if task != "similarity")
    run.add_argument("--task", required=True, help=f"{runnable}; see: python -m qbench tasks")
    run.add_argument("--dataset", required=True, metavar="NAME|MANIFEST", help="see: python -m qbench datasets")
    run.add_argument("--images", type=Path, metavar="DIR", help="folder that image paths start from")
    run.add_argument("--model", required=True, metavar="NAME|HF_ID|FOLDER", help="see: python -m qbench models")
    run.add_argument("--endpoint", action="append", default=[], metavar="URL", help="ask an OpenAI-compatible server")
    run.add_argument("--workers", type=int, metavar="N", help="prompts asked at once of servers (default: 8 a server)")
    run.add_argument(
        "--template",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="argument of the model's chat template, such as enable_thinking=false",
    )
    run.add_argument("--judge", metavar="NAME", help="model that grades replies (perception) or descriptions")
    run.add_argument("--judge-endpoint", action="append", default=[], metavar="URL", help="server of the judge")
    run.add_argument(
        "--judge-template", action="append", default=[], metavar="NAME=VALUE", help="argument of the judge's template"
    )
    run.add_argument(
        "--lexicon", action="store_true", help="description: grade by word lists, under names of their own"
    )
    run.add_argument(
        "--mode", help="how to ask: free, letter, close-set, words, score, rating, text, embeddings, … (by task)"
    )
    run.add_argument(
        "--style",
        help="wording of the prompt: paper, answer or llava (perception), code (comparison and similarity); "
        "naive or clip-iqa (iqa-2afc and attributes by embeddings)",
    )
    run.add_argument("--rounds", type=int, metavar="N", help="comparison: rounds of pairs (default 12; active 11)")
    run.add_argument(
        "--pairing", metavar="RULE", help="coarse, levels, types or intervals (default: the dataset's own, else coarse)"
    )
    run.add_argument(
        "--schedule",
        default="random",
        metavar="HOW",
        help="random pairs, or active: those the answers so far leave most doubt about, which needs half as many",
    )
    run.add_argument("--seed", type=int, metavar="N", help="shuffles options and pairs")
    run.add_argument("--limit", type=int, metavar="N", help="only the first N samples; the record says so")
    run.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    run.add_argument("--revision", help="revision of a Hub checkpoint")
    run.add_argument("--remote-code", action="store_true", help="let a checkpoint run its own code on this machine")
    run.add_argument("--out", type=Path, default=Path("results"), metavar="DIR", help="default: results")
    run.set_defaults(run=_run)
    return run


def _list_parser(commands: Any, name: str, what: Callable[[], list[dict[str, Any]]]) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=f"list {name}")
    parser.set_defaults(run=lambda _options: _listed(what()))
    return parser


def _listed(rows: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], str]:
    width = max(len(row["name"]) for row in rows)
    return rows, "\n".join(f"{row['name']:<{width}}  {row['what']}" for row in rows)


def _models() -> list[dict[str, Any]]:
    from qbench.models import BUILTIN
    from qbench.models.catalogue import load

    built_in = [{"name": name, "what": "built in", "hub": None} for name in BUILTIN]
    known = [{"name": one.id, "what": one.hub or one.serve or one.kind, "hub": one.hub} for one in load()]
    return built_in + [row for row in known if row["name"] not in BUILTIN]


def _datasets() -> list[dict[str, Any]]:
    from qbench.datasets import is_here
    from qbench.datasets.known import known_datasets

    return [
        {
            "name": one.name,
            "what": f"{one.title}, {one.task}"
            + ("" if one.items is None else f", {one.items:,} items")
            + ("" if here else "; not downloaded")
            + ("; synthetic, truth by construction" if one.truth == "construction" else ""),
            "here": here,
            "truth": one.truth,
            "get": one.get,
            "licence": one.licence,
        }
        for one in known_datasets()
        if one.opens
        for here in [is_here(one)]
    ]


def _tasks() -> list[dict[str, Any]]:
    from qbench.evaluation import TASKS as RUNNABLE

    return [{"name": name, "what": what} for name, what in RUNNABLE.items()]


def _run(options: argparse.Namespace) -> tuple[list[dict[str, Any]], str]:
    from qbench.datasets import open_dataset
    from qbench.evaluation import RunOptions, evaluate
    from qbench.running import METRIC_NAMES

    if options.limit is not None and options.limit < 1:
        raise UserError(f"--limit {options.limit} leaves nothing to run; give a number of samples")
    dataset = open_dataset(options.dataset, images=options.images, limit=options.limit, task=options.task)
    model, judge = _models_of(options)
    settings = RunOptions(
        options.mode, options.rounds, options.pairing, options.seed, options.lexicon, options.style, options.schedule
    )
    seen = sys.stderr.isatty()
    watch = _progress_line(METRIC_NAMES.get(options.task, "")) if seen else lambda _progress, _metric: None
    try:
        results = evaluate(options.task, dataset, model, options.out, judge=judge, options=settings, watch=watch)
    finally:
        if seen:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
    text = "\n\n".join(map(_result_text, results))
    return [result.to_json() for result in results], f"{text}\n\nkept in {options.out}"


def _models_of(options: argparse.Namespace) -> tuple[Model, Model | None]:
    """The model to run, and the judge where one is named."""
    from qbench.models import ModelOptions, open_model, takes_device

    common = ModelOptions(device=options.device, remote_code=options.remote_code)
    at = tuple(options.judge_endpoint)
    if not options.judge and (at or options.judge_template):
        raise UserError("--judge-endpoint and --judge-template are about a judge; name it with --judge")
    here = [name for name, away in ((options.model, options.endpoint), (options.judge, at)) if name and not away]
    if options.device == "cuda" and not any(map(takes_device, here)):
        raise UserError("--device cuda is for checkpoints on this machine, and none is asked here; leave it out")
    model = open_model(
        options.model,
        replace(
            common,
            endpoints=tuple(options.endpoint),
            revision=options.revision,
            workers=options.workers if options.endpoint or not at else None,
            template=dict(map(_template_argument, options.template)),
        ),
    )
    if not options.judge:
        return model, None
    template = dict(map(_template_argument, options.judge_template))
    workers = options.workers if at else None
    return model, open_model(options.judge, replace(common, endpoints=at, workers=workers, template=template))


def _template_argument(text: str) -> tuple[str, Any]:
    """NAME=VALUE; the value as JSON where it is some, else as text."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise UserError(f"--template {text!r} is not NAME=VALUE, such as enable_thinking=false")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _progress_line(metric_name: str) -> Callable[[Progress, Estimate | None], None]:
    """One line on stderr, rewritten: step, count, rate, time left, running metric, failures."""

    def show(progress: Progress, metric: Estimate | None) -> None:
        line = f"step {progress.step}: " if progress.step > 1 else ""
        line += f"{progress.done:,}/{progress.total:,}"
        if progress.rate is not None and progress.seconds_left is not None:
            line += f"  {progress.rate:.1f}/s  {timedelta(seconds=round(progress.seconds_left))} left"
        if metric is not None and metric.value is not None:
            spread = "" if metric.low is None or metric.high is None else f" [{metric.low:.3f}, {metric.high:.3f}]"
            line += f"  {metric_name} {metric.value:.3f}{spread}"
        if progress.failed:
            line += f"  {progress.failed:,} failed"
        print(f"\r{line}\033[K", end="", file=sys.stderr, flush=True)

    return show


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


def _average(options: argparse.Namespace) -> tuple[list[dict[str, Any]], str]:
    from qbench.benchmark import average, read_records

    results = average(read_records(options.records))
    return [result.to_json() for result in results], "\n\n".join(map(_result_text, results))


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
