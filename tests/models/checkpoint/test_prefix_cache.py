"""What is asked about a photo that was just looked at goes on from its tokens, and the answers are the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from qbench.models import ModelOptions, SpeedUps, open_model
from qbench.models.checkpoint import vlm, weights
from qbench.models.checkpoint.vlm import Vlm
from qbench.records import Picture, Prompt, Response

WORDS = ("good", "poor", "excellent")
"""The last has several tokens."""


def opened(folder: Path, *, prefix_cache: bool = True) -> tuple[Vlm, list[int]]:
    """A model, and the number of tokens of every reading to come."""
    model = open_model(str(folder), ModelOptions(speed_ups=SpeedUps(prefix_cache=prefix_cache)))
    assert isinstance(model, Vlm)
    read: list[int] = []
    model.network.model.register_forward_pre_hook(
        lambda _, __, given: read.append(given["input_ids"].numel()), with_kwargs=True
    )
    return model, read


def weigh(*pictures: Picture, text: str = "Rate the quality of the image.") -> Prompt:
    return Prompt("words", (*pictures, text), words=WORDS[:2], prefill="The quality is")


def same(first: Response, second: Response) -> None:
    assert (first.failure, first.text) == (None, second.text)
    assert dict(first.logits) == pytest.approx(dict(second.logits), abs=1e-4)
    assert dict(first.losses) == pytest.approx(dict(second.losses), abs=1e-4)


def test_the_rest_is_asked_without_reading_the_photo_again(
    folder_of: Callable[[str], Path], pictures: list[Picture]
) -> None:
    model, read = opened(folder_of("llava"))
    asked = [
        [weigh(pictures[0])],
        [weigh(pictures[0], text=text) for text in ("Is it sharp?", "What is its exposure like?", "Rate the colors.")],
        [Prompt("text", (pictures[0], "Describe the image."), max_tokens=1)],
        [weigh(pictures[0], text="Rate the quality of the image and its sharpness.")],
        [weigh(pictures[0])],
        [replace(weigh(pictures[0], text="Is it noisy?"), words=WORDS)],
        [replace(weigh(pictures[0], text="Is it dark?"), words=WORDS, want="losses")],
    ]
    answers = [model.respond(prompts) for prompts in asked]
    whole, questions = read[:2]
    assert whole > 16, "the photo takes 16 tokens"
    longest = max(len(model.network.tokens(prompt.text)) for prompt in model.network.render(asked[1]))
    assert questions < 3 * longest, "of each question, less than its text with one mark for the photo"
    assert read[4] == 1, "of a prompt that was read before, the token whose logits are wanted"
    for prompts, given in zip(asked, answers, strict=True):
        for prompt, answer in zip(prompts, given, strict=True):
            same(answer, opened(folder_of("llava"), prefix_cache=False)[0].respond([prompt])[0])


def test_other_photos_and_another_order_are_read_in_full(
    folder_of: Callable[[str], Path], pictures: list[Picture]
) -> None:
    first, second = pictures[:2]
    model, read = opened(folder_of("llava"))
    pairs = [(first,), (second,), (first,), (first, second), (second, first), (first, second)]
    asked = [weigh(*pair) for pair in pairs]
    answers = [model.respond([prompt])[0] for prompt in asked]
    assert read[0] == read[1] == read[2]
    assert read[3] == read[4] == read[5] == read[0] + 16 + 1, "another photo's tokens and the space before them"
    for prompt, answer in zip(asked, answers, strict=True):
        same(answer, opened(folder_of("llava"), prefix_cache=False)[0].respond([prompt])[0])
    assert dict(answers[3].logits) != dict(answers[4].logits)
    several = [weigh(picture, text="Is it sharp?") for picture in (first, second)]
    for prompt, answer in zip(several, model.respond(several), strict=True):
        same(answer, opened(folder_of("llava"), prefix_cache=False)[0].respond([prompt])[0])


def test_what_was_read_is_not_changed_by_going_on(folder_of: Callable[[str], Path], pictures: list[Picture]) -> None:
    model, _ = opened(folder_of("llava"))
    model.respond([weigh(pictures[0])])
    question = weigh(pictures[0], text="Is it sharp?")
    first = model.respond([question])[0]
    model.respond([question, weigh(pictures[0], text="Is the image noisy?")])
    model.respond([Prompt("text", (pictures[0], "Describe the image."), max_tokens=8)])
    assert dict(model.respond([question])[0].logits) == dict(first.logits)


def test_in_half_precision_everything_is_read(
    folder_of: Callable[[str], Path], pictures: list[Picture], monkeypatch: pytest.MonkeyPatch
) -> None:
    load = weights.load_weights
    monkeypatch.setattr(vlm, "load_weights", lambda checkpoint, maker, _: load(checkpoint, maker, torch.bfloat16))
    model, read = opened(folder_of("llava"))
    assert model.network.model.dtype == torch.bfloat16
    for prompt in (weigh(pictures[0]), weigh(pictures[0])):
        assert model.respond([prompt])[0].failure is None
    assert read[0] == read[1] > 16
