"""What a vision tower is first fitted to: the texture of every patch of a picture.

How much detail there is at each scale and in each direction, how even it is, how values spread around their
neighbourhood's, how flat and how coloured the patch is: the statistics that measures of quality without a reference
are made of (NIQE, BRISQUE). As targets they teach far more a picture, patch by patch, than one quality does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

STATISTICS = 71
_SCALES = 5
_UNEVEN = 3
"""Scales at which the spread within a patch is computed too."""
_COLOUR_SCALES = 3
_NORMAL_SCALES = 2
_FLAT = 0.6
"""Differences of less than this, in levels of 255, are none."""


def texture(pictures: NDArray[np.uint8], patch: int) -> Any:
    """Picture × patch × statistic, of pictures × height × width × 3."""
    import torch
    from torch.nn.functional import adaptive_avg_pool2d

    pixels = torch.from_numpy(pictures).permute(0, 3, 1, 2).float()
    grid = (pixels.shape[2] // patch, pixels.shape[3] // patch)

    def pool(values: Any) -> Any:
        return adaptive_avg_pool2d(values, grid)

    red, green, blue = (pixels[:, channel, None] for channel in range(3))
    light = 0.299 * red + 0.587 * green + 0.114 * blue
    colour = torch.cat([red - green, (red + green) / 2 - blue], dim=1)
    statistics = [*_detail(light, pool), *_detail_of_colour(colour, pool), *_normalised(light, pool)]
    statistics += [pool((step.abs() < _FLAT).float()) for step in (light.diff(dim=2), light.diff(dim=3))]
    low, high = pixels.amin(dim=1, keepdim=True), pixels.amax(dim=1, keepdim=True)
    statistics += [pool(light), pool(colour), pool(high - low), pool((low < 2).float()), pool((high > 253).float())]
    statistics.append(_spread(light, pool))
    return torch.cat(statistics, dim=1).flatten(2).transpose(1, 2).contiguous()


def _detail(light: Any, pool: Any) -> list[Any]:
    """Logarithms of the detail of each scale, in every direction and in four."""
    import torch

    statistics = []
    for scale in range(_SCALES):
        smooth = _blurred(light)
        band = torch.nn.functional.pad(light - smooth, (1, 1, 1, 1), mode="replicate")
        centre = band[..., 1:-1, 1:-1]
        steps = (band[..., 1:-1, 2:], band[..., 2:, 1:-1], band[..., 2:, 2:], band[..., 2:, :-2])
        detail = torch.cat([centre, *(centre - step for step in steps)], dim=1).abs().add(0.5).log()
        statistics.append(pool(detail))
        if scale < _UNEVEN:
            statistics.append(_spread(detail, pool))
        light = smooth[..., ::2, ::2]
    return statistics


def _detail_of_colour(colour: Any, pool: Any) -> list[Any]:
    statistics = []
    for _ in range(_COLOUR_SCALES):
        smooth = _blurred(colour)
        statistics.append(pool((colour - smooth).abs().add(0.5).log()))
        colour = smooth[..., ::2, ::2]
    return statistics


def _normalised(light: Any, pool: Any) -> list[Any]:
    """How values lie around their neighbourhood's mean, in units of its spread, and with their neighbours."""
    import torch

    statistics = []
    for _ in range(_NORMAL_SCALES):
        mean = _blurred(light)
        spread = (_blurred(light * light) - mean * mean).clamp(min=0).sqrt()
        values = (light - mean) / (spread + 1)
        squares = values * values
        statistics += [pool(values.abs()), pool(squares), pool(squares * squares).clamp(min=1e-6).sqrt()]
        statistics.append(pool((spread < _FLAT).float()))
        wide = torch.nn.functional.pad(values, (1, 1, 1, 1))
        for neighbour in (wide[..., 1:-1, 2:], wide[..., 2:, 1:-1], wide[..., 2:, 2:], wide[..., 2:, :-2]):
            statistics.append(pool(values * neighbour))
        light = mean[..., ::2, ::2]
    return statistics


def _spread(values: Any, pool: Any) -> Any:
    mean = pool(values)
    return (pool(values * values) - mean * mean).clamp(min=0).sqrt()


def _blurred(values: Any) -> Any:
    """With the binomial kernel of five."""
    import torch

    for pads, dim in (((2, 2, 0, 0), 3), ((0, 0, 2, 2), 2)):
        wide = torch.nn.functional.pad(values, pads, mode="reflect")
        size = values.shape[dim]
        values = sum(
            weight / 16 * wide.narrow(dim, place, size) for place, weight in enumerate((1.0, 4.0, 6.0, 4.0, 1.0))
        )
    return values
