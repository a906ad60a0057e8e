"""Draws from what a checkpoint could write, the same again whatever else is in the batch."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

from qbench.models.chat import Rendered


def chance(prompts: Sequence[Rendered], draws: Sequence[int]) -> Callable[[Any, Any], Any]:
    """Gumbel noise on the logits, under which the likeliest token is a draw at temperature 1.

    Args:
        prompts: Those of the batch, each with a source of chance of its own.
        draws: Which draw each prompt wants; 0 is none, and leaves its logits as they are.

    Returns:
        A logits processor for `generate`.
    """
    import torch

    sources = [torch.Generator().manual_seed(_seed(*each)) for each in zip(prompts, draws, strict=True)]

    def shaken(_: Any, logits: Any) -> Any:
        for row, (source, draw) in enumerate(zip(sources, draws, strict=True)):
            if draw:
                logits[row] -= torch.empty(logits.shape[1]).exponential_(generator=source).log().to(logits.device)
        return logits

    return shaken


def _seed(prompt: Rendered, draw: int) -> int:
    content = (prompt.text, prompt.begun, [picture.sha256 for picture in prompt.pictures], draw)
    return int.from_bytes(hashlib.sha256(repr(content).encode()).digest()[:6], "big")
