"""What is kept, shared and looked at in larger steps: answers stay those of the plain way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForImageTextToText

from qbench.models import ModelOptions, open_model
from qbench.models.checkpoint import network as networks
from qbench.models.checkpoint.vision_towers import BY_LENGTH, speed_up_vision
from qbench.records import Picture, Prompt, Response
from tests.models.checkpoint.prompts import KINDS, MORE, PREFILL, SEVERAL_IMAGES, mixed

Folders = Callable[[str], Path]


def opened(folder: Path, *, quick: bool = True) -> Any:
    model: Any = open_model(str(folder), ModelOptions())
    model.network.shares = quick
    return model


def ask(*shown: Picture, text: str = "Rate the quality of the image.", **more: Any) -> Prompt:
    usual = {"want": "words", "words": ("good", "poor"), "prefill": PREFILL}
    return Prompt(parts=(*shown, text), **{**usual, **more})


def same(answers: Iterable[Response], plain: Iterable[Response]) -> None:
    for ours, expected in zip(answers, plain, strict=True):
        assert (ours.failure, ours.text, ours.note, ours.usage) == (None, expected.text, expected.note, expected.usage)
        assert dict(ours.logits) == pytest.approx(dict(expected.logits), abs=1e-4)
        assert dict(ours.losses) == pytest.approx(dict(expected.losses), abs=1e-4)
        assert list(ours.embedding) == pytest.approx(list(expected.embedding), abs=1e-4)


def batches(kind: str, pictures: Sequence[Picture]) -> list[list[Prompt]]:
    """Questions that give every speed-up something to do."""
    first, second, third = pictures[:3]
    describe = ask(first, text="Describe the image.", want="text", words=(), prefill="", max_tokens=12)
    asked = [
        [ask(first)],
        [ask(first, text=text) for text in ("Is it sharp?", "What is its exposure like?", "Rate the colors.")],
        [ask(picture, text="Is it sharp?") for picture in (second, third)],
        [ask(picture, words=("good", "excellent", "bad")) for picture in (second, third)],
        [ask(second, want="losses", words=("very good", "good", "excellent"))],
        [ask(second, want="losses", words=("very good", "good", "excellent")), ask(third, want="losses", words=("A",))],
        [ask(picture, want="losses", words=("very good", "good")) for picture in (third, second, first, third)],
        [describe],
        [describe],
        [replace(describe, parts=(second, "Describe the image.")), replace(describe, prefill=PREFILL)],
        [replace(describe, repeat=1), replace(describe, repeat=2)],
    ]
    if kind in SEVERAL_IMAGES:
        pair = [ask(first, second, text="Which is better?"), ask(second, first, text="Which is better?")]
        asked += [pair, [pair[0], ask(third)], [pair[0]], mixed(kind, list(pictures), "losses")]
    if kind == "llava":
        asked += [[Prompt("embedding", (picture,)) for picture in (first, third, first)]]
    return asked


SHARING = ("llava", "qwen2-vl", "gemma3")
"""They share readings; the first keeps tokens of images too, and the second has windows."""


@pytest.mark.parametrize("kind", [kind if kind in SHARING else pytest.param(kind, marks=MORE) for kind in KINDS])
def test_answers_are_those_of_the_plain_way(kind: str, folder_of: Folders, pictures: list[Picture]) -> None:
    quick, plain = opened(folder_of(kind)), opened(folder_of(kind), quick=False)
    for batch in batches(kind, pictures):
        same(quick.respond(batch), plain.respond(batch))


# --- the tokens of images


def test_a_picture_is_looked_at_once_and_those_of_longest_ago_are_forgotten(
    folder_of: Folders, pictures: list[Picture], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third, fourth = pictures[:4]
    monkeypatch.setattr(networks, "_KEPT_IMAGES", 3)
    model = opened(folder_of("llava"))
    looks: list[int] = []  # how many pictures the eye sees at each
    tower = model.network.model.model.vision_tower
    tower.register_forward_hook(lambda _eye, shown, _seen: looks.append(len(shown[0])))
    model.respond([ask(first, second), ask(second, first)])
    model.respond([ask(first), ask(third)])
    model.respond([ask(third, want="text", words=(), max_tokens=3)])
    model.respond([Prompt("embedding", (picture,)) for picture in (second, first, third)])
    assert looks == [1, 1, 1]
    model.respond([ask(fourth)])
    model.respond([ask(first)])
    assert looks == [1, 1, 1, 1]
    model.respond([ask(second)])
    assert looks == [1, 1, 1, 1, 1]


# --- one reading for all continuations of a prompt


def test_what_is_kept_of_a_picture_holds_no_other_in_memory(
    folder_of: Folders, pictures: list[Picture], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("qbench.models.checkpoint.network.images_at_once", lambda _device: 8)  # as on a GPU
    network = opened(folder_of("llava")).network
    for tokens in network.tokens_of(pictures[:3]):
        assert tokens.untyped_storage().nbytes() == tokens.numel() * tokens.element_size()


def test_a_prompt_with_many_continuations_is_read_once(folder_of: Folders, pictures: list[Picture]) -> None:
    model = opened(folder_of("llava"))
    read: list[int] = []  # how many tokens, at each reading
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


@pytest.mark.parametrize("kind", ["qwen2.5-vl", "qwen3-vl", "glm4v"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_an_encoder_gives_the_same_vectors_in_fewer_calls(
    kind: str, dtype: torch.dtype, folder_of: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = AutoModelForImageTextToText.from_pretrained(folder_of(kind), dtype=dtype).eval()
    settings = model.config.vision_config
    patch = settings.patch_size**2 * 3 * settings.temporal_patch_size
    grid = torch.tensor([[1, 10, 12]] * 3)  # three images of equal size
    pixels = torch.randn(int(grid.prod(dim=1).sum()), patch, generator=torch.Generator().manual_seed(2)).to(dtype)
    calls, attention = [0], torch.nn.functional.scaled_dot_product_attention

    def counted(*states: torch.Tensor, **settings: object) -> torch.Tensor:
        calls[0] += 1
        return attention(*states, **settings)

    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", counted)

    def vectors() -> tuple[torch.Tensor, int]:
        calls[0] = 0
        with torch.inference_mode():
            features = model.get_image_features(pixel_values=pixels, image_grid_thw=grid).pooler_output
        return torch.cat(list(features)), calls[0]

    alone, calls_alone = vectors()
    speed_up_vision(model)
    assert settings._attn_implementation == BY_LENGTH
    assert model.config.get_text_config()._attn_implementation == "sdpa"
    together, calls_together = vectors()
    torch.testing.assert_close(together, alone, rtol=0, atol=1e-5 if dtype == torch.float32 else 0.05)
    # Three images of 10 x 12 patches, two layers; Qwen2.5-VL's first cuts each into nine windows, 4 x 4 and 2 x 4.
    expected = (3 * 9 + 3, 2 + 1) if kind == "qwen2.5-vl" else (3 + 3, 1 + 1)
    assert (calls_alone, calls_together) == expected
