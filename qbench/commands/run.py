"""`run`: its arguments, the models that they name, and the line that shows progress."""

from __future__ import annotations

import argparse
import json
from dataclasses import fields
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from qbench.cache import ANSWERS
from qbench.commands.arguments import above_0, add_argument, at_least, price
from qbench.commands.datasets import fetch_text
from qbench.commands.evaluate import evaluate, run_shard
from qbench.commands.parts import read_shard
from qbench.commands.preview import metric_name
from qbench.commands.text import progress_line, records_text, tell
from qbench.datasets import coverage_sentence, open_dataset
from qbench.errors import UserError
from qbench.models import DEVICES, Model, ModelOptions, RayOptions
from qbench.models.builtin import uses_device
from qbench.models.own import open_any
from qbench.models.providers import find_provider
from qbench.models.retrying import ANSWER_SECONDS, RETRIES
from qbench.records import Estimate
from qbench.runner import Progress
from qbench.tasks import TASKS, RunOptions, find_task

_OF_ONE = ("endpoint", "template", "price", "batch")
"""Options that the model has and, after `judge_`, the judge."""


def add_arguments(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    parser.description = (
        "Run a model on a dataset. Every answer is kept as it comes: stop at any time, and the same command goes on "
        "where it stopped."
    )
    add = partial(add_argument, parser)
    add("--task", str, None, f"{', '.join(TASKS)}; see: python -m qbench tasks", required=True)
    add("--dataset", str, "NAME|MANIFEST|FOLDER|ZIP|HF_ID", "see: python -m qbench datasets", required=True)
    add("--images", Path, "DIR", "folder that image paths start from")
    add(
        "--model",
        str,
        "NAME|HF_ID|FOLDER|FILE.py:CLASS|PROVIDER/NAME",
        "see: python -m qbench models; a class or function in a file of yours; or a service and its name for a "
        "model: openai/, anthropic/, google/, hf/, openrouter/, or vllm/, for which vLLM is started",
        required=True,
    )
    add("--endpoint", list, "URL", "ask an OpenAI-compatible server")
    add("--gpus", at_least(1), "N", "of vllm/NAME, which vLLM serves here: GPUs that hold it together")
    add("--workers", at_least(1), "N", "prompts asked at once of servers (default: as many as bring more a second)")
    add("--retries", at_least(0), "N", f"how often a server that is busy or down is asked again (default: {RETRIES})")
    add("--timeout", above_0, "SECONDS", f"how long a server may take for an answer (default: {ANSWER_SECONDS:g})")
    add("--batch", bool, None, "ask by batches: OpenAI answers within a day at half the price; run again to collect")
    add("--price", price, "IN/OUT", "such as 2.5/10: price of a million tokens; the record then says what all cost")
    add("--template", list, "NAME=VALUE", "argument of the model's chat template, such as enable_thinking=false")
    add(
        "--judge",
        str,
        "NAME",
        "grades replies or descriptions, or reads what the parser leaves unread; named as --model",
    )
    add("--unread", bool, None, "perception: the judge only reads what the parser leaves unread")
    add("--judge-endpoint", list, "URL", "server of the judge")
    add("--judge-template", list, "NAME=VALUE", "argument of the judge's template")
    add("--judge-price", price, "IN/OUT", "what the judge's server asks")
    add("--judge-batch", bool, None, "ask the judge by batches, as --batch does the model")
    add(
        "--mode",
        str,
        None,
        "how to ask: free, letter or close-set (perception); words, levels, rating or score (assessment); text, "
        "letter-logits, scores, embeddings, … (by task)",
    )
    add(
        "--style",
        str,
        None,
        "wording of the prompt: paper, answer or llava (perception), code (comparison and similarity); "
        "naive or clip-iqa (iqa-2afc and attributes by embeddings); q-align or q-realign (assessment by levels); "
        "paper, q-insight, visualquality-r1 or visualquality-r1-direct (assessment by rating)",
    )
    add("--words", str, "GOOD/POOR", "assessment by words: those weighed, such as high/low or good+fine/poor+bad")
    add(
        "--prefill",
        str,
        "TEXT",
        "assessment by words or levels: how the answer begins (default: The quality of the image is)",
    )
    add("--rounds", int, "N", "comparison: rounds of pairs (default 12; active 11)")
    rule = "coarse, levels, types or intervals (default: the dataset's own, else coarse)"
    add("--pairing", str, "RULE", rule, dest="rule")
    add("--schedule", str, "HOW", "random pairs, or active: half as many, by the answers so far", default="random")
    add("--seed", int, "N", "shuffles options and pairs")
    add("--limit", at_least(1), "N", "only the first N samples; the record says so")
    add("--allow-missing", bool, None, "run on the samples whose images are here; such a part has no rank")
    add("--shard", str, "I/N", "ask only part I of N, on any machine; docs/evaluate.md says how to join all")
    add("--ray", str, "auto|ADDRESS", "run the model in actors of a Ray cluster; auto: the one here, or this machine")
    add("--actors", at_least(1), "N", "how many (default: as the GPUs allow)")
    add("--gpus-per-actor", float, "G", "default: 1, where there are any")
    where = "of a checkpoint: mps is Apple's GPU, split all CUDA devices together (default: cuda if there is one)"
    add("--device", str, None, where, choices=DEVICES, default="auto")
    add("--revision", str, None, "revision of a Hub checkpoint")
    add("--remote-code", bool, None, "let a checkpoint run its own code on this machine")
    add("--out", Path, "DIR", "default: results", default=Path("results"))
    parser.set_defaults(run=_run)
    return [parser]


def _run(options: argparse.Namespace) -> tuple[Any, str]:
    find_task(options.task)  # before anything is fetched or opened
    shard = read_shard(options.shard) if options.shard else None
    if shard and options.schedule == "active":
        raise UserError("active pairing chooses pairs by all answers before, so it has no parts; leave out --shard")
    with progress_line(fetch_text) as fetching:
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
    with progress_line(partial(_run_text, metric_name(options.task))) as watch:
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
    if not options.judge and any(getattr(options, f"judge_{name}") for name in _OF_ONE):
        raise UserError("--judge-endpoint, -template, -price and -batch are about a judge; name it with --judge")
    names = {"": options.model, "judge_": options.judge}
    away = {of: bool(getattr(options, f"{of}endpoint") or (name and find_provider(name))) for of, name in names.items()}
    here = [name for of, name in names.items() if name and not away[of]]
    if options.device not in ("auto", "cpu") and not any(map(uses_device, here)):
        raise UserError(
            f"--device {options.device} is for checkpoints on this machine, and none is asked here; leave it out"
        )

    def opened(of: str, **more: Any) -> Model:
        endpoint, template, price, batch = (getattr(options, f"{of}{name}") for name in _OF_ONE)
        if away[of] or not any(away.values()):
            more |= {name: getattr(options, name) for name in ("workers", "retries", "timeout")}
        how = ModelOptions(
            device=options.device,
            endpoints=tuple(endpoint),
            template=dict(map(_template_argument, template)),
            price=price,
            batch=options.out / "batches.jsonl" if batch else None,
            remote_code=options.remote_code,
            watch=tell,
            **more,
        )
        return open_any(names[of], how)

    ray = RayOptions(options.ray, options.actors, options.gpus_per_actor) if options.ray else None
    model = opened("", revision=options.revision, gpus=options.gpus, ray=ray)
    return model, opened("judge_") if options.judge else None


def _template_argument(text: str) -> tuple[str, Any]:
    """NAME=VALUE; the value as JSON where it is some, else as text."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise UserError(f"--template {text!r} is not NAME=VALUE, such as enable_thinking=false")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _run_text(metric_name: str, progress: Progress, metric: Estimate | None) -> str:
    """Step, count, rate, time left, running metric and failures, in one line."""
    line = f"step {progress.step}: " if progress.step > 1 else ""
    line += f"{progress.done:,}/{progress.total:,}"
    if progress.rate is not None and progress.seconds_left is not None:
        line += f"  {progress.rate:.1f}/s  {timedelta(seconds=round(progress.seconds_left))} left"
    if metric is not None and metric.value is not None:
        spread = "" if metric.low is None or metric.high is None else f" [{metric.low:.3f}, {metric.high:.3f}]"
        line += f"  {metric_name} {metric.value:.3f}{spread}"
    return f"{line}  {progress.failed:,} failed" if progress.failed else line
