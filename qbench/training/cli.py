"""The commands below `python -m qbench train`; what they run is imported when they run."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

from qbench.commands.arguments import above_0, add_argument, at_least

_RESUMED = " It goes on where an interrupted run of the same settings stopped."


def add_arguments(train: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """Add what can be trained to `train`; returns the parsers of it."""
    train.description = "Train by UniSim's recipe."
    kinds = train.add_subparsers(required=True, metavar="KIND")
    tuning: argparse.ArgumentParser = kinds.add_parser(
        "unisim",
        help="tune a CLIP on comparisons of four tasks, as UniSim does",
        description="Tune the image side of a CLIP on comparisons of UniSim's four core tasks, with LoRA, and write it "
        "with LoRA merged; run it with --model FOLDER. docs/unisim.md lists the sets." + _RESUMED,
    )
    add = partial(add_argument, tuning)
    add("--model", str, "NAME", "the CLIP to tune: nano-clip, a Hub id or a folder", required=True)
    add("--samples", at_least(1), "N", "comparisons of each task (%(default)s)", default=400_000)
    add("--batch", at_least(1), "N", "comparisons of each task in a step (%(default)s)", default=32)
    add("--rate", above_0, "RATE", "highest learning rate (%(default)s)", default=1e-4)
    add("--side", at_least(1), "N", "pixels a side to show pictures at (the model's own)")
    add("--workers", at_least(0), "N", "processes that read pictures (%(default)s)", default=1)
    talks: argparse.ArgumentParser = kinds.add_parser(
        "unisim-conversations",
        help="write the same comparisons as conversations, for trainers of generative models",
        description="Write comparisons of UniSim's four core tasks as conversations in LLaVA's JSON.",
    )
    add_argument(talks, "--out", Path, "FOLDER", "where the file goes", required=True)
    most = "most comparisons of each task (%(default)s)"
    add_argument(talks, "--samples", at_least(1), "N", most, default=120_000)
    for parser in (tuning, talks):
        sets = "training splits, such as nights-train, and lists of your own comparisons"
        add_argument(parser, "--sets", str, "SET", sets, nargs="+", required=True)
    generative: argparse.ArgumentParser = kinds.add_parser(
        "unisim-vlm",
        help="tune a generative model on conversations, such as `unisim-conversations` writes",
        description="Tune the language side of a generative model on conversations about images in LLaVA's JSON, with "
        "LoRA, and write it with LoRA merged; run it with --model FOLDER." + _RESUMED,
    )
    add = partial(add_argument, generative)
    add("--model", str, "NAME", "the model to tune: nano-vlm, a Hub id or a folder", required=True)
    add("--conversations", Path, "FILE", "questions and answers", required=True)
    add("--images", Path, "DIR", "where its images are named from (beside the file)")
    add("--samples", at_least(1), "N", "conversations to see in all (each of them once)")
    add("--batch", at_least(1), "N", "conversations in a step (%(default)s)", default=16)
    add("--rate", above_0, "RATE", "highest learning rate (%(default)s)", default=2e-4)
    for parser in (tuning, generative):
        add = partial(add_argument, parser)
        add("--out", Path, "FOLDER", "where the checkpoint goes", required=True)
        add("--work", Path, "FOLDER", "for the state to resume from (OUT.training)")
        add("--device", str, None, "where to train", choices=("auto", "cpu", "cuda"), default="auto")
    for parser in (tuning, talks, generative):
        add_argument(parser, "--seed", at_least(0), "N", "of all that is drawn (%(default)s)", default=0)
    tuning.set_defaults(run=_tune_clip)
    talks.set_defaults(run=_write_conversations)
    generative.set_defaults(run=_tune_vlm)
    return [tuning, talks, generative]


def _tune_clip(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from qbench.training.unisim.clip import ClipTuningOptions, tune_clip

    return _trained(options, ClipTuningOptions, tune_clip)


def _tune_vlm(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from qbench.training.unisim.generative import VlmTuningOptions, tune_vlm

    return _trained(options, VlmTuningOptions, tune_vlm)


def _trained(
    options: argparse.Namespace, kind: Callable[..., Any], tune: Callable[[Any], Path]
) -> tuple[dict[str, Any], str]:
    from qbench.models.checkpoint.devices import pick_device

    work = options.work or options.out.with_name(f"{options.out.name}.training")
    chosen = {**vars(options), "work": work, "device": pick_device(options.device)}
    folder = tune(kind(**{each.name: chosen[each.name] for each in fields(kind)}))  # type: ignore[arg-type]
    return {"out": str(folder)}, f"trained; run it with --model {folder}"


def _write_conversations(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from qbench.training.unisim.conversations import write_conversations

    path, counts = write_conversations(options.sets, options.out, options.samples, options.seed)
    listed = ", ".join(f"{count:,} of {task}" for task, count in counts.items())
    return {"out": str(path), "conversations": counts}, f"{path}: {listed}"
