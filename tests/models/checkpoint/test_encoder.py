"""Encoders of images and texts, and a LLaVA's eye, against the library's own scores."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import transformers

from qbench.images import load_pixels
from qbench.models import Model, open_model
from qbench.records import Picture, Prompt

PAIR = ("a photo of good quality", "a photo of poor quality")
Open = Callable[[str], Model]


def weigh(model: Model, pictures: list[Picture]) -> list[dict[str, float]]:
    responses = model.respond([Prompt("words", (picture,), PAIR) for picture in pictures])
    return [dict(response.logits) for response in responses]


@pytest.mark.parametrize("kind", ["clip", "siglip", "blip"])
def test_logits_are_a_hundred_times_the_library_s_cosine_alone_as_in_a_batch(
    kind: str, opened: Open, folder_of: Callable[[str], Path], pictures: list[Picture]
) -> None:
    folder = folder_of(kind)
    maker = transformers.BlipForImageTextRetrieval if kind == "blip" else transformers.AutoModel
    network = maker.from_pretrained(folder).eval()
    padding = "max_length" if kind == "siglip" else True
    images = [load_pixels(picture) for picture in pictures]
    inputs = transformers.AutoProcessor.from_pretrained(folder)(
        text=list(PAIR), images=images, padding=padding, truncation=True, max_length=64, return_tensors="pt"
    )
    with torch.no_grad():
        if kind == "blip":
            cosines = network(**inputs, use_itm_head=False).itm_score
        else:
            scores = network(**inputs).logits_per_image
            bias = network.logit_bias if kind == "siglip" else 0
            cosines = (scores - bias) / network.logit_scale.exp()
    together = weigh(opened(kind), pictures)
    assert len({logits[PAIR[0]] for logits in together}) == len(pictures)
    for row, logits, picture in zip(cosines.tolist(), together, pictures, strict=True):
        assert [logits[text] for text in PAIR] == pytest.approx([100 * cosine for cosine in row], abs=1e-3)
        assert weigh(opened(kind), [picture])[0] == pytest.approx(logits, abs=1e-4)
    asked = [Prompt("embedding", (pictures[0],)), Prompt("embedding", (PAIR[0],))]
    image, text = (response.embedding for response in opened(kind).respond(asked))
    assert math.hypot(*image) == pytest.approx(1) and math.hypot(*text) == pytest.approx(1)
    assert sum(a * b for a, b in zip(image, text, strict=True)) == pytest.approx(cosines[0, 0].item(), abs=1e-5)


def test_what_cannot_be_answered_fails_alone(opened: Open, pictures: list[Picture], damaged: Picture) -> None:
    fine = Prompt("words", (pictures[0],), PAIR)
    asked = [fine, Prompt("words", (damaged,), PAIR), Prompt("words", (pictures[0], "Rate it."), PAIR), fine]
    first, broken, questioned, last = opened("clip").respond(asked)
    assert first == last and first.failure is None
    assert broken.failure is not None and "damaged.png is damaged" in broken.failure
    said = "an encoder weighs texts against one image, without a question; put all text into words"
    assert questioned.failure == said
    two = opened("clip").respond([Prompt("embedding", tuple(pictures[:2]))])[0]
    assert two.failure == "an encoder embeds one image or one text at a time"


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
