"""What is seen of a picture is kept: it is not looked at again, the answers are the same, its mean is its embedding."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
import transformers

from qbench.images import load_pixels
from qbench.models import open_model
from qbench.models.checkpoint.vlm import Vlm
from qbench.records import Picture, Prompt


def opened(folder: Path) -> tuple[Vlm, list[int]]:
    """A model, and how many pictures its eye saw at each look."""
    model, looks = open_model(str(folder)), list[int]()
    assert isinstance(model, Vlm)
    model.network.model.model.vision_tower.register_forward_hook(lambda _eye, shown, _seen: looks.append(len(shown[0])))
    return model, looks


def weigh(*parts: str | Picture) -> Prompt:
    return Prompt("words", parts, words=("A", "B"))


def test_a_picture_is_looked_at_once(folder_of: Callable[[str], Path], pictures: list[Picture]) -> None:
    first, second, third = pictures[:3]
    model, looks = opened(folder_of("llava"))
    both = [weigh(first, second, "Which is better?"), weigh(second, first, "Which is better?")]
    asked = [*both, weigh(first, "Is it sharp?"), weigh(third, "Is it sharp?")]
    answers = [*model.respond(both), *model.respond(asked[2:])]
    assert looks == [1, 1, 1]
    text = Prompt("text", (third, "Describe it."), max_tokens=3)
    written = model.respond([text])[0].text
    assert looks == [1, 1, 1]
    for prompt, answer in zip(asked, answers, strict=True):
        alone, _ = opened(folder_of("llava"))
        assert dict(answer.logits) == pytest.approx(dict(alone.respond([prompt])[0].logits), abs=1e-4)
    assert opened(folder_of("llava"))[0].respond([text])[0].text == written


def test_the_pictures_of_longest_ago_are_forgotten(
    folder_of: Callable[[str], Path], pictures: list[Picture], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("qbench.models.checkpoint.image_cache._KEPT_IMAGES", 2)
    model, looks = opened(folder_of("llava"))
    for picture in (*pictures[:2], pictures[0], pictures[2], pictures[0], pictures[1]):
        model.respond([weigh(picture, "Is it sharp?")])
    assert looks == [1, 1, 1, 1]


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
    together = opened(folder)[0].respond(prompts)
    model = opened(folder)[0]
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
    model, _ = opened(folder_of("llava"))
    seen = torch.tensor([[1.0, -2.0], [4.0, 0.0], [2.0, 257.0]], dtype=torch.bfloat16)  # bfloat16 has 256 and 258
    monkeypatch.setattr(model.network.model, "get_image_features", lambda **_: SimpleNamespace(pooler_output=[seen]))
    [answer] = model.respond([embed(pictures[0])])
    assert list(answer.embedding) == pytest.approx([7 / 3, 254 / 3], abs=1e-5)


def test_what_was_seen_is_not_looked_at_again_to_embed_it(
    folder_of: Callable[[str], Path], pictures: list[Picture]
) -> None:
    first, second = pictures[:2]
    model, looks = opened(folder_of("llava"))
    model.respond([weigh(first, "Is it sharp?")])
    model.respond([embed(first), embed(second), embed(first)])
    assert looks == [1, 1]
    after = model.respond([weigh(second, "Is it sharp?")])[0]
    assert looks == [1, 1]
    alone = opened(folder_of("llava"))[0].respond([weigh(second, "Is it sharp?")])[0]
    assert dict(after.logits) == pytest.approx(dict(alone.logits), abs=1e-4)


def test_what_is_not_one_image_has_no_embedding_and_fails_alone(
    folder_of: Callable[[str], Path], pictures: list[Picture], tmp_path: Path
) -> None:
    broken = tmp_path / "broken.png"
    broken.write_bytes(b"no image")
    asked = [
        embed(pictures[0]),
        embed("a dog"),
        embed(pictures[1], pictures[2]),
        embed(pictures[1], "a dog"),
        embed(Picture(str(broken), "0" * 64)),
    ]
    model, looks = opened(folder_of("llava"))
    good, *others, damaged = model.respond(asked)
    assert good.failure is None
    assert len(good.embedding) == 32
    refused = "a vision-language model embeds one image at a time and no text; ask it about captions"
    assert [other.failure for other in others] == [refused] * 3
    assert str(damaged.failure).startswith("broken.png is damaged")
    assert looks == [1]
