"""The eye of the embedded models: a vision transformer that starts with simple and complex cells.

A patch's linear filters start as Gabor functions of random place, frequency, orientation and colour axis, all about
equally loud on undamaged photos; the first layer's perceptron as their absolute values. Detail, noise and block edges
are visible from the first step; left to random weights they take longer to find than training lasts here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

SIDE, PATCH = 512, 32
GRID = SIDE // PATCH
MEAN, SPREAD = (0.5, 0.5, 0.5), (0.25, 0.25, 0.25)
_AXES = np.array([[0.299, 0.587, 0.114], [0.5, -0.5, 0.0], [0.25, 0.25, -0.5]])
"""Luminance, red against green, yellow against blue."""
_AXIS_SHARES = (0.7, 0.15, 0.15)
_OFFSET = 0.5
"""Size of what every token has in common, against which layer normalisation leaves a patch's energy visible."""
_LEAST_SPREAD = 0.02

CONFIG = {
    "hidden_size": 192,
    "intermediate_size": 768,
    "num_hidden_layers": 4,
    "num_attention_heads": 6,
    "image_size": SIDE,
    "patch_size": PATCH,
    "hidden_act": "gelu",
}


def image_processor() -> Any:
    """The middle of a photo whose shorter side is brought to 512 pixels."""
    from transformers import CLIPImageProcessor

    side = {"height": SIDE, "width": SIDE}
    return CLIPImageProcessor(
        size={"shortest_edge": SIDE}, crop_size=side, image_mean=list(MEAN), image_std=list(SPREAD)
    )


def to_pixel_values(pictures: NDArray[np.uint8], device: Any) -> Any:
    """Pictures × height × width × 3 as the processor gives them to the model, without resizing."""
    import torch

    shade = torch.tensor([*MEAN, *SPREAD], device=device).view(2, 3, 1, 1)
    return (torch.from_numpy(pictures).to(device).permute(0, 3, 1, 2).float() / 255 - shade[0]) / shade[1]


def start_with_cells(tower: Any, photos: Any, seed: int) -> None:
    """Give a CLIP vision tower its first weights.

    Args:
        tower: `CLIPVisionModel` or its like.
        photos: Pixel values of undamaged pictures.
        seed: Of the filters.
    """
    import torch

    generator = np.random.default_rng([seed, 2])
    embeddings, layer = tower.embeddings, tower.encoder.layers[0].mlp
    first = embeddings.patch_embedding
    width = first.weight.shape[0]
    common = generator.normal(0, _OFFSET, width)
    with torch.no_grad():
        first.weight.copy_(torch.from_numpy(np.stack([_gabor(generator) for _ in range(width)])))
        loudness = first(photos).transpose(0, 1).flatten(1).std(dim=1)
        first.weight.mul_((_OFFSET / loudness).view(-1, 1, 1, 1))
        embeddings.position_embedding.weight.add_(torch.from_numpy(common))
        embeddings.class_embedding.add_(torch.from_numpy(common))
        layer.fc1.weight.mul_(0.3)
        layer.fc1.weight[: 2 * width] = 2 * torch.cat([torch.eye(width), -torch.eye(width)])
        mixed = torch.from_numpy(np.linalg.qr(generator.normal(size=(width, width)))[0])
        layer.fc2.weight[:, : 2 * width] = 0.5 * torch.cat([mixed, mixed], dim=1)


def standardise(tower: Any, pixel_values: Any) -> None:
    """Set every normalisation so that, over these pictures, each channel has mean 0 and spread 1.

    What all pictures have in common would otherwise drown what tells them apart (after LSUV,
    https://arxiv.org/abs/1511.06422).
    """
    import torch

    norms = [norm for layer in tower.encoder.layers for norm in (layer.layer_norm1, layer.layer_norm2)]
    for norm in (*norms, tower.post_layernorm):
        outputs: list[Any] = []
        watch = norm.register_forward_hook(lambda _, __, output: outputs.append(output.flatten(0, -2)))  # noqa: B023
        with torch.no_grad():
            tower(pixel_values, interpolate_pos_encoding=True)
            watch.remove()
            spread = outputs[0].std(dim=0).clamp(min=_LEAST_SPREAD)
            norm.weight.div_(spread)
            norm.bias.copy_(-outputs[0].mean(dim=0) / spread)


def _gabor(generator: np.random.Generator) -> np.ndarray[Any, np.dtype[np.float64]]:
    frequency = np.exp(generator.uniform(np.log(0.5 / PATCH), np.log(0.45)))
    angle, phase = generator.uniform(0, np.pi), generator.uniform(0, 2 * np.pi)
    centre = generator.uniform(0, PATCH, 2)
    spread = min(generator.uniform(0.5, 2.0) / frequency, PATCH)
    down, across = np.mgrid[:PATCH, :PATCH] + 0.5
    window = np.exp(-((across - centre[0]) ** 2 + (down - centre[1]) ** 2) / (2 * spread**2))
    wave = np.cos(2 * np.pi * frequency * (across * np.cos(angle) + down * np.sin(angle)) + phase)
    axis = _AXES[generator.choice(len(_AXES), p=_AXIS_SHARES)]
    values: np.ndarray[Any, np.dtype[np.float64]] = axis[:, None, None] * (window * wave)
    return values
