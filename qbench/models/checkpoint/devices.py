"""Where a checkpoint's weights go: one device, several GPUs together, or as its quantisation wants it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from qbench.errors import UserError
from qbench.models import DEVICES

SERVE = "serve it with vLLM and give the URL with --endpoint"


def pick_device(wanted: str) -> str:
    """`cuda` where there is one and nothing else was asked for; `split` stays as it is.

    On CUDA convolutions in float32 are computed in float32 from here on; PyTorch's default, TF32, keeps three digits.

    Raises:
        UserError: What was asked for is not there.
    """
    import torch

    if wanted not in DEVICES:
        raise UserError(f"no device is called {wanted!r}; use {', '.join(DEVICES[:-1])} or {DEVICES[-1]}")
    if wanted == "mps":
        if not torch.backends.mps.is_available():
            raise UserError("this PyTorch has no MPS, which is the GPU of Apple's own processors; use --device cpu")
        return "mps"
    if wanted in ("cuda", "split") and not torch.cuda.is_available():
        raise UserError("no CUDA device is available to this PyTorch; use --device cpu, or serve the model elsewhere")
    if wanted == "split" and not find_spec("accelerate"):
        raise UserError(f"--device split needs accelerate: pip install accelerate, or {SERVE}")
    if wanted == "cpu" or not torch.cuda.is_available():
        return "cpu"
    torch.backends.cudnn.allow_tf32 = False
    return "split" if wanted == "split" else "cuda"


def torch_and_device() -> tuple[bool, str]:
    """Whether the build of PyTorch suits this machine, and a sentence about both."""
    if not find_spec("torch"):
        return False, "PyTorch is not installed, so models with weights cannot be asked; pip install torch"
    import torch

    build = f"PyTorch {torch.__version__}"
    if torch.cuda.is_available():
        return True, f"{torch.cuda.get_device_name()}, {build}"
    nodes = [*Path("/dev").glob("nvidia[0-9]*"), Path("/dev/kfd"), Path("/dev/dxg")]  # NVIDIA, AMD, Linux in Windows
    if sys.platform == "linux" and any(node.exists() for node in nodes):
        return False, f"there is a GPU, but {build} cannot use it; install the build for CUDA or ROCm"
    larger = "; the build for CPUs is several GB smaller (https://download.pytorch.org/whl/cpu)"
    return True, f"no GPU, {build}{larger if torch.version.cuda else ''}"


def quantised_by(config: Mapping[str, Any]) -> str | None:
    """What made the weights of a checkpoint small, by its config.json; None where they are whole."""
    told = config.get("quantization_config")
    if told is None:
        return None
    method = str(told.get("quant_method", "")) if isinstance(told, Mapping) else ""
    return "bitsandbytes" if method.startswith("bitsandbytes") else method or "an unnamed method"


def device_map(device: str, quantised: str | None) -> str | dict[str, str] | None:
    """What Transformers is told of where weights go; None for weights that are moved once they are read."""
    if device == "split":
        return "auto"
    straight = device == "cuda" and find_spec("accelerate")  # else through main memory, which takes twice as long
    return {"": device} if quantised or straight else None


def refuse_offloaded(source: str, model: Any) -> None:
    """Refuse a model of which a part lies in main memory or on disk, where each batch would fetch it anew."""
    places = {str(place) for place in getattr(model, "hf_device_map", {}).values()}
    if places & {"cpu", "disk"}:
        raise UserError(f"{source} does not fit into the memory of the GPUs here: {SERVE}, or use smaller weights")
