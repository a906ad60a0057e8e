"""A model elsewhere, such as in an actor of a Ray cluster, says of itself what the model says that stands behind it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from qbench.command_line.notes import tell_slow_reading
from qbench.datasets import open_dataset
from qbench.models import open_model
from qbench.models.elsewhere import ModelElsewhere, Properties, properties_of
from qbench.records import Prompt, Response


class ReadingInFull:
    """A model that reads each pair in full."""

    reads_in_full = "it is not among the architectures"

    def __init__(self) -> None:
        self._model = open_model("scripted")
        self.name, self.wants = self._model.name, self._model.wants
        self.identity, self.batch_size = self._model.identity, self._model.batch_size

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        return self._model.respond(prompts)


class Elsewhere(ModelElsewhere):
    def __init__(self, told: Properties) -> None:
        self._told = told

    @property
    def _properties(self) -> Properties:
        return self._told

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        raise AssertionError("nothing is asked")


def test_why_pairs_are_read_in_full_is_said_of_a_model_elsewhere_too(capsys: pytest.CaptureFixture[str]) -> None:
    pairs = open_dataset("demo-comparison", limit=2).samples
    for model, said in ((open_model("scripted"), ""), (ReadingInFull(), "in full: it is not among")):
        tell_slow_reading("comparison", pairs, Elsewhere(properties_of(model)))
        told = capsys.readouterr().err
        assert said in told
        assert bool(told) == bool(said)
