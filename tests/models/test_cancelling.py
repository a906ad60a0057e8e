"""A stop ends a batch between two of its steps, whatever the model."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from qbench.cancelling import Cancelled, cancelled_by
from qbench.images import open_picture
from qbench.models import open_model
from qbench.records import Prompt, Want


@pytest.mark.parametrize(
    ("name", "want"), [("niqe", "score"), ("nano-iqa", "map"), ("clip", "words"), ("llava", "words")]
)
def test_a_stop_takes_effect_before_the_batch_ends(
    name: str, want: Want, tmp_path: Path, folder_of: Callable[[str], Path]
) -> None:
    """The second picture is asked about after the stop: of the first one much is remembered."""
    pictures = []
    for number in range(2):
        noise = np.random.default_rng(number).integers(0, 256, (192, 192, 3), dtype=np.uint8)
        Image.fromarray(noise).save(tmp_path / f"{number}.png")
        pictures.append(open_picture(tmp_path / f"{number}.png"))
    prompts = [Prompt(want, (picture,), words=("good", "poor")) for picture in pictures]
    model, cancel = open_model(str(folder_of(name)) if want == "words" else name), threading.Event()
    with cancelled_by(cancel):
        assert model.respond(prompts[:1])[0].failure is None
        cancel.set()
        with pytest.raises(Cancelled):
            model.respond(prompts[1:])
    assert model.respond(prompts[1:])[0].failure is None
