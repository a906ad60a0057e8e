"""A checkpoint's files: found, pinned, told apart from any other, and loaded from safetensors alone."""

from __future__ import annotations

import hashlib
import json
import traceback
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from qbench.cancelling import check_cancelled
from qbench.errors import UserError
from qbench.models import ModelOptions
from qbench.models.checkpoint.devices import device_map, pick_device, quantised_by, refuse_offloaded
from qbench.models.checkpoint.vision_towers import speed_up_vision
from qbench.rows import digest

SETTINGS_FILES = ("*.json", "*.jinja", "*.txt", "*.model", "*.py")
"""Files beside the weights that can change an answer; some processors keep theirs in folders below."""


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint that was found and not loaded yet."""

    source: str
    """Hub id, or path of a folder."""
    revision: str | None
    """Commit of the Hub repository; None for a folder."""
    config: Mapping[str, Any]
    """Its config.json as it stands."""
    device: str
    """cpu, cuda, mps, or split: over several GPUs."""
    remote_code: bool
    template: dict[str, Any] = field(default_factory=dict)
    """Arguments of its chat template."""

    @property
    def name(self) -> str:
        """The Hub id, or the folder's own name: never a path."""
        return self.source if self.revision else Path(self.source).resolve().name

    @property
    def arguments(self) -> dict[str, Any]:
        """What every `from_pretrained` gets."""
        return {"revision": self.revision, "trust_remote_code": self.remote_code}


def find_checkpoint(source: str, options: ModelOptions) -> Checkpoint:
    """Read a checkpoint's configuration, pinning a Hub repository to the commit it is at.

    Raises:
        UserError: There is none, or it is not one that can be loaded safely.
    """
    from transformers import PreTrainedConfig

    is_folder = Path(source).is_dir()
    if is_folder and not (Path(source) / "config.json").is_file():
        raise UserError(f"{source} has no config.json; give the folder that save_pretrained wrote")
    revision = None if is_folder else commit_of(source, options.revision)
    with loading_errors(source):
        config, _ = PreTrainedConfig.get_config_dict(source, revision=revision)
    named = str(config.get("transformers_weights") or "model.safetensors")
    if ".safetensors" not in named or (is_folder and not any(Path(source).glob("*.safetensors"))):
        raise UserError(
            f"{source} has no safetensors weights, and no other format is opened because it can carry code: "
            "load it once where you trust it and write it with save_pretrained"
        )
    return Checkpoint(source, revision, config, pick_device(options.device), options.remote_code, options.template)


def commit_of(source: str, revision: str | None) -> str:
    """The commit that a Hub repository is at, or that a branch or tag of it names; offline, the one downloaded last."""
    from transformers.utils.hub import cached_file, extract_commit_hash

    try:
        file = cached_file(source, "config.json", revision=revision)
    except OSError as error:
        raise UserError(
            f"{source} cannot be read from the Hub ({first_sentence(error)}); check the name and the connection, "
            "accept its terms if it is gated, or download it and give the folder"
        ) from None
    commit = extract_commit_hash(file, None)
    if commit is None:
        raise UserError(f"{source} has no config.json on the Hub, so it is no checkpoint that Transformers can load")
    return str(commit)


def load_processor(checkpoint: Checkpoint) -> Any:
    """The checkpoint's own processor: its tokenizer, its image processor and how they go together."""
    import transformers
    from transformers.models.auto.processing_auto import PROCESSOR_MAPPING

    remedy = "copy the processor, tokenizer and chat template files from the checkpoint it was made from"
    with loading_errors(checkpoint.source, remedy):
        config = transformers.AutoConfig.from_pretrained(checkpoint.source, **checkpoint.arguments)
        maker: Any = transformers.AutoProcessor
        own: Any = PROCESSOR_MAPPING.get(type(config), None)
        if own is not None and "video_processor" in own.get_attributes():
            maker = _without_video(own)
        processor = maker.from_pretrained(checkpoint.source, **checkpoint.arguments)
        if not hasattr(processor, "tokenizer") or not hasattr(processor, "image_processor"):
            raise ValueError("it lacks a tokenizer or an image processor")
    if checkpoint.device == "cuda" and getattr(processor.image_processor, "backend", "") == "torchvision":
        processor.image_processor.device = "cuda"  # what a GPU resizes in a moment keeps a processor busy for a second
    if processor.tokenizer.pad_token is None:
        processor.tokenizer.pad_token = processor.tokenizer.eos_token
    return processor


def _without_video(maker: Any) -> Any:
    """The same processor less its video half, which needs torchvision and is never asked for anything here."""

    class Read(maker):  # type: ignore[misc]
        """What is read from the checkpoint's files."""

        @classmethod
        def get_attributes(cls) -> list[str]:
            return [name for name in super().get_attributes() if name != "video_processor"]

    class StillImages(maker):  # type: ignore[misc]
        @classmethod
        def _get_arguments_from_pretrained(cls, *source: Any, **settings: Any) -> list[Any]:
            parts = list(Read._get_arguments_from_pretrained(*source, **settings))
            parts.insert(maker.get_attributes().index("video_processor"), _NoVideo())
            return parts

        def check_argument_for_proper_class(self, argument_name: str, argument: Any) -> Any:
            if argument_name != "video_processor":
                return super().check_argument_for_proper_class(argument_name, argument)
            return _NoVideo

    return StillImages


class _NoVideo(dict[str, Any]):
    """Stands where a processor reads the settings of its video half, or writes them out: none is set."""

    model_input_names = ()

    def __getattr__(self, name: str) -> None:
        if name.startswith("__"):
            raise AttributeError(name)


def load_weights(checkpoint: Checkpoint, maker: Any, dtype: Any) -> Any:
    """The model, with every weight read from safetensors and none left at random.

    Raises:
        UserError: Weights are missing, damaged or of another architecture, or a package they need is.
    """
    from safetensors import SafetensorError

    source, settings = checkpoint.source, {"dtype": dtype, "use_safetensors": True, "output_loading_info": True}
    places = device_map(checkpoint.device, quantised_by(checkpoint.config))
    settings |= {"device_map": places} if places else {}
    try:
        with (
            loading_errors(source, "check that the files are complete and that its weights are safetensors"),
            memory_errors(),
        ):
            model, report = maker.from_pretrained(source, **checkpoint.arguments, **settings)
            model = stop_between_layers((model if places else model.to(checkpoint.device)).eval())
            refuse_offloaded(source, model)
            speed_up_vision(model)
    except SafetensorError as error:
        raise UserError(f"the weights of {source} are damaged ({first_sentence(error)}); download them again") from None
    except MemoryError:
        raise UserError(
            f"{source} does not fit into the memory at hand: serve it elsewhere and give the URL with --endpoint"
        ) from None
    except RuntimeError as error:
        said = first_sentence(error)
        raise UserError(f"{source} cannot run here, or its weights do not fit its config.json ({said})") from None
    absent = sorted(report["missing_keys"])
    if absent:
        raise UserError(
            f"{source} lacks {len(absent)} of its weights, such as {absent[0]}, and would answer at random: "
            "it is incomplete, or of another architecture than its config.json says"
        )
    return model


def stop_between_layers(network: Any) -> Any:
    """The same network, which raises `Cancelled` before its next layer once its work is cancelled."""
    import torch

    for module in network.modules():
        if isinstance(module, torch.nn.ModuleList):
            for layer in module:
                layer.register_forward_pre_hook(lambda _layer, _arguments: check_cancelled())
    return network


def identity_of(checkpoint: Checkpoint, dtype: Any, processor: Any) -> dict[str, Any]:
    """What tells this model's answers from another's: the files, the precision, and the code that runs them."""
    import transformers

    method, images = quantised_by(checkpoint.config), processor.image_processor
    resized_on = getattr(images, "device", None)
    return {
        "backend": f"transformers {transformers.__version__}",
        "checkpoint": checkpoint.source if checkpoint.revision else checkpoint_digest(Path(checkpoint.source)),
        "revision": checkpoint.revision,
        "dtype": str(dtype).removeprefix("torch."),
        "image_processor": type(images).__name__ + (f" on {resized_on}" if resized_on else ""),
        **({"quantised": method} if method else {}),
    }


def checkpoint_digest(folder: Path) -> str:
    """SHA-256 over every file of a checkpoint folder that can change an answer, weights included."""
    files = sorted(
        {*folder.glob("*.safetensors"), *(path for pattern in SETTINGS_FILES for path in folder.rglob(pattern))}
    )
    with ThreadPoolExecutor() as pool:
        sums = pool.map(digest, files)
        listing = [[path.relative_to(folder).as_posix(), sha256] for path, sha256 in zip(files, sums, strict=True)]
    return hashlib.sha256(json.dumps(listing).encode()).hexdigest()


_NO_MEMORY = ("allocate memory", "out of memory", "not enough memory", "ALLOC_FAILED")
"""How the allocators of Linux and Windows, CUDA itself, and its libraries say it, under errors of several kinds."""


@contextmanager
def memory_errors() -> Iterator[None]:
    """Raise `MemoryError` for every way PyTorch has of running out of memory."""
    import torch

    message = None
    try:
        yield
    except RuntimeError as error:
        if not isinstance(error, torch.OutOfMemoryError) and not any(said in str(error) for said in _NO_MEMORY):
            raise
        message = first_sentence(error)
        # Python keeps the error as the context of the next one, and its frames would keep the batch's tensors.
        traceback.clear_frames(error.__traceback__)
    if message is not None:
        torch.cuda.empty_cache()
        raise MemoryError(message)


@contextmanager
def loading_errors(source: str, remedy: str = "check that the files are complete") -> Iterator[None]:
    """Turn what Transformers says about a checkpoint that it cannot read into one sentence."""
    try:
        yield
    except ImportError as error:
        raise UserError(f"{source} needs a package that is not installed: {first_sentence(error)}") from None
    except (OSError, ValueError, KeyError) as error:
        raise UserError(f"{source} cannot be loaded ({first_sentence(error)}): {remedy}") from None


def first_sentence(error: BaseException) -> str:
    """The first sentence of an error that may have many."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0].split(". ")[0].rstrip(".") if lines else type(error).__name__
