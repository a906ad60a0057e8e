"""Make the models that come with the project: `python -m tools.nano KIND --photos DIR --out FOLDER`.

`iqa` makes nano-iqa; `eye` makes the vision tower that `clip` (nano-clip) and `vlm` (nano-vlm) look through; `niqe`
fits the parameters of niqe; `comparisons` writes lists for `python -m qbench train unisim --sets`. A training that was
stopped goes on with the same command. The class of a kind's options says what each of them means.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_type_hints

from qbench.errors import UserError
from qbench.models.checkpoint.devices import pick_device
from qbench.training.cli import at_least
from tools.nano.clip import ClipOptions, train_clip
from tools.nano.comparisons import ComparisonOptions, write_comparisons
from tools.nano.eye import EyeOptions, train_eye
from tools.nano.iqa import IqaOptions, train_iqa
from tools.nano.niqe import NiqeOptions, fit_niqe
from tools.nano.options import Options
from tools.nano.vlm import train_vlm
from tools.nano.vlm_features import VlmOptions

KINDS: Mapping[str, tuple[type[Options], Callable[[Any], object]]] = {
    "iqa": (IqaOptions, train_iqa),
    "eye": (EyeOptions, train_eye),
    "clip": (ClipOptions, train_clip),
    "vlm": (VlmOptions, train_vlm),
    "niqe": (NiqeOptions, fit_niqe),
    "comparisons": (ComparisonOptions, write_comparisons),
}
"""What can be made: what can be chosen about it, and what makes it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Make what the arguments ask for; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.nano", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    kinds = parser.add_subparsers(required=True, dest="kind", metavar="KIND")
    for name, (chosen, _) in KINDS.items():
        _add_options(kinds.add_parser(name), chosen)
    given = vars(parser.parse_args(arguments))
    chosen, make = KINDS[given.pop("kind")]
    try:
        make(chosen(**given | {"device": pick_device(given["device"])}))
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"made {given['out']}")
    return 0


def _add_options(parser: argparse.ArgumentParser, chosen: type[Options]) -> None:
    """An option for each field of a class, with its default."""
    hints = get_type_hints(chosen)
    for field in dataclasses.fields(chosen):
        flag, needed = f"--{field.name.replace('_', '-')}", field.default is dataclasses.MISSING
        default = "auto" if field.name == "device" else field.default
        lowest = 0 if field.name in ("seed", "workers") else 1
        kind: Any = {int: at_least(lowest), str: str}.get(hints[field.name], Path)
        told = None if needed else f"({default})"
        parser.add_argument(flag, type=kind, required=needed, default=None if needed else default, help=told)


if __name__ == "__main__":
    sys.exit(main())
