"""EfficientNet-Lite0 as Transformers loads it, and what its stages say of a photo: means and deviations at two scales.

A deviation says how much a pattern varies over the photo, which a mean does not: noise and sharpness show there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]

STAGES = (0, 1, 3, 5, 8, 11, 15, 16)
"""Hidden states that are pooled, besides the last layer."""
MIDDLE, RANGE = 127.0, 128.0
"""What EfficientNet-Lite's authors subtract from bytes and divide them by."""


def open_backbone(folder: Path, device: str = "cpu") -> Any:
    """The network of a checkpoint, in float32, ready to look."""
    from transformers import EfficientNetModel

    from qbench.models.checkpoint.stopping import stop_between_layers

    return stop_between_layers(faster(EfficientNetModel.from_pretrained(folder, dtype="float32")).to(device))


def _normed(model: Any) -> Iterator[tuple[Any, str, str]]:
    """Every convolution with the normalisation after it: where they are, and their names there."""
    yield model.embeddings, "convolution", "batchnorm"
    yield model.encoder, "top_conv", "top_bn"
    for block in model.encoder.blocks:
        yield block.depthwise_conv, "depthwise_conv", "depthwise_norm"
        yield block.projection, "project_conv", "project_bn"
        if hasattr(block, "expansion"):
            yield block.expansion, "expand_conv", "expand_bn"


def faster(model: Any) -> Any:
    """The same network in fewer passes over memory: normalisation within the convolutions, no idle excitation.

    Lite has no squeeze-and-excitation; the checkpoint holds some that multiplies by 1, as the stock network has it.
    """
    import torch
    from torch.nn.utils.fusion import fuse_conv_bn_eval as fused

    model = model.eval()
    for block in model.encoder.blocks:
        if not bool(block.squeeze_excite.expand.weight.any()):
            block.squeeze_excite = torch.nn.Identity()
    for module, convolution, norm in _normed(model):
        setattr(module, convolution, fused(getattr(module, convolution), getattr(module, norm)))
        setattr(module, norm, torch.nn.Identity())
    for module in model.modules():
        if isinstance(module, torch.nn.ReLU6):
            module.inplace = True
    return model.to(memory_format=torch.channels_last)


def write_back(model: Any, stock: Any) -> Any:
    """Put the weights of a `faster` network into a stock one, whose normalisations are left an offset to add."""
    import torch

    with torch.no_grad():
        for (ours, convolution, _), (theirs, _, norm) in zip(_normed(model), _normed(stock), strict=True):
            fused, bare = getattr(ours, convolution), getattr(theirs, norm)
            getattr(theirs, convolution).weight.copy_(fused.weight)
            bare.bias.copy_(fused.bias)
            bare.running_mean.zero_()
            bare.running_var.fill_(1)
            bare.weight.fill_((1 + bare.eps) ** 0.5)
    return stock


def stage_maps(model: Any, batch: Any) -> list[Any]:
    """The maps of all stages, for a batch of `as_batch`, on one scale."""
    seen = model(batch, output_hidden_states=True)
    return [*(seen.hidden_states[stage] for stage in STAGES), seen.last_hidden_state]


def as_batch(pictures: Sequence[Pixels] | Pixels, device: str = "cpu") -> Any:
    """Pictures of one size as the network takes them."""
    import torch

    batch = torch.from_numpy(np.stack(list(pictures))).to(device).permute(0, 3, 1, 2).float()
    return ((batch - MIDDLE) / RANGE).contiguous(memory_format=torch.channels_last)


def half_size(batch: Any) -> Any:
    """The same pictures at half the size, by means of 2 × 2 pixels."""
    import torch

    return torch.nn.functional.avg_pool2d(batch, 2).contiguous(memory_format=torch.channels_last)


def pooled(maps: Sequence[Any]) -> Any:
    """Means of all channels of all maps, then their deviations; a row a picture."""
    import torch

    means = [stage.mean(dim=(2, 3)) for stage in maps]
    deviations = [
        (stage.square().mean(dim=(2, 3)) - mean.square()).clamp(min=0).sqrt()
        for stage, mean in zip(maps, means, strict=True)
    ]
    return torch.cat([*means, *deviations], dim=1)


def network_features(model: Any, pictures: Sequence[Pixels]) -> NDArray[np.float32]:
    """What the network says of pictures of one size, at full and at half size; a row a picture."""
    import torch

    with torch.inference_mode():
        batch = as_batch(pictures, str(next(model.parameters()).device))
        full, half = (pooled(stage_maps(model, scaled)) for scaled in (batch, half_size(batch)))
        features: NDArray[np.float32] = torch.cat([full, half], dim=1).float().cpu().numpy()
    return features
