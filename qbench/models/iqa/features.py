"""What is seen of a photo, as one vector: the stages of EfficientNet-Lite0 at two scales, and natural-scene statistics.

Of each stage the means, and the deviations: how much a pattern varies over the photo, where noise and sharpness show.
The statistics are generalised Gaussians fitted to locally normalised luminance, the features of BRISQUE (Mittal,
Moorthy and Bovik, "No-Reference Image Quality Assessment in the Spatial Domain", IEEE TIP 2012), at three scales, and
some of brightness and colour, which normalisation takes away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from qbench.errors import DataError
from qbench.models.builtin import WEIGHTS_FOLDER
from qbench.models.niqe import NEIGHBOURS, fit_asymmetric, normalised, texture_values

Pixels = NDArray[np.uint8]
Plane = NDArray[np.floating[Any]]

LONGEST_SIDE = 1024
"""A larger photo is reduced to this: people who rated photos saw them on a screen."""
SHORTEST_SIDE = 16
_MIRRORED_TO = 64
"""Pixels a side that the network's last stages need."""
STAGES = (0, 1, 3, 5, 8, 11, 15, 16)
"""Hidden states that are pooled, besides the last layer."""
MIDDLE, RANGE = 127.0, 128.0
"""What EfficientNet-Lite's authors subtract from bytes and divide them by."""
SCALES = 3
COLOUR_STATISTICS = 10
SCENE_STATISTICS = COLOUR_STATISTICS + SCALES * 18
"""How many there are: those of luminance and colour, then 18 a scale."""
_LUMA = np.array([0.299, 0.587, 0.114], np.float32)
_PERCENTILES = (1, 10, 50, 90, 99)


@dataclass(frozen=True, eq=False)
class Looked:
    """A photo that the network has looked at, once for its score and for the scores of its parts."""

    size: tuple[int, int]
    """Width and height of the photo."""
    pixels: Pixels
    """As it was looked at."""
    scales: Sequence[Sequence[Any]]
    """What it made of the photo at full and at half size: the maps of all stages."""

    def features(self) -> NDArray[np.float32]:
        """The features of the photo, as training made them of crops."""
        return np.concatenate([pooled(self.scales)[0], scene_statistics(self.pixels)])


def look(model: Any, image: Image.Image) -> Looked:
    """Let the network look at a photo.

    Raises:
        DataError: The photo is too small.
    """
    if min(image.size) < SHORTEST_SIDE:
        raise DataError(f"nano-iqa needs {SHORTEST_SIDE} pixels a side, not {image.width} × {image.height}")
    pixels = shown_pixels(image)
    return Looked(image.size, pixels, at_both_scales(model, [pixels]))


def shown_pixels(image: Image.Image) -> Pixels:
    """The photo as it is looked at: at most `LONGEST_SIDE` long; one of a few pixels is continued as in a mirror."""
    if max(image.size) > LONGEST_SIDE:
        image = image.copy()
        image.thumbnail((LONGEST_SIDE, LONGEST_SIDE), Image.Resampling.LANCZOS, reducing_gap=3.0)
    pixels = np.asarray(image)
    missing = [max(_MIRRORED_TO - side, 0) for side in pixels.shape[:2]]
    return np.pad(pixels, ((0, missing[0]), (0, missing[1]), (0, 0)), "symmetric") if any(missing) else pixels


def open_backbone(folder: Path, device: str = "cpu") -> Any:
    """The network of a checkpoint, in float32, ready to look."""
    from qbench.models.checkpoint.weights import stop_between_layers

    return stop_between_layers(faster(read_tower(folder)).to(device))


def tower_of(folder: Path) -> Path:
    """Where the network of a nano-iqa lies: in its folder, or in that of nano-vlm, which looks through the same one."""
    return folder if (folder / "config.json").is_file() else WEIGHTS_FOLDER / "nano-vlm"


def read_tower(folder: Path) -> Any:
    """EfficientNet-Lite0 of a checkpoint's folder, or the one that a FastVLM or a nano-iqa looks through."""
    from transformers import AutoConfig, AutoModelForImageTextToText, EfficientNetModel

    folder = tower_of(folder)
    if AutoConfig.from_pretrained(folder).model_type == "fast_vlm":
        return AutoModelForImageTextToText.from_pretrained(folder, dtype="float32").model.vision_tower
    return EfficientNetModel.from_pretrained(folder, dtype="float32")


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
    pairs = [(model.embeddings, "convolution", "batchnorm"), (model.encoder, "top_conv", "top_bn")]
    for block in model.encoder.blocks:
        pairs.append((block.depthwise_conv, "depthwise_conv", "depthwise_norm"))
        pairs.append((block.projection, "project_conv", "project_bn"))
        if hasattr(block, "expansion"):
            pairs.append((block.expansion, "expand_conv", "expand_bn"))
    for module, convolution, norm in pairs:
        setattr(module, convolution, fused(getattr(module, convolution), getattr(module, norm)))
        setattr(module, norm, torch.nn.Identity())
    for module in model.modules():
        if isinstance(module, torch.nn.ReLU6):
            module.inplace = True
    return model.to(memory_format=torch.channels_last)


def stage_maps(model: Any, batch: Any) -> list[Any]:
    """The maps of all stages, for a batch of `as_batch`, on one scale."""
    seen = model(batch, output_hidden_states=True)
    return [*(seen.hidden_states[stage] for stage in STAGES), seen.last_hidden_state]


def as_batch(pictures: Sequence[Pixels] | Pixels, device: str = "cpu") -> Any:
    """Pictures of one size as the network takes them."""
    import torch

    batch = torch.from_numpy(np.stack(list(pictures))).to(device).permute(0, 3, 1, 2).float()
    return ((batch - MIDDLE) / RANGE).contiguous(memory_format=torch.channels_last)


def at_both_scales(model: Any, pictures: Sequence[Pixels]) -> list[list[Any]]:
    """The maps of all stages of pictures of one size, at full size and at half of it, by means of 2 × 2 pixels."""
    import torch

    with torch.inference_mode():
        batch = as_batch(pictures, str(next(model.parameters()).device))
        half = torch.nn.functional.avg_pool2d(batch, 2).contiguous(memory_format=torch.channels_last)
        return [stage_maps(model, scaled) for scaled in (batch, half)]


def pooled(scales: Sequence[Sequence[Any]]) -> NDArray[np.float32]:
    """Of each scale the means of all channels of all maps, then their deviations; a row a picture."""
    import torch

    parts = []
    with torch.inference_mode():
        for maps in scales:
            means = [stage.mean(dim=(2, 3)) for stage in maps]
            squares = [stage.square().mean(dim=(2, 3)) for stage in maps]
            parts += means
            parts += [(square - mean.square()).clamp(min=0).sqrt() for square, mean in zip(squares, means, strict=True)]
        features: NDArray[np.float32] = torch.cat(parts, dim=1).float().cpu().numpy()
    return features


def scene_statistics(pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The statistics of height × width × 3 bytes; 0 where a flat photo has none."""
    colours = pixels.astype(np.float32)
    luminance = luminance_of(colours)
    values = colour_statistics(colours, luminance)
    plane = luminance
    for _ in range(SCALES):
        values += texture_values([fit_asymmetric(each.reshape(1, -1)) for each in texture_planes(plane)])[0].tolist()
        plane = halved(plane)
    return np.nan_to_num(np.array(values, np.float32), posinf=0, neginf=0)


def luminance_of(colours: NDArray[np.float32]) -> Plane:
    """Luminance of height × width × 3 values."""
    luminance: Plane = colours @ _LUMA
    return luminance


def halved(plane: Plane) -> Plane:
    """Means of 2 × 2 pixels; an odd last row or column is dropped."""
    height, width = (max(length // 2 * 2, 2) for length in plane.shape[:2])
    plane = plane[:height, :width]
    half: Plane = (plane[::2, ::2] + plane[1::2, ::2] + plane[::2, 1::2] + plane[1::2, 1::2]) / 4
    return half


def texture_planes(luminance: Plane) -> Iterator[Plane]:
    """What generalised Gaussians are fitted to: normalised luminance, and its products with four neighbours."""
    normal, _ = normalised(luminance)
    height, width = normal.shape
    yield normal
    for down, across in NEIGHBOURS:
        beside = normal[down:, max(across, 0) : width + min(across, 0)]
        before = normal[: height - down, max(-across, 0) : width + min(-across, 0)]
        yield before * beside


def colour_statistics(colours: NDArray[np.float32], luminance: Plane) -> list[float]:
    """Percentiles, mean and deviation of luminance, and means and deviations of two opponent colours, from 0 to 1."""
    small, grey = colours[::2, ::2] / 255, luminance[::2, ::2] / 255
    red_green = small[..., 0] - small[..., 1]
    yellow_blue = (small[..., 0] + small[..., 1]) / 2 - small[..., 2]
    chroma = np.hypot(red_green, yellow_blue)
    spread = [red_green.std(), yellow_blue.std(), chroma.mean()]
    return [float(value) for value in [*np.percentile(grey, _PERCENTILES), grey.mean(), grey.std(), *spread]]
