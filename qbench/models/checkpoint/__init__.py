"""From a Hub id or a folder to the backend that runs it, decided from its configuration before any weight is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from qbench.errors import UserError
from qbench.models import Model, ModelOptions
from qbench.models.builtin import checkpoint_source
from qbench.models.checkpoint.weights import Checkpoint, find_checkpoint


def open_checkpoint(name: str, options: ModelOptions) -> Model:
    """Open a checkpoint as a vision-language model or as an encoder; UserError where it is neither, or is not safe."""
    found = find_checkpoint(name, options)
    if checkpoint_kind(found) == "vlm":
        from qbench.models.checkpoint.vlm import open_vlm

        return open_vlm(found)
    from qbench.models.checkpoint.encoder import open_encoder

    return open_encoder(found)


def open_embedded(name: str, _argument: str, options: ModelOptions) -> Model:
    """One that comes with the project: a LLaVA or a CLIP of a few million parameters."""
    return open_checkpoint(checkpoint_source(name), options)


def checkpoint_kind(found: Checkpoint) -> Literal["vlm", "encoder"]:
    """What a checkpoint is, by the architecture that its configuration names."""
    from transformers.models.auto import modeling_auto as known

    config: Mapping[str, Any] = found.config
    kind = config.get("model_type", "")
    built = (config.get("architectures") or [""])[0]
    writes = kind in {**known.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES, **known.MODEL_FOR_MULTIMODAL_LM_MAPPING_NAMES}
    dual = "vision-text-dual-encoder"  # any two towers; missing among those that classify without examples
    compares = kind in {*known.MODEL_FOR_ZERO_SHOT_IMAGE_CLASSIFICATION_MAPPING_NAMES, dual}
    if compares and not (writes and built.endswith("ForConditionalGeneration")):
        return "encoder"
    custom = config.get("auto_map", {})
    if writes or (found.remote_code and "AutoModelForImageTextToText" in custom):
        return "vlm"
    if custom and not found.remote_code:
        raise UserError(
            f"{found.source} runs on code of its own, which is not executed unasked: read it, then allow it with "
            "--remote-code, or serve the model and give the URL with --endpoint"
        )
    raise UserError(
        f"{found.source} is of the type {kind or 'unknown'!r}, which the installed Transformers can run neither as a "
        "vision-language model nor as an encoder of images and texts: serve it and give the URL with --endpoint"
    )
