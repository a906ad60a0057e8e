"""A stop ends a batch between two of its steps, whatever the model."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from qbench.cancelling import Cancelled, cancelled_by
from qbench.images import open_picture
from qbench.models import Model, ModelOptions, open_model
from qbench.records import Picture, Prompt, Want


def assert_stops(model: Model, want: Want, pictures: list[Picture]) -> None:
    """The second picture is asked about after the stop: of the first one much is remembered."""
    cancel = threading.Event()
    prompts = [Prompt(want, (picture,), words=("good", "poor")) for picture in pictures[:2]]
    with cancelled_by(cancel):
        assert model.respond(prompts[:1])[0].failure is None
        cancel.set()
        with pytest.raises(Cancelled):
            model.respond(prompts[1:])
    assert model.respond(prompts[1:])[0].failure is None


@pytest.mark.parametrize(("name", "want"), [("niqe", "score"), ("nano-iqa", "map")])
def test_a_stop_takes_effect_before_the_batch_ends(name: str, want: Want, tmp_path: Path) -> None:
    if name != "niqe":
        pytest.importorskip("torch")
    for number in range(2):
        noise = np.random.default_rng(number).integers(0, 256, (192, 192, 3), dtype=np.uint8)
        Image.fromarray(noise).save(tmp_path / f"{number}.png")
    assert_stops(
        open_model(name, ModelOptions()), want, [open_picture(tmp_path / f"{number}.png") for number in (0, 1)]
    )


@pytest.mark.parametrize("kind", ["clip", "llava"])
def test_and_of_a_checkpoint(kind: str, tmp_path: Path, pictures: list[Picture]) -> None:
    pytest.importorskip("torch")
    from tests.models import tiny

    assert_stops(open_model(str(tiny.build(kind, tmp_path)), ModelOptions()), "words", pictures)
