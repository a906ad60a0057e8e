"""How a model of the catalogue is run here: the exact command, or why there is none, and the memory that it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from qbench.models.builtin import find_builtin
from qbench.models.catalogue import ModelFacts
from qbench.tasks import assessment, perception
from qbench.tasks.similarity import choices

PROGRAM = "python -m qbench run"
SERVER = "http://localhost:8000/v1"
"""Where servers of open models listen by themselves."""
BYTES = {"float32": 4.0, "bfloat16": 2.0, "int8": 1.0, "int4": 0.5}
"""Name of a precision -> bytes a parameter."""
MARGIN = 0.2
"""Of memory beyond the weights, for images, prompt and answer."""


@dataclass(frozen=True)
class Command:
    """One line to copy."""

    purpose: str
    line: str


@dataclass(frozen=True)
class HowToRun:
    """Commands, and what has to be said about them."""

    commands: tuple[Command, ...]
    note: str


def how_to_run(model: ModelFacts) -> HowToRun:
    """The commands that run a model, by what is known of it."""
    builtin = find_builtin(model.id)
    if model.kind in ("human", "reference"):
        return HowToRun((), "This is not a model, so it cannot be run.")
    if builtin is not None:
        writes, scores = "text" in builtin.wants, builtin.wants <= {"score", "map"}
        task = assessment.NAME if scores else perception.NAME if writes else choices.IQA_2AFC.name
        return HowToRun(
            (Command("On the demo photos, whose damage is known", _line(task, f"demo-{task}", model.id)),),
            "It comes with this project.",
        )
    if model.pyiqa is not None:
        command = Command("Scores by the package pyiqa", _rated(f"pyiqa:{model.pyiqa}"))
        return HowToRun((command,), "The package pyiqa has it (pip install pyiqa; its licence is non-commercial).")
    if model.serve is not None and model.kind == "model" and model.hub is not None:
        return HowToRun(_at_a_server(model.hub), f"{model.serve} At a server that has it:")
    if model.serve is not None:
        return HowToRun((), model.serve)
    if model.hub is not None and model.kind == "encoder":
        return HowToRun(
            (
                Command("Scores: which of two words is nearer to the photo", _rated(model.id)),
                Command("The same on the demo photos", _line(assessment.NAME, "demo-assessment", model.id)),
            ),
            "Transformers loads it from the Hub.",
        )
    if model.hub is not None:
        return HowToRun(
            (
                Command(
                    "Questions about photos (A1)", f"{_line('perception', 'llvisionqa-dev', model.id)} --images FOLDER"
                ),
                Command("Scores by two words (A3)", _rated(model.id)),
                Command(
                    "The demo questions, which need no download", _line(perception.NAME, "demo-perception", model.id)
                ),
            ),
            "Transformers loads it from the Hub.",
        )
    if model.address is not None and model.asked_as is not None:
        note = f"Its weights are closed. Its maker's server answers for it; its name there is {model.asked_as}."
        return HowToRun(_at_a_server(model.asked_as, model.address), note)
    if model.open is False:
        note = "Its weights are closed. Ask its maker's server; NAME is its name there."
        return HowToRun(_at_a_server("NAME", "https://ADDRESS/v1"), note)
    return HowToRun((), "We know only its published figures, and not where its weights are.")


def _line(task: str, dataset: str, model: str) -> str:
    return f"{PROGRAM} --task {task} --dataset {dataset} --model {model}"


def _rated(model: str) -> str:
    return f"{_line('assessment', 'koniq-10k', model)} --images FOLDER"


def _at_a_server(model: str, address: str = SERVER) -> tuple[Command, ...]:
    line = f"{_line('perception', 'llvisionqa-dev', model)} --images FOLDER --endpoint {address}"
    return (Command("Questions about photos (A1)", line),)


class Memory(NamedTuple):
    """What one precision takes, in gigabytes (10⁹ bytes)."""

    precision: str
    weights: float
    with_margin: float


def memory_of(parameters: float) -> list[Memory]:
    """What each precision takes; `parameters` are billions."""
    weights = {precision: parameters * size for precision, size in BYTES.items()}
    return [Memory(precision, taken, taken * (1 + MARGIN)) for precision, taken in weights.items()]
