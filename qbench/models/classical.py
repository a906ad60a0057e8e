"""Measures without learning, as baselines and judges: NIQE and four simple ones, all higher is better.

`pyiqa:NAME` wraps a metric of that package where it is installed; its licence forbids commercial use, so it is never
required.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from scipy import ndimage

from qbench.errors import DataError, UserError
from qbench.images import load_pixels
from qbench.models import Model, ModelOptions
from qbench.models.niqe import niqe_distance, read_pristine
from qbench.records import Picture, Prompt, Response, Want


@dataclass(frozen=True)
class Measure:
    """A function of one image as a model that scores."""

    name: str
    function: Callable[[Image.Image], float]
    version: int = 1
    """Raised when the measure gives other numbers, so that cached ones are not used."""
    fitted: str = ""
    """SHA-256 of its parameters, where these are one's own."""
    package: str = ""
    """What computes it and in which version, where that is not this project."""
    wants: frozenset[Want] = frozenset({"score"})
    batch_size: int = 1

    @property
    def identity(self) -> Mapping[str, Any]:
        optional = {"fitted": self.fitted, "package": self.package}
        stated = {name: value for name, value in optional.items() if value}
        return {"classical": self.name, "version": self.version, **stated}

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        """One score an image."""
        return [self._score(prompt) for prompt in prompts]

    def _score(self, prompt: Prompt) -> Response:
        [picture] = [part for part in prompt.parts if isinstance(part, Picture)]
        try:
            return Response(score=self.function(load_pixels(picture)))
        except DataError as error:
            return Response(failure=str(error))


def open_niqe(_name: str, argument: str, _options: ModelOptions) -> Model:
    """NIQE with its sign turned, so that higher is better; `niqe:FILE` by parameters fitted to other photos."""
    if not argument:
        return Measure("niqe", lambda image: -niqe_distance(image))
    pristine = read_pristine(Path(argument))
    fitted = hashlib.sha256(Path(argument).read_bytes()).hexdigest()
    return Measure(f"niqe:{Path(argument).stem}", lambda image: -niqe_distance(image, pristine), fitted=fitted)


def tenengrad(image: Image.Image) -> float:
    """Sharpness: root mean square of the luminance gradient, by Sobel filters."""
    grey = _luminance(image)
    return float(np.sqrt(np.mean(ndimage.sobel(grey, 0) ** 2 + ndimage.sobel(grey, 1) ** 2)))


def hasler(image: Image.Image) -> float:
    """Colourfulness (Hasler and Suesstrunk 2003): spread plus 0.3 times distance from grey, in opponent colours."""
    red, green, blue = np.moveaxis(np.asarray(image, dtype=np.float64), 2, 0)
    red_green, yellow_blue = red - green, (red + green) / 2 - blue
    spread = np.hypot(red_green.std(), yellow_blue.std())
    return float(spread + 0.3 * np.hypot(red_green.mean(), yellow_blue.mean()))


MEASURES: Mapping[str, Callable[[Image.Image], float]] = {
    "brightness": lambda image: float(_luminance(image).mean()),
    "colourfulness": hasler,
    "contrast": lambda image: float(_luminance(image).std()),
    "sharpness": tenengrad,
}
"""Simple measures of an attribute: mean and standard deviation of luminance, and the two above."""


def open_measure(name: str, _argument: str, _options: ModelOptions) -> Model:
    """One of `MEASURES` as a model."""
    return Measure(name, MEASURES[name])


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


def _luminance(image: Image.Image) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.asarray(image.convert("L"), dtype=np.float64)
