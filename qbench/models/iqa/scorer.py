"""nano-iqa as a model that scores photos."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from qbench.errors import DataError, UserError
from qbench.images import load_pixels
from qbench.models import Model, ModelOptions, builtin
from qbench.models.iqa.features import Looked, look, open_backbone, tower_of
from qbench.models.iqa.heads import FACTS, FILE, Heads, read_heads
from qbench.models.iqa.score_map import score_map
from qbench.records import Picture, Prompt, Response, Want

VERSION = 2
"""Raised when the same weights give other numbers, so that cached ones are not used."""


@dataclass(frozen=True, eq=False)
class QualityScorer(Model):
    """The network and its heads."""

    name: str
    backbone: Any
    heads: Heads
    digest: str
    """SHA-256 of its weights."""
    wants: frozenset[Want] = frozenset({"score", "map"})
    batch_size: int = 1
    _looked: dict[Picture, Looked] = field(default_factory=dict)
    """The photo that was scored last, so that the network need not look again where its map is asked for next."""

    @property
    def identity(self) -> Mapping[str, Any]:  # type: ignore[override]
        return {"iqa": self.name, "version": VERSION, "weights": self.digest}

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        """A score, its standard error and the likely kinds of damage of one image each; or the scores of its parts."""
        return [self._answer(prompt) for prompt in prompts]

    def _answer(self, prompt: Prompt) -> Response:
        [picture] = [part for part in prompt.parts if isinstance(part, Picture)]
        try:
            looked = self._looked.pop(picture, None) or look(self.backbone, load_pixels(picture))
            if prompt.want == "map":
                scores = score_map(self.heads, looked)
                margin = float(self.heads.parts.margin[0])
                return Response(score_map=tuple(map(tuple, scores.tolist())), map_margin=margin)
        except DataError as error:
            return Response(failure=str(error))
        self._looked.clear()
        self._looked[picture] = looked
        return self.heads.rate(looked.features())


def open_iqa(name: str, argument: str, options: ModelOptions) -> Model:
    """nano-iqa as it comes with the project; `nano-iqa:FOLDER` as `python -m tools.nano models` wrote it.

    Raises:
        UserError: The folder holds no such model, or the device is not there.
    """
    from qbench.models.checkpoint.devices import pick_device

    folder = Path(argument) if argument else builtin.WEIGHTS_FOLDER / name
    tower = tower_of(folder)
    weights = sorted({*tower.glob("*.safetensors")} - {folder / FILE}) or [tower / "model.safetensors"]
    missing = [file.name for file in (folder / FILE, folder / FACTS, *weights) if not file.is_file()]
    if missing:
        raise UserError(f"{folder} holds no {name}: {missing[0]} is missing; make one with python -m tools.nano models")
    digest = hashlib.sha256()
    for file in (tower / "config.json", *weights, folder / FILE):
        digest.update(file.read_bytes())
    device = pick_device(options.device)
    backbone = open_backbone(folder, "cuda" if device == "split" else device)  # it is too small to be spread
    return QualityScorer(
        f"{name}:{folder.name}" if argument else name, backbone, read_heads(folder), digest.hexdigest()
    )
