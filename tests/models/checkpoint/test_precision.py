"""Weights in half precision, as on a GPU: their logits are float32, and the model says what it is in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForImageTextToText

from qbench.models import ModelOptions, open_model
from qbench.models.checkpoint.vlm import Vlm
from qbench.models.checkpoint.weights import find_checkpoint, load_processor, load_weights
from qbench.records import Picture, Prompt


def rating(pictures: list[Picture]) -> list[Prompt]:
    return [Prompt("words", (picture, "Rate the quality of the image."), ("good",)) for picture in pictures]


def test_half_precision_weights_still_give_float32_logits(
    folder_of: Callable[[str], Path], pictures: list[Picture]
) -> None:
    model = open_model(str(folder_of("llava")))
    assert isinstance(model, Vlm)
    prompts = rating(pictures)
    exact = [answer.logits["good"] for answer in model.respond(prompts)]
    model.network.model.to(torch.bfloat16)
    rough = [answer.logits["good"] for answer in model.respond(prompts)]
    assert rough == pytest.approx(exact, abs=1.0)
    on_the_grid = [value == float(torch.tensor(value, dtype=torch.bfloat16)) for value in rough]
    assert not any(on_the_grid)


@pytest.mark.parametrize("kind", ["instructblip-vicuna", "blip2-opt"])
def test_half_precision_is_told_and_its_logits_precise_though_queries_stay_in_float32(
    kind: str, folder_of: Callable[[str], Path], pictures: list[Picture]
) -> None:
    """What a GPU without bfloat16 runs: Transformers keeps the queries of these in float32."""
    found = find_checkpoint(str(folder_of(kind)), ModelOptions(device="cpu"))
    weights = load_weights(found, AutoModelForImageTextToText, torch.float16)
    model = Vlm(found, load_processor(found), weights)
    assert weights.dtype == torch.float32
    assert model.identity["dtype"] == "float16"
    logits = [answer.logits["good"] for answer in model.respond(rating(pictures))]
    assert not all(value == float(torch.tensor(value, dtype=torch.float16)) for value in logits)
