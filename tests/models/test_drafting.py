"""Guesses of what a model writes next change how often it is read, never what it writes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import qbench
from qbench import prompts
from qbench.images import open_picture
from qbench.models import Model, open_model
from qbench.models.drafting import DRAFTING, Drafts, can_draft
from qbench.models.vlm import Vlm
from qbench.records import Picture, Prompt

Open = Callable[[str], Model]
KINDS = sorted(kind.replace("_", "-") for kind in DRAFTING)
PHOTOS = sorted((Path(qbench.__file__).parent / "datasets" / "demo" / "photos").glob("*.jpg"))


def asked(pictures: list[Picture], most: int = 24) -> list[Prompt]:
    return [Prompt("text", (one, prompts.DESCRIBE), max_tokens=most) for one in pictures]


def vlm(name: str) -> Vlm:
    model = open_model(name)
    assert isinstance(model, Vlm)
    return model


def passes_of(model: Vlm, prompt: Prompt) -> tuple[str | None, int]:
    """What it answers, and how often it was read for that."""
    passes: list[int] = []
    hook = model._model.register_forward_hook(lambda *_: passes.append(1))
    answer = model.respond([prompt])[0].text
    hook.remove()
    return answer, len(passes)


def test_a_guess_goes_on_as_the_latest_text_with_the_longest_likeness_did() -> None:
    drafts = Drafts()
    assert drafts.guess([1]) == ()
    drafts.keep([1, 2, 3, 4, 0])
    drafts.keep([9, 2, 3, 7, 0])
    assert drafts.guess([5, 6]) == ()
    assert drafts.guess([8, 3]) == [7, 0]
    assert drafts.guess([1, 2, 3]) == [4, 0]
    assert drafts.guess([7, 0]) == (), "nothing follows the end"
    drafts.keep([1, 2, 3, 4, 0])
    assert drafts.guess([8, 3]) == [4, 0], "a text that came again is the latest"


def test_a_guess_is_not_endless_and_texts_are_forgotten() -> None:
    drafts = Drafts()
    drafts.keep(list(range(100)))
    assert drafts.guess([4]) == list(range(5, 21))
    for number in range(32):
        drafts.keep([1000 + number])
    assert drafts.guess([4]) == ()


@pytest.mark.parametrize("kind", KINDS)
def test_it_writes_what_the_checkpoint_writes_by_itself(
    kind: str, folder_of: Callable[[str], Path], pictures: list[Picture]
) -> None:
    model = vlm(str(folder_of(kind)))
    questions = asked(pictures)
    drafts, model._drafts = model._drafts, None
    plain = [model.respond([one])[0].text for one in questions]
    assert len(set(plain)) > 1
    model._drafts = drafts
    for _ in range(2):
        assert [model.respond([one])[0].text for one in questions] == plain


def test_wrong_guesses_are_dropped_wherever_they_go_wrong(
    folder_of: Callable[[str], Path], pictures: list[Picture]
) -> None:
    model = vlm(str(folder_of("llava")))
    (prompt,) = asked(pictures[:1])
    plain, _ = passes_of(model, prompt)
    assert model._drafts
    (written,) = model._drafts._texts
    for wrong in range(len(written)):
        model._drafts = Drafts()
        model._drafts.keep([*written[:wrong], (written[wrong] + 1) % 100, *written[wrong + 1 :]])
        assert model.respond([prompt])[0].text == plain


def test_it_stops_where_the_text_ends_or_is_long_enough(
    folder_of: Callable[[str], Path], pictures: list[Picture]
) -> None:
    model = vlm(str(folder_of("llava")))
    (prompt,) = asked(pictures[:1])
    model.respond([prompt])
    assert model._drafts
    (written,) = model._drafts._texts
    assert len(written) == prompt.max_tokens
    model.respond(asked(pictures[:1], most=7))
    assert model._drafts._texts[0] == written[:7]
    place = max(written.index(token) for token in set(written))
    model._model.generation_config.eos_token_id = [written[place], 99_999]
    model.respond([prompt])
    assert model._drafts._texts[0] == written[: place + 1]


def test_a_description_like_those_before_takes_few_readings() -> None:
    model = vlm("nano-vlm")
    first, second = asked([open_picture(path) for path in PHOTOS[:2]], most=64)
    text, passes = passes_of(model, first)
    assert len(text or "") > 50
    assert passes > 25
    again, fewer = passes_of(model, first)
    assert again == text
    assert fewer <= 1 + 64 // 17
    model._drafts, drafts = None, model._drafts
    plain = model.respond([second])[0].text
    model._drafts = drafts
    assert passes_of(model, second)[0] == plain


def test_where_a_guess_could_change_the_text_none_is_made(folder_of: Callable[[str], Path]) -> None:
    network = vlm(str(folder_of("llava")))._model
    assert can_draft(network)
    network.generation_config.repetition_penalty = 1.1
    assert not can_draft(network)
    network.generation_config.repetition_penalty = None
    assert can_draft(network)
    network.to(torch.bfloat16)
    assert not can_draft(network)
    assert not can_draft(vlm(str(folder_of("gemma3")))._model), "the windows of its layers cannot be wound back"
