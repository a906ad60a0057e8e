"""Make the models that come with the project: `python -m tools.nano models --photos DIR --ratings FILE --out FOLDER`.

`models` makes the vision tower, then nano-iqa, nano-vlm and nano-clip, which look through it. A training that was
stopped goes on with the same command, and what is finished stays as it is. `niqe` fits the parameters of niqe;
`comparisons` writes lists for `python -m qbench train unisim --sets`. The class of a kind's options says what each of
them means.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_type_hints

from qbench.commands.arguments import at_least
from qbench.errors import UserError
from qbench.models.checkpoint.devices import pick_device
from tools.nano.clip import make_clip
from tools.nano.comparisons import ComparisonOptions, write_comparisons
from tools.nano.eye import make_eye
from tools.nano.iqa import make_iqa
from tools.nano.niqe import fit_niqe
from tools.nano.options import NanoOptions, Options
from tools.nano.photos import read_photos
from tools.nano.vlm import make_vlm


def make_models(options: NanoOptions) -> None:
    """Make all that is not there yet, each in a folder of its name.

    Raises:
        UserError: Too few photos, a wrong list of ratings, no such network, or a folder of other settings.
    """
    photos = read_photos(options.photos)
    settings = {"recipe": 2, "photos": photos.digest, "backbone": options.backbone.name}
    settings |= {name: getattr(options, name) for name in ("seed", "side", "scenes")}
    known = options.work / "settings.json"
    if known.is_file() and json.loads(known.read_text(encoding="utf-8")) != settings:
        raise UserError(f"{known} was made with other settings: continue with those, or give another --out")
    known.parent.mkdir(parents=True, exist_ok=True)
    known.write_text(json.dumps(settings) + "\n", encoding="utf-8")
    for name, make in (("eye", make_eye), ("nano-iqa", make_iqa), ("nano-vlm", make_vlm), ("nano-clip", make_clip)):
        if not (options.out / name).is_dir():
            part = options.work / f"unfinished {name}"
            make(photos, options, part)
            part.replace(options.out / name)


KINDS: Mapping[str, tuple[type[Options], Callable[[Any], object]]] = {
    "models": (NanoOptions, make_models),
    "niqe": (Options, fit_niqe),
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
        kind: Any = {int: at_least(0 if field.name == "seed" else 1), str: str}.get(hints[field.name], Path)
        told = None if needed else f"({default})"
        parser.add_argument(flag, type=kind, required=needed, default=None if needed else default, help=told)


if __name__ == "__main__":
    sys.exit(main())
