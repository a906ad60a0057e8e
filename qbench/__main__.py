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

from qbench.commands.text import printable, result_text
from qbench.commands.waiting import telling
from qbench.errors import UserError, how_to_install
from qbench.records import Estimate, Result
from qbench.runner import Progress
from qbench.tasks import MEAN_OF_TASKS, TASKS, RunOptions

if TYPE_CHECKING:
    from qbench.models import Model

PAIR_RULES = ("consistent", "all")
RANKING_METHODS = ("map", "mle", "mle-bounded", "perron", "trueskill", "bt", "bt-bounded")
_OF_WRITING = {errno.EDQUOT, errno.EFBIG, errno.ENOSPC, errno.EROFS}
"""What keeps a file from being written, wherever it is."""
_OF_THE_DISK = {
    getattr(errno, name) for name in ("EACCES", "EEXIST", "EIO", "EISDIR", "ELOOP", "ENAMETOOLONG", "ENOTDIR", "EPERM")
}
"""What keeps a file from being read or written, and is no bug."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files hold what not every terminal can show
    try:
        options = _parser().parse_args(arguments)
    except SystemExit:  # after --help, which may not have been written
        if fault := _show("", end=""):
            return fault
        raise
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
        if not (said := _explain(error, getattr(options, "out", None))):
            raise
        print(f"qbench: {printable(said)}", file=sys.stderr)
        return 2
    return _show(json.dumps(document, indent=2, allow_nan=False) if options.json else text)


def _show(text: str, end: str = "\n") -> int:
    """Print what a command found; returns the exit code."""
    try:
        print(text, end=end, flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python tries again when it ends
        if isinstance(error, BrokenPipeError):  # the reader, head say, has seen enough
            return 0
        print(f"qbench: cannot write the output: {error.strerror}", file=sys.stderr)
        return 2
    return 0


def _explain(error: OSError, out: Path | None) -> str:
    """One sentence about a fault of the disk, which tells writing from reading; empty where it is a bug."""
    place = error.filename
    below_out = out is not None and isinstance(place, str) and _share_a_path(out.absolute(), Path(place).absolute())
    if below_out or error.errno in _OF_WRITING:
        return f"cannot write {place or 'to the disk'}: {error.strerror}; what was written so far is kept"
    if error.errno in _OF_THE_DISK:
        return f"cannot use {place or 'a file'}: {error.strerror}"
    return ""


def _share_a_path(first: Path, second: Path) -> bool:
    """Whether two places are the same, or one lies below the other."""
    return first == second or first in second.parents or second in first.parents


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m qbench", description="Evaluate low-level vision.")
    from qbench.training import cli as training

    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    score = commands.add_parser(
        "score",
        help="score files of raw results",
        description="Score raw results: word logits, plain scores, replies to questions, or comparisons. "
        "The kind of each file is recognised from its fields; a zip of such files is taken too.",
    )
    score.add_argument("files", nargs="+", type=Path, metavar="FILE")
    score.add_argument("--task", choices=(*TASKS, MEAN_OF_TASKS), help="refuse files that hold another task's results")
    score.add_argument("--dataset", help="dataset name (default: the file's name, where that is a known dataset's)")
    score.add_argument("--model", help="model name (default: the folder's name, where that is a known model's)")
    score.add_argument("--truth", type=Path, metavar="FILE", help="human scores, or questions with their answers")
    score.add_argument(
        "--against",
        action="store_true",
        help="of two files: test the first model against the second on the items that both answered (paired)",
    )
    score.set_defaults(run=_score)

    rank = commands.add_parser(
        "rank", help="turn comparisons into one ranking", description="Rank the items of a file of comparisons."
    )
    rank.add_argument("file", type=Path, metavar="FILE")
    rank.add_argument("--method", choices=RANKING_METHODS, default="map")
    rank.add_argument("--dataset", help="which dataset's comparisons, where the file holds several")
    rank.add_argument(
        "--pairs",
        choices=PAIR_RULES,
        help="count pairs answered alike in both orders, or every presentation "
        "(default: the former, and answers about pairs that the file only shows in one order)",
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
    runnable = ", ".join(TASKS)
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
    from qbench.models.builtin import BUILTIN
    from qbench.models.catalogue import load, way_to_run

    built_in = [{"name": name, "what": "built in", "hub": None} for name, model in BUILTIN.items() if model.opens_alone]
    known = [{"name": facts.id, "what": way_to_run(facts), "hub": facts.hub} for facts in load()]
    return built_in + [row for row in known if row["name"] not in BUILTIN]


def _datasets() -> list[dict[str, Any]]:
    from qbench.datasets import is_here
    from qbench.datasets.known import known_datasets

    return [
        {
            "name": facts.name,
            "what": f"{facts.title}, {facts.task}"
            + ("" if facts.items is None else f", {facts.items:,} items")
            + ("" if here else "; not downloaded")
            + ("; synthetic, truth by construction" if facts.truth == "construction" else ""),
            "here": here,
            "truth": facts.truth,
            "get": facts.get,
            "licence": facts.licence,
        }
        for facts in known_datasets()
        if facts.opens
        for here in [is_here(facts)]
    ]


def _tasks() -> list[dict[str, Any]]:
    return [{"name": task.name, "what": task.sentence} for task in TASKS.values()]


def _run(options: argparse.Namespace) -> tuple[list[dict[str, Any]], str]:
    from qbench.commands.preview import metric_name
    from qbench.commands.run import evaluate
    from qbench.datasets import open_dataset

    if options.limit is not None and options.limit < 1:
        raise UserError(f"--limit {options.limit} leaves nothing to run; give a number of samples")
    dataset = open_dataset(options.dataset, images=options.images, limit=options.limit, task=options.task)
    model, judge = _models_of(options)
    settings = RunOptions(
        options.mode, options.rounds, options.pairing, options.seed, options.lexicon, options.style, options.schedule
    )
    seen = sys.stderr.isatty()
    watch = _progress_line(metric_name(options.task)) if seen else lambda _progress, _metric: None
    try:
        results = evaluate(options.task, dataset, model, options.out, judge=judge, options=settings, watch=watch)
    finally:
        if seen:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
    _tell_notes(results)
    text = "\n\n".join(map(result_text, results))
    return [result.to_json() for result in results], f"{text}\n\nkept in {options.out}"


def _models_of(options: argparse.Namespace) -> tuple[Model, Model | None]:
    """The model to run, and the judge where one is named."""
    from qbench.models import ModelOptions, open_model
    from qbench.models.builtin import uses_device

    common = ModelOptions(device=options.device, remote_code=options.remote_code)
    at = tuple(options.judge_endpoint)
    if not options.judge and (at or options.judge_template):
        raise UserError("--judge-endpoint and --judge-template are about a judge; name it with --judge")
    here = [name for name, away in ((options.model, options.endpoint), (options.judge, at)) if name and not away]
    if options.device == "cuda" and not any(map(uses_device, here)):
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


def _score(options: argparse.Namespace) -> tuple[Any, str]:
    from qbench.commands.against import compare_results, differences_text
    from qbench.commands.score import score_file

    if options.against and len(options.files) != 2:
        raise UserError(f"--against compares two files, and {len(options.files)} are named")
    each: list[list[Result]] = []
    for number, path in enumerate(options.files, start=1):
        which = f"{number} of {len(options.files)}: {path}" if len(options.files) > 1 else str(path)
        with telling(f"scoring {printable(which)}"):
            each.append(
                score_file(path, task=options.task, dataset=options.dataset, model=options.model, truth=options.truth)
            )
    results = [result for some in each for result in some]
    _tell_notes(results)
    documents = [result.to_json() for result in results]
    text = "\n\n".join(map(result_text, results))
    if not options.against:
        return documents, text
    found = compare_results(*each)
    differences = [difference.to_json() for difference in found]
    return {"results": documents, "differences": differences}, f"{text}\n\n{differences_text(found)}"


def _rank(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from qbench.commands.rank import describe_groups, describe_left_out, rank_file

    with telling(f"ranking {printable(str(options.file))}"):
        document = rank_file(options.file, method=options.method, dataset=options.dataset, pairs=options.pairs)
    intervals, at_bound = document["intervals"] or {}, set(document["at_bound"])
    lines = [f"{'rank':>4}  {'score':>8}  {'95 % interval':>18}  item"]
    for item, score in document["scores"].items():
        low, high = intervals.get(item, (None, None))
        span = "–" if low is None else f"{low:.3f} to {high:.3f}"
        mark = " (at the bound)" if item in at_bound else ""
        lines.append(f"{document['ranks'][item]:>4}  {score:>8.3f}  {span:>18}  {printable(item)}{mark}")
    if document["left_out"]:
        lines.append(f"note: {describe_left_out(document['comparisons'], document['left_out_because'])}")
    if document["groups"]:
        lines.append(f"note: {describe_groups(document['groups'])}")
    return document, "\n".join(lines)


def _average(options: argparse.Namespace) -> tuple[list[dict[str, Any]], str]:
    from qbench.commands.average import average, read_records

    with telling("averaging records"):
        results = average(read_records(options.records))
    return [result.to_json() for result in results], "\n\n".join(map(result_text, results))


def _tell_notes(results: Sequence[Result]) -> None:
    """What the reader of a record must know stands on stderr too, each sentence once."""
    for note in dict.fromkeys(str(result.protocol["note"]) for result in results if "note" in result.protocol):
        print(f"qbench: {printable(note)}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
