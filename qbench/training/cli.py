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
    return [_niqe_parser(kinds)]


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
