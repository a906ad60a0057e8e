"""`run`: its arguments, the models that they name, and the line that shows progress."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from qbench.cache import ANSWERS
from qbench.commands.arguments import price
from qbench.commands.datasets import fetch_line
from qbench.commands.evaluate import WatchMetric, evaluate, run_shard
from qbench.commands.parts import read_shard
from qbench.commands.preview import metric_name
from qbench.commands.text import progress_line, records_text, tell
from qbench.datasets import coverage_sentence, open_dataset
from qbench.errors import UserError
from qbench.models import Model, ModelOptions, RayOptions
from qbench.models.builtin import uses_device
from qbench.models.own import open_any
from qbench.models.providers import find_provider
from qbench.models.retrying import ANSWER_SECONDS, RETRIES
from qbench.records import Estimate
from qbench.runner import Progress
from qbench.tasks import TASKS, RunOptions


def add_arguments(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """The arguments of `run`."""
    parser.description = (
        "Run a model on a dataset. Every answer is kept as it comes: stop at any time, and the same command goes on "
        "where it stopped."
    )
    runnable = ", ".join(TASKS)
    parser.add_argument("--task", required=True, help=f"{runnable}; see: python -m qbench tasks")
    parser.add_argument(
        "--dataset",
        required=True,
        metavar="NAME|MANIFEST|FOLDER|ZIP|HF_ID",
        help="see: python -m qbench datasets",
    )
    parser.add_argument("--images", type=Path, metavar="DIR", help="folder that image paths start from")
    parser.add_argument(
        "--model",
        required=True,
        metavar="NAME|HF_ID|FOLDER|FILE.py:CLASS|PROVIDER/NAME",
        help="see: python -m qbench models; a class or function in a file of yours; or a service and its name for a "
        "model: openai/, anthropic/, google/, hf/, openrouter/, or vllm/, for which vLLM is started",
    )
    parser.add_argument(
        "--endpoint", action="append", default=[], metavar="URL", help="ask an OpenAI-compatible server"
    )
    parser.add_argument(
        "--gpus", type=int, metavar="N", help="of vllm/NAME, which vLLM serves here: GPUs that hold it together"
    )
    parser.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help="prompts asked at once of servers (default: as many as bring more answers a second)",
    )
    parser.add_argument(
        "--retries",
        type=int,
        metavar="N",
        help=f"how often a server that is busy or down is asked again, with growing waits (default: {RETRIES})",
    )
    parser.add_argument(
        "--timeout",
        type=float,
        metavar="SECONDS",
        help=f"how long a server may take for an answer (default: {ANSWER_SECONDS:g})",
    )
    parser.add_argument(
        "--batch",
        action="store_true",
        help="ask by batches, which OpenAI answers within a day at half the price; stop at any time, the same command "
        "collects them",
    )
    parser.add_argument(
        "--price",
        type=price,
        metavar="IN/OUT",
        help="what the model's server asks for a million tokens, such as 2.5/10; the record then says what the "
        "answers cost, as it does where the server tells it",
    )
    parser.add_argument(
        "--template",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="argument of the model's chat template, such as enable_thinking=false",
    )
    parser.add_argument(
        "--judge",
        metavar="NAME",
        help="model that grades replies (perception) or descriptions; of 2AFC and similarity tasks it reads the "
        "replies that the parser leaves unread, counted apart",
    )
    parser.add_argument(
        "--unread", action="store_true", help="perception: the judge only reads what the parser leaves unread"
    )
    parser.add_argument("--judge-endpoint", action="append", default=[], metavar="URL", help="server of the judge")
    parser.add_argument(
        "--judge-template", action="append", default=[], metavar="NAME=VALUE", help="argument of the judge's template"
    )
    parser.add_argument("--judge-price", type=price, metavar="IN/OUT", help="what the judge's server asks")
    parser.add_argument(
        "--judge-batch", action="store_true", help="ask the judge by batches, as --batch does the model"
    )
    parser.add_argument(
        "--mode",
        help="how to ask: free, letter or close-set (perception); words, levels, rating or score (assessment); text, "
        "letter-logits, scores, embeddings, … (by task)",
    )
    parser.add_argument(
        "--style",
        help="wording of the prompt: paper, answer or llava (perception), code (comparison and similarity); "
        "naive or clip-iqa (iqa-2afc and attributes by embeddings); q-align or q-realign (assessment by levels); "
        "paper, q-insight, visualquality-r1 or visualquality-r1-direct (assessment by rating)",
    )
    parser.add_argument(
        "--words",
        metavar="GOOD/POOR",
        help="assessment by words: the pair that is weighed, such as high/low or good+fine/poor+bad (default: the "
        "model's own)",
    )
    parser.add_argument(
        "--prefill",
        metavar="TEXT",
        help="assessment by words or levels: beginning of the answer (default: The quality of the image is)",
    )
    parser.add_argument("--rounds", type=int, metavar="N", help="comparison: rounds of pairs (default 12; active 11)")
    parser.add_argument(
        "--pairing",
        dest="rule",
        metavar="RULE",
        help="coarse, levels, types or intervals (default: the dataset's own, else coarse)",
    )
    parser.add_argument(
        "--schedule",
        default="random",
        metavar="HOW",
        help="random pairs, or active: those the answers so far leave most doubt about, which needs half as many",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="shuffles options and pairs")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N samples; the record says so")
    parser.add_argument(
        "--allow-missing",
        action="store_true",
        help="run on the samples whose images are here; the record says how many, and a part has no rank",
    )
    parser.add_argument(
        "--shard",
        metavar="I/N",
        help="ask only part I of N, here or on another machine; docs/evaluate.md says how to join all",
    )
    parser.add_argument(
        "--ray",
        metavar="auto|ADDRESS",
        help="run the model in actors of this Ray cluster; auto: of the one here, or this machine",
    )
    parser.add_argument("--actors", type=int, metavar="N", help="how many (default: as the GPUs allow)")
    parser.add_argument("--gpus-per-actor", type=float, metavar="G", help="default: 1, where there are any")
    parser.add_argument(
        "--device",
        choices=("auto", "cpu", "cuda", "mps", "split"),
        default="auto",
        help="of a checkpoint: mps is Apple's GPU, split all CUDA devices together (default: cuda if there is one)",
    )
    parser.add_argument("--revision", help="revision of a Hub checkpoint")
    parser.add_argument("--remote-code", action="store_true", help="let a checkpoint run its own code on this machine")
    parser.add_argument("--out", type=Path, default=Path("results"), metavar="DIR", help="default: results")
    parser.set_defaults(run=_run)
    return [parser]


def _run(options: argparse.Namespace) -> tuple[Any, str]:
    if options.limit is not None and options.limit < 1:
        raise UserError(f"--limit {options.limit} leaves nothing to run; give a number of samples")
    shard = read_shard(options.shard) if options.shard else None
    if shard and options.schedule == "active":
        raise UserError("active pairing chooses pairs by all answers before, so it has no parts; leave out --shard")
    with fetch_line() as fetching:
        dataset = open_dataset(
            options.dataset,
            images=options.images,
            limit=options.limit,
            task=options.task,
            allow_missing=options.allow_missing,
            watch=fetching,
        )
    if said := coverage_sentence(dataset):
        tell(said)
    model, judge = _models_of(options)
    if options.batch or options.judge_batch:
        tell("batches take up to a day; stop at any time, and the same command collects them")
    if said := _another_mode(options.task, model, options.mode):
        tell(said)
    settings = RunOptions(**{each.name: getattr(options, each.name) for each in fields(RunOptions)})
    with _run_line(metric_name(options.task)) as watch:
        how: dict[str, Any] = {"judge": judge, "options": settings, "watch": watch}
        if shard:
            asked, failed = run_shard(options.task, dataset, model, options.out, shard, **how)
        else:
            results = evaluate(options.task, dataset, model, options.out, **how)
    if not shard:
        return [result.to_json() for result in results], f"{records_text(results)}\n\nkept in {options.out}"
    return {"shard": [shard.number, shard.of], "asked": asked, "failed": failed}, (
        f"shard {shard}: {asked:,} prompts{f', {failed:,} failed' if failed else ''}; kept in {options.out}\n"
        f"when all {shard.of} are done: cat FOLDER/*/{ANSWERS} > NEW/{ANSWERS}, and this run without --shard, --out NEW"
    )


def _another_mode(task: str, model: Model, asked: str | None) -> str:
    """What is said before a model that cannot weigh words here is asked for text in their place."""
    if task not in TASKS:
        return ""  # which is said later
    usual, want = next(iter(TASKS[task].modes.items()))
    if asked or want != "words" or want in model.wants or "text" not in model.wants:
        return ""
    mode = TASKS[task].choose_mode(model.wants)
    return (
        f"{model.name} gives no log-probabilities of words here, so --mode {mode} is used; its figures stand apart "
        f"from those by --mode {usual}"
    )


def _models_of(options: argparse.Namespace) -> tuple[Model, Model | None]:
    """The model to run, and the judge where one is named."""
    if not options.ray and (options.actors or options.gpus_per_actor is not None):
        raise UserError("--actors and --gpus-per-actor are about a Ray cluster; name it with --ray, such as --ray auto")
    common = ModelOptions(device=options.device, remote_code=options.remote_code, watch=tell)
    served = {name: getattr(options, name) for name in ("workers", "retries", "timeout")}
    at = tuple(options.judge_endpoint)
    if not options.judge and (at or options.judge_template or options.judge_price or options.judge_batch):
        raise UserError("--judge-endpoint, -template, -price and -batch are about a judge; name it with --judge")
    batches = options.out / "batches.jsonl"
    away = {"model": _is_away(options.model, options.endpoint), "judge": _is_away(options.judge, at)}
    here = [name for who, name in (("model", options.model), ("judge", options.judge)) if name and not away[who]]
    if options.device not in ("auto", "cpu") and not any(map(uses_device, here)):
        raise UserError(
            f"--device {options.device} is for checkpoints on this machine, and none is asked here; leave it out"
        )
    model = open_any(
        options.model,
        replace(
            common,
            endpoints=tuple(options.endpoint),
            revision=options.revision,
            gpus=options.gpus,
            price=options.price,
            batch=batches if options.batch else None,
            template=dict(map(_template_argument, options.template)),
            ray=RayOptions(options.ray, options.actors, options.gpus_per_actor) if options.ray else None,
            **(served if away["model"] or not away["judge"] else {}),
        ),
    )
    if not options.judge:
        return model, None
    judged = replace(
        common,
        endpoints=at,
        price=options.judge_price,
        batch=batches if options.judge_batch else None,
        template=dict(map(_template_argument, options.judge_template)),
        **(served if away["judge"] else {}),
    )
    return model, open_any(options.judge, judged)


def _is_away(name: str | None, endpoints: Sequence[str]) -> bool:
    """Whether a model is asked at a server."""
    return bool(endpoints) or (name is not None and find_provider(name) is not None)


def _template_argument(text: str) -> tuple[str, Any]:
    """NAME=VALUE; the value as JSON where it is some, else as text."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise UserError(f"--template {text!r} is not NAME=VALUE, such as enable_thinking=false")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


@contextmanager
def _run_line(metric_name: str) -> Iterator[WatchMetric]:
    """Step, count, rate, time left, running metric and failures, in one line on stderr."""
    with progress_line() as show:

        def watch(progress: Progress, metric: Estimate | None) -> None:
            line = f"step {progress.step}: " if progress.step > 1 else ""
            line += f"{progress.done:,}/{progress.total:,}"
            if progress.rate is not None and progress.seconds_left is not None:
                line += f"  {progress.rate:.1f}/s  {timedelta(seconds=round(progress.seconds_left))} left"
            if metric is not None and metric.value is not None:
                spread = "" if metric.low is None or metric.high is None else f" [{metric.low:.3f}, {metric.high:.3f}]"
                line += f"  {metric_name} {metric.value:.3f}{spread}"
            show(f"{line}  {progress.failed:,} failed" if progress.failed else line)

        yield watch
