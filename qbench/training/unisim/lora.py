"""LoRA as UniSim uses it (App. B.2, https://arxiv.org/abs/2412.10594), by `peft`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

LORA: Mapping[str, Any] = {"r": 16, "lora_alpha": 32, "lora_dropout": 0.2, "bias": "none"}


def add_lora(model: Any, targets: str | list[str], seed: int) -> Any:
    """The model with LoRA on these layers, named or matched by a pattern; nothing else learns."""
    import torch
    from peft import LoraConfig, get_peft_model

    torch.manual_seed(seed)
    return get_peft_model(model, LoraConfig(**LORA, target_modules=targets))


@contextmanager
def reproducible_step(device: Any, seed: int, step: int) -> Iterator[None]:
    """Mixed precision on a GPU, and dropout that follows from seed and step alone, so that a resumed run repeats it."""
    import torch

    with torch.random.fork_rng(), torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
        torch.manual_seed(1_000_003 * seed + step)
        yield
