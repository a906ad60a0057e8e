"""What is seen of a photo or of windows of it: the stages of EfficientNet-Lite0 at two scales, and scene statistics.

Of each stage the means, and the deviations: how much a pattern varies over the photo, where noise and sharpness show.
The statistics are generalised Gaussians fitted to locally normalised luminance, the features of BRISQUE (Mittal,
Moorthy and Bovik, "No-Reference Image Quality Assessment in the Spatial Domain", IEEE TIP 2012), at three scales, and
some of brightness and colour, which normalisation takes away. Nearly all are functions of means over the photo: the
network looks once, means are taken over cells, and those of a window are the means of its cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from PIL import Image

from qbench.errors import DataError
from qbench.models.builtin import WEIGHTS_FOLDER
from qbench.models.niqe import NEIGHBOURS, fit_moments, normalised, texture_values

Pixels = NDArray[np.uint8]
Plane = NDArray[np.floating[Any]]
Shape: TypeAlias = tuple[int, int]

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
_CELLS = 16
"""Along the longer side of a photo."""
_LEAST_CELL = 16
"""Pixels; a small photo has fewer cells."""
_WINDOW = 4
"""Cells along a side of a window. Of 4 and 6, this finds a damaged part of held-out training photos more often."""
_LUMA = np.array([0.299, 0.587, 0.114], np.float32)
_PERCENTILES = (1, 10, 50, 90, 99)


@dataclass(frozen=True, eq=False)
class Looked:
    """A photo that the network has looked at, once for its score and for the scores of its parts."""

    pixels: Pixels
    """As it was looked at."""
    scales: Sequence[Sequence[Any]]
    """What it made of the photo at full and at half size: the maps of all stages."""

    @property
    def layout(self) -> tuple[Shape, Shape]:
        """Rows and columns of the cells that a map has, and those of a window."""
        side = max(max(self.pixels.shape) / _CELLS, _LEAST_CELL)
        rows, columns = (max(round(length / side), 1) for length in self.pixels.shape[:2])
        return (rows, columns), (min(_WINDOW, rows), min(_WINDOW, columns))

    def features(self, *, windows: bool = False) -> NDArray[np.float32]:
        """One row, of the whole photo; or a row for each of its windows, from the top left."""
        grid, window = self.layout if windows else ((1, 1), (1, 1))
        colours = self.pixels.astype(np.float32)
        luminance = colours @ _LUMA
        parts = [_network(self.scales, grid, window), _colours(colours, luminance, grid, window)]
        for _ in range(SCALES):
            parts.append(_textures(luminance, grid, window))
            rows, columns = (length // 2 for length in luminance.shape)
            luminance = luminance[: 2 * rows, : 2 * columns].reshape(rows, 2, columns, 2).mean(axis=(1, 3))
        features = np.concatenate(parts, axis=1).astype(np.float32)
        return np.nan_to_num(features, posinf=0, neginf=0)  # a flat photo has no texture


def look(model: Any, image: Image.Image) -> Looked:
    """Let the network look at a photo, at full size and at half of it, by means of 2 × 2 pixels.

    A large photo is reduced to `LONGEST_SIDE` before; one of a few pixels is continued as in a mirror.

    Raises:
        DataError: The photo is too small.
    """
    import torch

    if min(image.size) < SHORTEST_SIDE:
        raise DataError(f"nano-iqa needs {SHORTEST_SIDE} pixels a side, not {image.width} × {image.height}")
    shown = image.copy()
    shown.thumbnail((LONGEST_SIDE, LONGEST_SIDE), Image.Resampling.LANCZOS, reducing_gap=3.0)
    below, beside = (max(_MIRRORED_TO - side, 0) for side in (shown.height, shown.width))
    pixels = np.pad(np.asarray(shown), ((0, below), (0, beside), (0, 0)), "symmetric")
    with torch.inference_mode():
        full = as_batch([pixels], model.device)
        half = torch.nn.functional.avg_pool2d(full, 2).contiguous(memory_format=torch.channels_last)
        seen = [model(scaled, output_hidden_states=True) for scaled in (full, half)]
    scales = [[*(each.hidden_states[stage] for stage in STAGES), each.last_hidden_state] for each in seen]
    return Looked(pixels, scales)


def tower_of(folder: Path) -> Path:
    """Where the network of a nano-iqa lies: in its folder, or in that of nano-vlm, which looks through the same one."""
    return folder if (folder / "config.json").is_file() else WEIGHTS_FOLDER / "nano-vlm"


def read_tower(folder: Path) -> Any:
    """EfficientNet-Lite0 of a checkpoint's folder, or the one that a FastVLM or a nano-iqa looks through."""
    from transformers import AutoModel

    model = AutoModel.from_pretrained(tower_of(folder), dtype="float32")
    return getattr(model, "vision_tower", model)


def open_backbone(folder: Path, device: str = "cpu") -> Any:
    """The same network ready to look, in fewer passes over memory: normalisation within the convolutions, for one.

    Lite has no squeeze-and-excitation; the checkpoint holds some that multiplies by 1, as the stock network has it.
    """
    import torch
    from torch.nn.utils.fusion import fuse_conv_bn_eval

    model = read_tower(folder).eval()
    for block in model.encoder.blocks:
        if not bool(block.squeeze_excite.expand.weight.any()):
            block.squeeze_excite = torch.nn.Identity()
    for module in model.modules():
        for (name, convolution), (after, norm) in pairwise([*module.named_children()]):
            if isinstance(convolution, torch.nn.Conv2d) and isinstance(norm, torch.nn.BatchNorm2d):
                setattr(module, name, fuse_conv_bn_eval(convolution, norm))
                setattr(module, after, torch.nn.Identity())
        if isinstance(module, torch.nn.ReLU6):
            module.inplace = True
    return model.to(device, memory_format=torch.channels_last)


def as_batch(pictures: Sequence[Pixels] | Pixels, device: str = "cpu") -> Any:
    """Pictures of one size as the network takes them."""
    import torch

    batch = torch.from_numpy(np.stack(list(pictures))).to(device).permute(0, 3, 1, 2).float()
    return ((batch - MIDDLE) / RANGE).contiguous(memory_format=torch.channels_last)


def _network(scales: Sequence[Sequence[Any]], grid: Shape, window: Shape) -> NDArray[np.float32]:
    """Of each scale the means of all channels of all maps, then their deviations."""
    import torch

    def over_windows(values: Any) -> Any:
        cells = torch.nn.functional.adaptive_avg_pool2d(values, grid)
        return torch.nn.functional.avg_pool2d(cells, window, stride=1)[0].flatten(1)

    features = []
    with torch.inference_mode():
        for maps in scales:
            means = torch.cat([over_windows(stage) for stage in maps])
            squares = torch.cat([over_windows(stage.square()) for stage in maps])
            features += [means, (squares - means.square()).clamp(min=0).sqrt()]
        return np.asarray(torch.cat(features).T.cpu())


def _colours(colours: NDArray[np.float32], luminance: Plane, grid: Shape, window: Shape) -> Plane:
    """Percentiles, mean and deviation of luminance, and means and deviations of two opponent colours, from 0 to 1.

    Percentiles are no means, so each window is looked at by itself.
    """
    rows, columns = _edges(luminance.shape, grid)
    windows = []
    for top, bottom in zip(rows[: -window[0]], rows[window[0] :], strict=True):
        for left, right in zip(columns[: -window[1]], columns[window[1] :], strict=True):
            red, green, blue = np.moveaxis(colours[top:bottom:2, left:right:2] / 255, 2, 0)
            grey = luminance[top:bottom:2, left:right:2] / 255
            red_green, yellow_blue = red - green, (red + green) / 2 - blue
            spread = [red_green.std(), yellow_blue.std(), np.hypot(red_green, yellow_blue).mean()]
            windows.append([*np.percentile(grey, _PERCENTILES), grey.mean(), grey.std(), *spread])
    return np.array(windows)


def _textures(luminance: Plane, grid: Shape, window: Shape) -> Plane:
    """Of normalised luminance and its products with four neighbours, generalised Gaussians."""
    normal, _ = normalised(luminance)
    height, width = normal.shape
    planes = [normal]
    for down, across in NEIGHBOURS:
        beside = normal[down:, max(across, 0) : width + min(across, 0)]
        planes.append(normal[: height - down, max(-across, 0) : width + min(-across, 0)] * beside)

    def means(values: Plane) -> Plane:
        rows, columns = _edges(values.shape, grid)
        sums = np.add.reduceat(np.add.reduceat(values, columns[:-1], axis=1), rows[:-1], axis=0)
        cells = sums / np.outer(np.diff(rows), np.diff(columns))
        return np.asarray(sliding_window_view(cells, window).mean(axis=(2, 3)).ravel())

    fits = []
    with np.errstate(divide="ignore", invalid="ignore"):
        for plane in planes:
            squares, below, above = plane**2, plane < 0, plane > 0
            left, right = (np.sqrt(means(squares * side) / means(side.astype(np.float32))) for side in (below, above))
            fits.append(fit_moments(left, right, means(np.abs(plane)) ** 2 / means(squares)))
        return texture_values(fits)


def _edges(shape: tuple[int, ...], grid: Shape) -> list[NDArray[np.int_]]:
    """Where cells begin, down and across, and where the last one ends."""
    return [np.linspace(0, side, count + 1).astype(int) for side, count in zip(shape, grid, strict=True)]
