"""Continuations of one prompt are scored from one reading of it, and their logits are those of a reading each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from qbench.models import ModelOptions, SpeedUps, open_model
from qbench.models.checkpoint.vlm import Vlm
from qbench.records import Picture, Prompt, Want
from tests.models.checkpoint.prompts import SEVERAL_IMAGES, mixed


def opened(folder: Path, *, shared_reading: bool = True) -> Vlm:
    model = open_model(str(folder), ModelOptions(speed_ups=SpeedUps(shared_reading=shared_reading)))
    assert isinstance(model, Vlm)
    return model


@pytest.mark.parametrize("want", ["words", "losses"])
@pytest.mark.parametrize("kind", SEVERAL_IMAGES)
def test_what_follows_one_reading_of_a_prompt_is_what_follows_its_own(
    kind: str, want: Want, folder_of: Callable[[str], Path], pictures: list[Picture]
) -> None:
    alike = [
        replace(prompt, parts=(picture, "Rate."))
        for prompt, picture in zip(mixed(kind, pictures, want), pictures, strict=True)
    ]
    prompts = [*mixed(kind, pictures, want), *alike, replace(alike[0], words=("excellent", "bad"))]
    shared = opened(folder_of(kind)).respond(prompts)
    apart = opened(folder_of(kind), shared_reading=False).respond(prompts)
    field = "logits" if want == "words" else "losses"
    for first, second in zip(shared, apart, strict=True):
        assert len(getattr(first, field)) > 1
        assert dict(getattr(first, field)) == pytest.approx(dict(getattr(second, field)), abs=1e-4)


def test_a_prompt_with_many_continuations_is_read_once(
    folder_of: Callable[[str], Path], pictures: list[Picture]
) -> None:
    model = opened(folder_of("llava"))
    read: list[int] = []
    model.network.model.register_forward_pre_hook(
        lambda _, __, given: read.append(given["input_ids"].numel()), with_kwargs=True
    )
    prompt = Prompt("losses", (pictures[0], "Rate the quality of the image."), ("excellent", "good", "a bad one"))
    model.respond([prompt])
    first, then = read
    [text] = model.network.render([prompt])
    longest = max(len(continuation.tokens) for continuation in model.network.continuations(text, prompt.words))
    assert first > 20
    assert then == 3 * (longest - 1)
