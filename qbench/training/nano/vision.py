"""The vision tower of the embedded models: a vision transformer whose first weights are fitted, not random.

From random weights, a tower would need longer than training lasts here to learn that noise and blur show in the
strength of fine detail. So the patches' linear filters start as Gabor functions, the first perceptrons are fitted by
least squares to predict each patch's texture, and the third layer's attention starts as a mean over the patches.
Training goes on from there, with every weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qbench.training.nano.texture import STATISTICS, texture

SIDE, PATCH = 512, 32
MEAN, SPREAD = (0.5, 0.5, 0.5), (0.25, 0.25, 0.25)
_AXES = np.array([[0.299, 0.587, 0.114], [0.5, -0.5, 0.0], [0.25, 0.25, -0.5]])
"""Luminance, red against green, yellow against blue."""
_AXIS_SHARES = (0.76, 0.12, 0.12)
_FINE = 0.15
"""Cycles a pixel from which half of the filters for luminance look; what is lost of a photo is lost there first."""
_COMMON = 1.0
"""Size of what every token has in common, in that of a filter's response. Layer normalisation leaves visible how loud a
patch is against it."""
_STEEP, _THRESHOLD = 3.0, 0.7
_RIDGE = 30.0
_CHUNK = 64
_CLEAREST = 5.0
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


@dataclass(frozen=True)
class TextureReadout:
    """A linear map from the states of patches after the second layer to their texture."""

    weight: Any
    """Statistic × width."""
    mean: Any
    spread: Any


def standardise_texture(statistics: Any, mean: Any, spread: Any) -> Any:
    """Textures in units of their spread, the most extreme values clipped."""
    return ((statistics - mean) / spread).clamp(-_CLEAREST, _CLEAREST)


def initialise(tower: Any, pictures: NDArray[np.uint8], seed: int) -> TextureReadout:
    """Give a CLIP vision tower its first weights.

    Args:
        tower: `CLIPVisionModel` or its like, of four layers.
        pictures: Some to fit textures on, damaged and not.
        seed: Of the filters.
    """
    import torch

    generator = np.random.default_rng([seed, 2])
    statistics = torch.cat([texture(chunk, PATCH) for chunk in _chunks(pictures)])
    mean, spread = statistics.flatten(0, 1).mean(dim=0), statistics.flatten(0, 1).std(dim=0) + 1e-3
    width = tower.embeddings.patch_embedding.out_channels
    basis = torch.from_numpy(np.linalg.qr(generator.normal(size=(width, width)))[0]).float()
    readout = TextureReadout(basis[:, :STATISTICS].T.contiguous(), mean, spread)
    truth = standardise_texture(statistics, mean, spread).flatten(0, 1)
    uneven = ((truth * truth - 1) / 2).clamp(max=3.0)
    squares = basis[:, STATISTICS : 2 * STATISTICS].T
    with torch.no_grad():
        _look_with_gabors(tower, pictures, generator)
        first, second, third, fourth = tower.encoder.layers
        for layer in (first, second, fourth):
            layer.self_attn.out_proj.weight.zero_()
        states = _states(tower, pictures, 0)
        _rectify(first, states)
        _fit(first, states, [(readout.weight, truth)])
        states = _states(tower, pictures, 1)
        mixed = torch.from_numpy(generator.normal(0, 0.35, (second.mlp.fc1.out_features, STATISTICS))).float()
        second.mlp.fc1.weight.copy_(mixed @ readout.weight)
        second.mlp.fc1.bias.normal_(0, 0.7, generator=torch.Generator().manual_seed(seed))
        _fit(second, states, [(readout.weight, truth), (squares, uneven)])
        for projection in (third.self_attn.v_proj, third.self_attn.out_proj):
            projection.weight.copy_(torch.eye(width))
        _standardise_summary(tower, pictures)
    return readout


def gather_summaries(tower: Any, pixel_values: Any) -> Any:
    """The class token of each picture after the third layer's attention, before its perceptron."""
    gathered: list[Any] = []
    norm = tower.encoder.layers[2].layer_norm2
    watch = norm.register_forward_pre_hook(lambda _, inputs: gathered.append(inputs[0][:, 0]))
    tower(pixel_values, interpolate_pos_encoding=True)
    watch.remove()
    return gathered[0]


def vectors_from_summaries(tower: Any, gathered: Any) -> Any:
    """The vector of each picture from its summary alone, exact while the fourth layer's attention adds nothing."""
    for layer in tower.encoder.layers[2:]:
        gathered = gathered + layer.mlp(layer.layer_norm2(gathered))
    return tower.post_layernorm(gathered)


def _look_with_gabors(tower: Any, pictures: NDArray[np.uint8], generator: np.random.Generator) -> None:
    """Set filters of about equally strong response, and what all tokens have in common."""
    import torch

    embeddings = tower.embeddings
    filters = embeddings.patch_embedding
    width = filters.out_channels
    means = [axis[:, None, None] * np.ones((PATCH, PATCH)) for axis in _AXES]
    shapes = [*means, *(_gabor(generator) for _ in range(width - len(means)))]
    filters.weight.copy_(torch.from_numpy(np.stack(shapes)))
    loudness = filters(to_pixel_values(pictures[: 4 * _CHUNK], "cpu")).transpose(0, 1).flatten(1).std(dim=1)
    filters.weight.div_(loudness.view(-1, 1, 1, 1))
    common = torch.from_numpy(generator.normal(0, _COMMON, width))
    embeddings.position_embedding.weight.add_(common)
    embeddings.class_embedding.add_(common)


def _rectify(layer: Any, states: Any) -> None:
    """Units that tell how far a filter's response is from its mean on each side, and from a threshold."""
    import torch

    seen = layer.layer_norm2(states)
    mean, same = seen.mean(dim=0), torch.eye(seen.shape[1])
    sides = [(sign, sign * threshold) for sign in (1, -1) for threshold in (0.0, _THRESHOLD)]
    layer.mlp.fc1.weight.copy_(torch.cat([_STEEP * sign * same for sign, _ in sides]))
    layer.mlp.fc1.bias.copy_(torch.cat([-_STEEP * sign * (mean + threshold) for sign, threshold in sides]))


def _fit(layer: Any, states: Any, wanted: Any) -> None:
    """Set a perceptron's second weights so that patches, read along each weight after it, come nearest to a truth."""
    import torch

    units = layer.mlp.activation_fn(layer.mlp.fc1(layer.layer_norm2(states))).double()
    units = torch.cat([units, torch.ones(len(units), 1, dtype=torch.float64)], dim=1)
    inner = units.T @ units + _RIDGE * torch.eye(units.shape[1], dtype=torch.float64)
    layer.mlp.fc2.weight.zero_()
    layer.mlp.fc2.bias.zero_()
    for weight, truth in wanted:
        lacking = (truth - states @ weight.T).double()
        solved = torch.linalg.solve(inner, units.T @ lacking).float()
        layer.mlp.fc2.weight.add_(weight.T @ solved[:-1].T)
        layer.mlp.fc2.bias.add_(solved[-1] @ weight)


def _standardise_summary(tower: Any, pictures: NDArray[np.uint8]) -> None:
    """Set the last normalisation so that, over these pictures, each channel has mean 0 and spread 1.

    What all pictures have in common would otherwise drown what tells them apart (after LSUV,
    https://arxiv.org/abs/1511.06422).
    """
    import torch

    seen = torch.cat([_run(tower, chunk).pooler_output for chunk in _chunks(pictures)])
    spread = seen.std(dim=0).clamp(min=_LEAST_SPREAD)
    tower.post_layernorm.weight.div_(spread)
    tower.post_layernorm.bias.copy_(-seen.mean(dim=0) / spread)


def _states(tower: Any, pictures: NDArray[np.uint8], layer: int) -> Any:
    """What every patch is before a layer, patches of all pictures in one row."""
    import torch

    return torch.cat([_run(tower, chunk).hidden_states[layer][:, 1:].flatten(0, 1) for chunk in _chunks(pictures)])


def _run(tower: Any, pictures: NDArray[np.uint8]) -> Any:
    return tower(to_pixel_values(pictures, "cpu"), interpolate_pos_encoding=True, output_hidden_states=True)


def _chunks(pictures: NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
    return [pictures[begin : begin + _CHUNK] for begin in range(0, len(pictures), _CHUNK)]


def _gabor(generator: np.random.Generator) -> NDArray[np.float64]:
    axis = generator.choice(len(_AXES), p=_AXIS_SHARES)
    least = _FINE if axis == 0 and generator.random() < 0.5 else 0.02
    frequency = np.exp(generator.uniform(*np.log((least, 0.47))))
    angle, phase = generator.uniform(0, np.pi), generator.uniform(0, 2 * np.pi)
    centre = generator.uniform(2, PATCH - 2, 2)
    spread = np.clip(generator.uniform(0.5, 1.0) / frequency, 0.8, PATCH / 4)
    down, across = np.mgrid[:PATCH, :PATCH] + 0.5
    window = np.exp(-((across - centre[0]) ** 2 + (down - centre[1]) ** 2) / (2 * spread**2))
    wave = window * np.cos(2 * np.pi * frequency * (across * np.cos(angle) + down * np.sin(angle)) + phase)
    wave -= window * (wave.sum() / window.sum())
    values: NDArray[np.float64] = _AXES[axis][:, None, None] * wave
    return values
