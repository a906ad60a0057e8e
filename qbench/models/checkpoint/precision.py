"""The precision of a checkpoint's weights, and logits in float32 whatever it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def precision_of(model: Any) -> Any:
    """The data type of most weights.

    The model itself reports that of its first weights, which may stay in float32 (BLIP-2's queries).
    """
    head = model.get_output_embeddings()
    return model.dtype if head is None else head.weight.dtype


@contextmanager
def float32_logits(model: Any) -> Iterator[None]:
    """Compute logits in float32 within the block.

    In bfloat16 logits near 20 come in steps of 1/8, which leaves a few dozen distinct scores for ten thousand images.
    """
    import torch

    head = model.get_output_embeddings()
    if precision_of(model) == torch.float32 or type(head) is not torch.nn.Linear:
        yield
        return

    def compute(layer: Any, inputs: tuple[Any, ...], _: Any) -> Any:
        bias = None if layer.bias is None else layer.bias.float()
        return torch.nn.functional.linear(inputs[0].to(layer.weight.device).float(), layer.weight.float(), bias)

    hook = head.register_forward_hook(compute)
    try:
        yield
    finally:
        hook.remove()
