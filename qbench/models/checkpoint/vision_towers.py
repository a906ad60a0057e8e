"""Vision encoders of Transformers with their work in larger pieces, which a GPU does several times quicker.

- Attention within images and windows takes one call for all of equal length. Transformers calls PyTorch once for every
  window: in Qwen2.5-VL 31,000 times for 16 photos of 1024 x 768.
- Patches that do not overlap are embedded by one product of matrices. As a convolution in bfloat16 they take a GPU
  longer than all layers after them.
"""

from __future__ import annotations

import inspect
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any

BY_LENGTH = "flash_by_length"
"""To what has "flash" in its name Transformers hands all windows at once, and tells where each ends."""


def speed_up_vision(model: Any) -> None:
    """Let the vision encoder of a model work so; its weights stay as they are."""
    import torch
    from transformers import AttentionInterface

    AttentionInterface.register(BY_LENGTH, attend_by_length)
    for module in model.modules():
        if not type(module).__module__.startswith(("transformers.", "torch.")):
            continue  # code of others may know no names but its own
        if isinstance(module, torch.nn.Conv3d) and module.stride == module.kernel_size and module.groups == 1:
            module.forward = partial(_embed_patches, module, module.forward)
        elif hasattr(module, "config") and "cu_seqlens" in inspect.signature(module.forward).parameters:
            module.config._attn_implementation = BY_LENGTH


def _embed_patches(convolution: Any, convolve: Any, patches: Any) -> Any:
    import torch

    if patches.shape[2:] != convolution.kernel_size or any(convolution.padding):
        return convolve(patches)
    embedded = torch.nn.functional.linear(patches.flatten(1), convolution.weight.flatten(1), convolution.bias)
    return embedded.unflatten(1, (-1, 1, 1, 1))


def attend_by_length(
    _module: Any, query: Any, key: Any, value: Any, _mask: None = None, **arguments: Any
) -> tuple[Any, None]:
    """Attention within each window, as `sdpa` computes it of that window alone.

    Args:
        query: 1 x heads x tokens of all windows x channels; key and value alike.
        arguments: With `cu_seq_lens_q`, where each window begins, and the number of tokens at the end.
    """
    import torch

    attended = query.new_empty(query.shape[2], query.shape[1], query.shape[3])
    for rows in _tokens_by_length(arguments["cu_seq_lens_q"]):
        windows = (states[0][:, rows].transpose(0, 1) for states in (query, key, value))
        found = torch.nn.functional.scaled_dot_product_attention(*windows, scale=arguments["scaling"])
        attended[rows] = found.transpose(1, 2)
    return attended.unsqueeze(0), None


@lru_cache(4)  # all layers are given the same tensor, and to read it from a GPU makes that wait
def _tokens_by_length(bounds: Any) -> list[Any]:
    """For each length that windows have: the positions of their tokens, a row a window."""
    import torch

    by_length: dict[int, list[int]] = {}
    for first, end in pairwise(bounds.tolist()):
        by_length.setdefault(end - first, []).append(first)
    rows = (torch.tensor(firsts).unsqueeze(1) + torch.arange(length) for length, firsts in by_length.items())
    return [each.to(bounds.device) for each in rows]
