"""The commands below `python -m qbench train`; what they run is imported when they run."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any


def add_arguments(train: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """Add what can be trained to `train`; returns the parsers of it."""
    train.description = "Train by UniSim's recipe."
    kinds = train.add_subparsers(required=True, metavar="KIND")
    tuning: argparse.ArgumentParser = kinds.add_parser(
        "unisim",
        help="tune a CLIP on comparisons of four tasks, as UniSim does",
        description="Tune the image side of a CLIP on comparisons of UniSim's four core tasks, with LoRA, and write it "
        "with LoRA merged; run it with --model FOLDER. docs/unisim.md lists the sets.",
    )
    _add(tuning, "--model", str, None, "the CLIP to tune: nano-clip, a Hub id or a folder", metavar="NAME")
    _add(tuning, "--samples", at_least(1), 400_000, "comparisons of each task")
    _add(tuning, "--batch", at_least(1), 32, "comparisons of each task in a step")
    _add(tuning, "--rate", _above_0, 1e-4, "highest learning rate", metavar="RATE")
    tuning.add_argument(
        "--side", type=at_least(1), metavar="N", help="pixels a side to show pictures at (the model's own)"
    )
    _add(tuning, "--workers", at_least(0), 1, "processes that read pictures")
    talks: argparse.ArgumentParser = kinds.add_parser(
        "unisim-conversations",
        help="write the same comparisons as conversations, for trainers of generative models",
        description="Write comparisons of UniSim's four core tasks as conversations in LLaVA's JSON.",
    )
    _add(talks, "--out", Path, None, "where the file goes", metavar="FOLDER")
    _add(talks, "--samples", at_least(1), 120_000, "most comparisons of each task")
    for parser in (tuning, talks):
        parser.add_argument(
            "--sets",
            nargs="+",
            required=True,
            metavar="SET",
            help="training splits, such as nights-train, and lists of your own comparisons",
        )
    generative: argparse.ArgumentParser = kinds.add_parser(
        "unisim-vlm",
        help="tune a generative model on conversations, such as `unisim-conversations` writes",
        description="Tune the language side of a generative model on conversations about images in LLaVA's JSON, with "
        "LoRA, and write it with LoRA merged; run it with --model FOLDER.",
    )
    _add(generative, "--model", str, None, "the model to tune: nano-vlm, a Hub id or a folder", metavar="NAME")
    _add(generative, "--conversations", Path, None, "questions and answers", metavar="FILE")
    generative.add_argument(
        "--images", type=Path, metavar="DIR", help="where its images are named from (beside the file)"
    )
    generative.add_argument(
        "--samples", type=at_least(1), metavar="N", help="conversations to see in all (each of them once)"
    )
    _add(generative, "--batch", at_least(1), 16, "conversations in a step")
    _add(generative, "--rate", _above_0, 2e-4, "highest learning rate", metavar="RATE")
    for parser in (tuning, generative):
        parser.description = f"{parser.description} It goes on where an interrupted run of the same settings stopped."
        _add(parser, "--out", Path, None, "where the checkpoint goes", metavar="FOLDER")
        parser.add_argument("--work", type=Path, metavar="FOLDER", help="for the state to resume from (OUT.training)")
        parser.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda"), help="where to train")
    for parser in (tuning, talks, generative):
        _add(parser, "--seed", at_least(0), 0, "of all that is drawn")
    tuning.set_defaults(run=_tune_clip)
    talks.set_defaults(run=_write_conversations)
    generative.set_defaults(run=_tune_vlm)
    return [tuning, talks, generative]


def _add(parser: argparse.ArgumentParser, name: str, kind: Any, default: Any, what: str, *, metavar: str = "N") -> None:
    """An option with a default, or one that must be given."""
    said = what if default is None else f"{what} (%(default)s)"
    parser.add_argument(name, type=kind, default=default, required=default is None, metavar=metavar, help=said)


def at_least(lowest: int) -> Callable[[str], int]:
    """A reader of whole numbers that are not below this one."""

    def number(text: str) -> int:
        value = int(text)
        if value < lowest:
            raise argparse.ArgumentTypeError(f"it is {value}; it must be at least {lowest}")
        return value

    return number


def _above_0(text: str) -> float:
    number = float(text)
    if not number > 0:
        raise argparse.ArgumentTypeError(f"it is {text}; it must be above 0")
    return number


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
