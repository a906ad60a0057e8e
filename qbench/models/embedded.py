"""What is known of the models that come with the project: size, agreement with people, reference scores."""

from __future__ import annotations

import json
from bisect import bisect_left
from dataclasses import dataclass
from functools import cache
from typing import Any

from qbench.models import builtin


@dataclass(frozen=True)
class Agreement:
    """Rank correlation of a model's scores with people's, and its 95 % interval."""

    on: str
    """What people rated."""
    srcc: float
    low: float
    high: float


@dataclass(frozen=True)
class EmbeddedModel:
    """One model of `assets/`, in a sentence."""

    name: str
    megabytes: float
    """Of its weights."""
    training: str
    people: Agreement
    card: str
    """Where its card is, from the root of the project."""


@dataclass(frozen=True)
class ReferenceScores:
    """A model's scores of a stated set of pictures, the lowest first."""

    title: str
    scores: tuple[float, ...]

    def below(self, score: float) -> int:
        """How many pictures of the set score lower."""
        return bisect_left(self.scores, score)


def embedded_model(name: str) -> EmbeddedModel | None:
    """What is known of a model that comes with the project; None for any other."""
    known = _read(name, "summary.json")
    if known is None:
        return None
    folder = builtin.WEIGHTS_FOLDER / name
    size = sum(path.stat().st_size for path in folder.glob("*.safetensors")) / 1e6
    return EmbeddedModel(name, size, known["training"], Agreement(**known["people"]), f"assets/{name}/README.md")


def reference_scores(name: str) -> ReferenceScores | None:
    """The scores that come with a model; None where it has none."""
    known = _read(name, "reference.json")
    return ReferenceScores(known["title"], tuple(known["scores"])) if known else None


@cache
def _read(name: str, file: str) -> dict[str, Any] | None:
    path = builtin.WEIGHTS_FOLDER / name / file
    if name not in builtin.BUILTIN or not path.is_file():
        return None
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content
