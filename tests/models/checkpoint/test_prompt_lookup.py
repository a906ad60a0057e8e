"""Guesses of what a model writes next change how often it is read, never what it writes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

import qbench
from qbench import prompts
from qbench.images import open_picture
from qbench.models import ModelOptions, SpeedUps, open_model
from qbench.models.checkpoint.prompt_lookup import PROMPT_LOOKUP_MODEL_TYPES, PromptLookup, supports_prompt_lookup
from qbench.models.checkpoint.vlm import Vlm
from qbench.records import Picture, Prompt

KINDS = sorted(kind.replace("_", "-") for kind in PROMPT_LOOKUP_MODEL_TYPES)
PHOTOS = sorted((Path(qbench.__file__).parent / "datasets" / "demo" / "photos").glob("*.jpg"))


def asked(pictures: list[Picture], most: int = 24) -> list[Prompt]:
    return [Prompt("text", (picture, prompts.DESCRIBE), max_tokens=most) for picture in pictures]


def vlm(name: str, *, prompt_lookup: bool = True) -> Vlm:
    model = open_model(name, ModelOptions(speed_ups=SpeedUps(prompt_lookup=prompt_lookup)))
    assert isinstance(model, Vlm)
    return model


def empty_lookup() -> PromptLookup:
    return PromptLookup(None, pytest.fail)


def write_by(model: Vlm, *texts: list[int]) -> PromptLookup:
    """Let a model write by a lookup that the test holds, with texts that it has seen."""
    lookup = PromptLookup(model.network.model, model.network.write)
    for text in texts:
        lookup.add(text)
    model.steps = replace(model.steps, write=lookup.write)
    return lookup


def passes_of(model: Vlm, prompt: Prompt) -> tuple[str | None, int]:
    """What it answers, and how often it was read for that."""
    passes: list[int] = []
    hook = model.network.model.register_forward_hook(lambda *_: passes.append(1))
    answer = model.respond([prompt])[0].text
    hook.remove()
    return answer, len(passes)


def test_a_guess_goes_on_as_the_latest_text_with_the_longest_likeness_did() -> None:
    lookup = empty_lookup()
    assert lookup.guess([1]) == ()
    lookup.add([1, 2, 3, 4, 0])
    lookup.add([9, 2, 3, 7, 0])
    assert lookup.guess([5, 6]) == ()
    assert lookup.guess([8, 3]) == [7, 0]
    assert lookup.guess([1, 2, 3]) == [4, 0]
    assert lookup.guess([7, 0]) == (), "nothing follows the end"
    lookup.add([1, 2, 3, 4, 0])
    assert lookup.guess([8, 3]) == [4, 0], "a text that came again is the latest"


def test_a_guess_is_not_endless_and_texts_are_forgotten() -> None:
    lookup = empty_lookup()
    lookup.add(list(range(100)))
    assert lookup.guess([4]) == list(range(5, 21))
    for number in range(32):
        lookup.add([1000 + number])
    assert lookup.guess([4]) == ()


@pytest.mark.parametrize("kind", KINDS)
def test_it_writes_what_the_checkpoint_writes_by_itself(
    kind: str, folder_of: Callable[[str], Path], pictures: list[Picture]
) -> None:
    questions = asked(pictures)
    without = vlm(str(folder_of(kind)), prompt_lookup=False)
    plain = [without.respond([prompt])[0].text for prompt in questions]
    assert len(set(plain)) > 1
    model = vlm(str(folder_of(kind)))
    for _ in range(2):
        assert [model.respond([prompt])[0].text for prompt in questions] == plain
    _, passes = passes_of(without, questions[0])
    _, fewer = passes_of(model, questions[0])
    assert fewer < passes


def test_wrong_guesses_are_dropped_wherever_they_go_wrong(
    folder_of: Callable[[str], Path], pictures: list[Picture]
) -> None:
    model = vlm(str(folder_of("llava")))
    lookup = write_by(model)
    (prompt,) = asked(pictures[:1])
    plain, _ = passes_of(model, prompt)
    (written,) = lookup._texts
    for wrong in range(len(written)):
        write_by(model, [*written[:wrong], (written[wrong] + 1) % 100, *written[wrong + 1 :]])
        assert model.respond([prompt])[0].text == plain


def test_it_stops_where_the_text_ends_or_is_long_enough(
    folder_of: Callable[[str], Path], pictures: list[Picture]
) -> None:
    model = vlm(str(folder_of("llava")))
    lookup = write_by(model)
    (prompt,) = asked(pictures[:1])
    model.respond([prompt])
    (written,) = lookup._texts
    assert len(written) == prompt.max_tokens
    model.respond(asked(pictures[:1], most=7))
    assert lookup._texts[0] == written[:7]
    place = max(written.index(token) for token in set(written))
    model.network.model.generation_config.eos_token_id = [written[place], 99_999]
    model.respond([prompt])
    assert lookup._texts[0] == written[: place + 1]


def test_a_description_like_those_before_takes_few_readings() -> None:
    model = vlm("nano-vlm")
    first, second = asked([open_picture(path) for path in PHOTOS[:2]], most=64)
    text, passes = passes_of(model, first)
    assert len(text or "") > 50
    assert passes > 25
    again, fewer = passes_of(model, first)
    assert again == text
    assert fewer <= 1 + 64 // 17
    plain = vlm("nano-vlm", prompt_lookup=False).respond([second])[0].text
    assert passes_of(model, second)[0] == plain


def test_where_a_guess_could_change_the_text_none_is_made(folder_of: Callable[[str], Path]) -> None:
    network = vlm(str(folder_of("llava"))).network.model
    assert supports_prompt_lookup(network)
    network.generation_config.repetition_penalty = 1.1
    assert not supports_prompt_lookup(network)
    network.generation_config.repetition_penalty = None
    assert supports_prompt_lookup(network)
    network.to(torch.bfloat16)
    assert not supports_prompt_lookup(network)
    assert not supports_prompt_lookup(vlm(str(folder_of("gemma3"))).network.model), (
        "the windows of its layers cannot be wound back"
    )
