"""The small models that come with the project, trained by it: checkpoints like any other, in folders of `assets/`."""

from __future__ import annotations

from pathlib import Path

from qbench.errors import UserError
from qbench.models import Model, ModelOptions
from qbench.models.checkpoint import checkpoint

FOLDER = Path(__file__).resolve().parents[2] / "assets"
NAMES = ("nano-vlm", "nano-clip")


def nano_vlm(argument: str, options: ModelOptions) -> Model:
    """A LLaVA of a few million parameters."""
    return _shipped("nano-vlm", argument, options)


def nano_clip(argument: str, options: ModelOptions) -> Model:
    """A CLIP of a few million parameters."""
    return _shipped("nano-clip", argument, options)


def source_of(name: str) -> str:
    """What a checkpoint is found by: the folder of one that comes with the project, any other name as it stands.

    Raises:
        UserError: It should be in a folder that is not there.
    """
    if name not in NAMES:
        return name
    if not (FOLDER / name).is_dir():
        raise UserError(f"{name} is not at {FOLDER / name}: run from a clone of the project, where it lies")
    return str(FOLDER / name)


def _shipped(name: str, argument: str, options: ModelOptions) -> Model:
    if argument:
        raise UserError(f"{name} takes nothing after its name, so {argument!r} has no meaning; write {name}")
    return checkpoint(source_of(name), options)
