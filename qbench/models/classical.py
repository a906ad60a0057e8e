"""Measures without learning, as baselines and judges: NIQE and four simple ones, all higher is better.

`pyiqa:NAME` wraps a metric of that package where it is installed; its licence forbids commercial use, so it is never
required.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
from PIL import Image
from scipy import ndimage

from qbench.errors import DataError, UserError
from qbench.images import load_pixels
from qbench.models import Model, ModelOptions
from qbench.models.niqe import niqe_distance
from qbench.records import Picture, Prompt, Response, Want

_VERSION = 1
"""Raised when a measure gives other numbers, so that cached ones are not used."""


@dataclass(frozen=True)
class Measure(Model):
    """A function of one image as a model that scores."""

    name: str
    function: Callable[[Image.Image], float]
    package: str = ""
    """What computes it and in which version, where that is not this project."""
    wants: frozenset[Want] = frozenset({"score"})

    @property
    def identity(self) -> Mapping[str, Any]:  # type: ignore[override]
        package = {"package": self.package} if self.package else {}
        return {"classical": self.name, "version": _VERSION, **package}

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        """One score an image."""
        return [self._score(prompt) for prompt in prompts]

    def _score(self, prompt: Prompt) -> Response:
        [picture] = [part for part in prompt.parts if isinstance(part, Picture)]
        try:
            return Response(score=self.function(load_pixels(picture)))
        except DataError as error:
            return Response(failure=str(error))


def tenengrad(image: Image.Image) -> float:
    """Sharpness: root mean square of the luminance gradient, by Sobel filters."""
    grey, total = image.convert("L"), 0
    for top, bottom in _strips(image):
        first, last = max(0, top - 1), min(image.height, bottom + 1)  # a row more on both sides, for the filter
        rows = np.asarray(grey.crop((0, first, image.width, last)), dtype=np.int64)
        inside = slice(top - first, bottom - first)
        total += sum(int((ndimage.sobel(rows, axis)[inside] ** 2).sum()) for axis in (0, 1))
    return float(np.sqrt(total / (image.width * image.height)))


def hasler(image: Image.Image) -> float:
    """Colourfulness (Hasler and Suesstrunk 2003): spread plus 0.3 times distance from grey, in opponent colours."""
    sums = np.zeros((2, 2), dtype=np.int64)  # of the two colours, the second doubled; of them and their squares
    for top, bottom in _strips(image):
        pixels = np.asarray(image.crop((0, top, image.width, bottom)), dtype=np.int64)
        red, green, blue = np.moveaxis(pixels, 2, 0)
        for place, values in enumerate((red - green, red + green - 2 * blue)):
            sums[place] += (values.sum(), (values**2).sum())
    scale, count = np.array([1.0, 0.5]), image.width * image.height
    means = sums[:, 0] / count
    spreads = np.sqrt(np.maximum(0.0, sums[:, 1] / count - means**2))
    return float(np.hypot(*(scale * spreads)) + 0.3 * np.hypot(*(scale * means)))


def _luminance(image: Image.Image) -> tuple[float, float]:
    """Mean and standard deviation."""
    counts, levels = np.array(image.convert("L").histogram()), np.arange(256)
    mean = float(counts @ levels) / int(counts.sum())
    return mean, float(np.sqrt(counts @ (levels - mean) ** 2 / counts.sum()))


def _strips(image: Image.Image) -> list[tuple[int, int]]:
    """Rows from and to, a million pixels at a time: the arrays of a large photo would take a gigabyte."""
    rows = max(1, 2**20 // image.width)
    return [(top, min(image.height, top + rows)) for top in range(0, image.height, rows)]


MEASURES: Mapping[str, Callable[[Image.Image], float]] = {
    "brightness": lambda image: _luminance(image)[0],
    "colourfulness": hasler,
    "contrast": lambda image: _luminance(image)[1],
    "sharpness": tenengrad,
}
"""Simple measures of an attribute: mean and standard deviation of luminance, and the two above."""


def open_measure(name: str, _argument: str, _options: ModelOptions) -> Model:
    """One of `MEASURES` as a model; or NIQE with its sign turned, so that higher is better."""
    return Measure(name, {**MEASURES, "niqe": lambda image: -niqe_distance(image)}[name])


def open_pyiqa(_name: str, argument: str, options: ModelOptions) -> Model:
    """A metric of the pyiqa package, turned so that higher is better."""
    try:
        pyiqa = importlib.import_module("pyiqa")
        package = f"pyiqa {version('pyiqa')}"
    except ImportError:  # of either: code that lies about without having been installed has no version
        raise UserError("pyiqa:NAME needs that package: pip install pyiqa (its licence is non-commercial)") from None
    if argument not in pyiqa.list_models():
        raise UserError(f"pyiqa has no metric {argument!r}; it has {', '.join(pyiqa.list_models())}")
    device = None if options.device == "auto" else options.device
    metric = pyiqa.create_metric(argument, device=device)
    sign = -1.0 if metric.lower_better else 1.0
    return Measure(f"pyiqa:{argument}", lambda image: sign * float(metric(image).item()), package=package)
