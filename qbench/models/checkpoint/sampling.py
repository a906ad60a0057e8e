"""Texts sampled from a checkpoint: a prompt's are the same again whatever else is in the batch."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

from qbench.models.checkpoint.chat import RenderedPrompt


def gumbel_noise(prompts: Sequence[RenderedPrompt], repeats: Sequence[int]) -> Callable[[Any, Any], Any]:
    """A logits processor for `generate`, under which the likeliest token is a sample at temperature 1.

    Args:
        prompts: Those of the batch, each with a random generator of its own.
        repeats: Of each prompt, the number of its sample; 0 is none, and leaves its logits as they are.
    """
    import torch

    generators = [torch.Generator().manual_seed(_seed(*each)) for each in zip(prompts, repeats, strict=True)]

    def add_noise(_: Any, logits: Any) -> Any:
        for row, (generator, repeat) in enumerate(zip(generators, repeats, strict=True)):
            if repeat:
                noise = -torch.empty(logits.shape[1]).exponential_(generator=generator).log()
                logits[row] += noise.to(logits.device)
        return logits

    return add_noise


def _seed(prompt: RenderedPrompt, repeat: int) -> int:
    content = (prompt.text, prompt.decoder_prefill, [picture.sha256 for picture in prompt.pictures], repeat)
    return int.from_bytes(hashlib.sha256(repr(content).encode()).digest()[:6], "big")
