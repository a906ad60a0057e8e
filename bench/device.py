"""How fast a checkpoint runs on this machine's device: images a second, and the share of the device's peak.

    python -m bench.device [--model nano-vlm] [--device auto|cpu|cuda|mps|split] [--images 64]

Each image is asked how good its quality is, by logits of words, in the batches that the model asks for. The peak is
that of a product of two large matrices in the model's precision, on the same device, a moment before. Operations are
those of the first batch's products of matrices, which PyTorch counts as they are done.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch.utils.flop_counter import FlopCounterMode

from qbench.images import open_picture
from qbench.models import ModelOptions, open_model
from qbench.models.checkpoint.network import precision_of
from qbench.records import Prompt

MOST_TOGETHER = 16
SIDE = 8192
SMALL_SIDE = 1024
"""Of the matrices: enough to keep a GPU busy; a CPU is busy with less."""


def attention_operations(query: Any, key: Any, value: Any, *_: Any, **__: Any) -> int:
    """Operations of attention by the shapes of its inputs; PyTorch's own count refuses heads that share their keys."""
    batch, heads, rows, channels = query
    return int(2 * batch * heads * rows * key[2] * (channels + value[3]))


ATTENTION = {
    getattr(torch.ops.aten, f"_scaled_dot_product_{kind}_attention"): attention_operations
    for kind in ("flash", "efficient", "cudnn")
}
"""Operation -> what counts it."""


def settle(device: torch.device) -> None:
    """Wait until a GPU has done what it was told."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    elif device.type == "mps":
        torch.mps.synchronize()


def seconds(work: Callable[[], object], device: torch.device, times: int = 3) -> float:
    """The quickest of some tries, after one that warms up."""
    work()
    taken = []
    for _ in range(times):
        settle(device)
        started = time.perf_counter()
        work()
        settle(device)
        taken.append(time.perf_counter() - started)
    return min(taken)


def peak(device: torch.device, dtype: torch.dtype) -> float:
    """Operations a second of one product of matrices."""
    side = SMALL_SIDE if device.type == "cpu" else SIDE
    left, right = (torch.randn(side, side, device=device).to(dtype) for _ in range(2))
    return 2 * side**3 / seconds(lambda: left @ right, device, times=5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="nano-vlm")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--images", type=int, default=64)
    options = parser.parse_args()
    if options.images < 2 * MOST_TOGETHER:
        raise SystemExit(f"give at least {2 * MOST_TOGETHER} images: the first batch warms up")
    model: Any = open_model(options.model, ModelOptions(device=options.device))
    network = getattr(model, "network", None)
    if network is None:
        raise SystemExit(f"{options.model} is no vision-language checkpoint on this machine; name one")
    device, dtype = network.model.device, precision_of(network.model)
    random = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        prompts = []
        for number in range(options.images):
            path = Path(folder) / f"{number}.png"
            Image.fromarray(random.integers(0, 256, (336, 448, 3), dtype=np.uint8)).save(path)
            prompts.append(Prompt("words", (open_picture(path), "Rate the quality of the image."), ("good", "poor")))
        batches = [prompts[first : first + model.batch_size] for first in range(0, len(prompts), model.batch_size)]
        with FlopCounterMode(display=False, custom_mapping=ATTENTION) as counter:
            model.respond(batches[0])
        each = counter.get_total_flops() / len(batches[0])
        settle(device)
        started = time.perf_counter()
        for batch in batches[1:]:
            model.respond(batch)
        settle(device)
        rate = sum(map(len, batches[1:])) / (time.perf_counter() - started)
    parameters = sum(weight.numel() for weight in network.model.parameters())
    done, most = each * rate, peak(device, dtype)
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else device.type
    print(f"{model.name}, {parameters / 1e9:.3f} billion parameters, {dtype} on {name}, batches of {model.batch_size}")
    print(f"{rate:.2f} images a second, {each / 1e9:.2f} GFLOP each")
    print(f"{done / 1e12:.3f} of {most / 1e12:.3f} TFLOP/s: {done / most:.1%} of the peak")


if __name__ == "__main__":
    main()
