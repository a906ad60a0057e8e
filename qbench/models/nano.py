"""The small models that come with the project, trained by it: checkpoints like any other, in folders of `assets/`."""

from __future__ import annotations

from qbench.errors import UserError
from qbench.models import Model, ModelOptions, builtin
from qbench.models.checkpoint import open_checkpoint


def open_nano(name: str, _argument: str, options: ModelOptions) -> Model:
    """A LLaVA or a CLIP of a few million parameters."""
    return open_checkpoint(checkpoint_source(name), options)


def checkpoint_source(name: str) -> str:
    """Where a checkpoint is: the folder of one that comes with the project; any other name as it stands.

    Raises:
        UserError: It should be in a folder that is not there.
    """
    model = builtin.BUILTIN.get(name)
    if model is None or not model.has_weights:
        return name
    folder = builtin.WEIGHTS_FOLDER / name
    if not model.is_installed:
        raise UserError(f"{name} is not at {folder}: run from a clone of the project, where it lies")
    return str(folder)
