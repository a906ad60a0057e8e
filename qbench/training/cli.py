"""The commands below `python -m qbench train`; what they run is imported when they run."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from qbench.errors import UserError


def add_parsers(commands: Any) -> list[argparse.ArgumentParser]:
    """Add `train` and what can be trained to the command line; returns the parsers of the latter."""
    train = commands.add_parser("train", help="train or fit a model", description="Train or fit a model.")
    kinds = train.add_subparsers(required=True, metavar="KIND")
    return [_niqe_parser(kinds), _clip_parser(kinds), _vlm_parser(kinds)]


def _niqe_parser(kinds: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = kinds.add_parser(
        "niqe",
        help="fit NIQE's Gaussian to undistorted photos",
        description="Fit NIQE's Gaussian to undistorted photos; run it with --model niqe:FILE.",
    )
    parser.add_argument("--photos", type=Path, required=True, metavar="DIR", help="JPEG and PNG files, at least 10")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="where the parameters go, as JSON")
    parser.add_argument("--source", default="", metavar="TEXT", help="what the photos are, for the file's reader")
    parser.set_defaults(run=_niqe)
    return parser


def _niqe(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from qbench.training.niqe import train_niqe

    if not options.photos.is_dir():
        raise UserError(f"there is no folder {options.photos}; give the one that holds the photos")
    count = train_niqe(options.photos, options.out, options.source or options.photos.name)
    document = {"photos": count, "out": str(options.out)}
    return document, f"fitted to {count} photos; run it with --model niqe:{options.out}"


def _clip_parser(kinds: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = kinds.add_parser(
        "clip",
        help="train a small CLIP on damaged photos",
        description="Train a small CLIP on photos damaged on the fly; run it with --model FOLDER. It goes on where an "
        "interrupted run of the same settings stopped.",
    )
    _add_common(parser, steps=240)
    _add_count(parser, "--scenes", 16, "scenes of four pictures a step")
    _add_count(parser, "--glances", 4000, "scenes to judge by their summary alone, before the steps")
    parser.set_defaults(run=_clip)
    return parser


def _vlm_parser(kinds: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = kinds.add_parser(
        "vlm",
        help="train a small LLaVA that looks through a small CLIP",
        description="Train a small LLaVA on questions, descriptions and comparisons of damaged photos, through the eye "
        "of a CLIP from `train clip`; run it with --model FOLDER.",
    )
    _add_common(parser, steps=900)
    parser.add_argument("--eye", type=Path, required=True, metavar="FOLDER", help="the CLIP to look through")
    _add_count(
        parser, "--reading", 1500, "steps that teach it to answer about pictures told in words, before the others"
    )
    _add_count(parser, "--scenes", 1000, "scenes of four pictures to look at")
    _add_count(parser, "--rows", 8, "pictures or pairs a step")
    parser.set_defaults(run=_vlm)
    return parser


def _add_common(parser: argparse.ArgumentParser, steps: int) -> None:
    parser.add_argument(
        "--photos", type=Path, required=True, metavar="DIR", help="undamaged photos of 480 pixels or more"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where the checkpoint goes")
    parser.add_argument("--work", type=Path, metavar="FOLDER", help="for the state to resume from (OUT.training)")
    _add_count(parser, "--steps", steps, "how long")
    _add_count(parser, "--seed", 0, "of weights and damages")
    _add_count(parser, "--workers", 1, "processes that damage photos")
    parser.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda"), help="where to train")


def _add_count(parser: argparse.ArgumentParser, name: str, default: int, what: str) -> None:
    parser.add_argument(name, type=int, default=default, metavar="N", help=f"{what} (%(default)s)")


def _common(options: argparse.Namespace) -> dict[str, Any]:
    from qbench.models.weights import pick_device

    for name in ("steps", "scenes", "glances", "reading", "rows"):
        if getattr(options, name, 1) < 1:
            raise UserError(f"--{name} is {getattr(options, name)}; it must be at least 1")
    if options.seed < 0 or options.workers < 0:
        raise UserError("--seed and --workers cannot be negative")
    names = ("photos", "out", "steps", "scenes", "seed", "workers")
    work = options.work or options.out.with_name(f"{options.out.name}.training")
    return {name: getattr(options, name) for name in names} | {"work": work, "device": pick_device(options.device)}


def _clip(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from qbench.training.clip import ClipOptions, train_clip

    return _trained(train_clip(ClipOptions(**_common(options), glances=options.glances)))


def _vlm(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from qbench.training.vlm import VlmOptions, train_vlm

    return _trained(train_vlm(VlmOptions(**_common(options), eye=options.eye, reading=options.reading, rows=options.rows)))


def _trained(folder: Path) -> tuple[dict[str, Any], str]:
    return {"out": str(folder)}, f"trained; run it with --model {folder}"
