"""Images by themselves: the mean of the tokens that the language model is given in place of one is its embedding."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import transformers

from qbench.images import load_pixels
from qbench.models import open_model
from qbench.records import Picture, Prompt


def embed(*parts: str | Picture) -> Prompt:
    return Prompt("embedding", parts)


def test_an_embedding_is_the_mean_of_what_the_language_model_is_given(
    folder_of: Callable[[str], Path], pictures: list[Picture]
) -> None:
    folder = folder_of("llava")
    stock = transformers.LlavaForConditionalGeneration.from_pretrained(folder).eval()
    processor = transformers.AutoProcessor.from_pretrained(folder)
    expected = []
    for picture in pictures:
        pixels = processor.image_processor(images=load_pixels(picture), return_tensors="pt")["pixel_values"]
        with torch.inference_mode():
            [tokens] = stock.get_image_features(pixel_values=pixels).pooler_output
        assert tokens.shape == (16, 32)  # 28 pixels a side in patches of 7
        expected.append([sum(column) / 16 for column in tokens.double().T.tolist()])

    prompts = [embed(picture) for picture in pictures]
    together = open_model(str(folder)).respond(prompts)
    model = open_model(str(folder))
    alone = [model.respond([prompt])[0] for prompt in reversed(prompts)][::-1]
    assert len({response.embedding for response in together}) == len(pictures)
    for first, second, vector in zip(together, alone, expected, strict=True):
        assert list(first.embedding) == pytest.approx(vector, abs=1e-4)
        assert list(second.embedding) == pytest.approx(vector, abs=1e-4)
    note = "the mean of the 16 tokens that the model's eye hands to its language model"
    assert {response.note for response in together} == {note}


def test_the_mean_is_over_tokens_and_not_cut_to_half_precision(
    folder_of: Callable[[str], Path], pictures: list[Picture], monkeypatch: pytest.MonkeyPatch
) -> None:
    model: Any = open_model(str(folder_of("llava")))
    seen = torch.tensor([[1.0, -2.0], [4.0, 0.0], [2.0, 257.0]], dtype=torch.bfloat16)  # bfloat16 has 256 and 258
    monkeypatch.setattr(model.network.model, "get_image_features", lambda **_: SimpleNamespace(pooler_output=[seen]))
    [answer] = model.respond([embed(pictures[0])])
    assert list(answer.embedding) == pytest.approx([7 / 3, 254 / 3], abs=1e-5)
