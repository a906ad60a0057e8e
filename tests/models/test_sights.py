"""A picture that is shown again is not looked at again, and the answers are the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from qbench.models import open_model
from qbench.models.vlm import Vlm
from qbench.records import Picture, Prompt


def opened(folder: Path) -> tuple[Vlm, list[int]]:
    """A model, and how many pictures its eye saw at each look."""
    model, looks = open_model(str(folder)), list[int]()
    assert isinstance(model, Vlm)
    model._model.model.vision_tower.register_forward_hook(lambda _eye, shown, _seen: looks.append(len(shown[0])))
    return model, looks


def weigh(*parts: str | Picture) -> Prompt:
    return Prompt("words", parts, words=("A", "B"))


def test_a_picture_is_looked_at_once(folder_of: Callable[[str], Path], pictures: list[Picture]) -> None:
    first, second, third = pictures[:3]
    model, looks = opened(folder_of("llava"))
    both = [weigh(first, second, "Which is better?"), weigh(second, first, "Which is better?")]
    asked = [*both, weigh(first, "Is it sharp?"), weigh(third, "Is it sharp?")]
    answers = [*model.respond(both), *model.respond(asked[2:])]
    assert looks == [2, 1]
    text = Prompt("text", (third, "Describe it."), max_tokens=3)
    written = model.respond([text])[0].text
    assert looks == [2, 1]
    for prompt, answer in zip(asked, answers, strict=True):
        alone, _ = opened(folder_of("llava"))
        assert dict(answer.logits) == pytest.approx(dict(alone.respond([prompt])[0].logits), abs=1e-4)
    assert opened(folder_of("llava"))[0].respond([text])[0].text == written


def test_the_pictures_of_longest_ago_are_forgotten(
    folder_of: Callable[[str], Path], pictures: list[Picture], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("qbench.models.sights._KEPT", 2)
    model, looks = opened(folder_of("llava"))
    for picture in (*pictures[:2], pictures[0], pictures[2], pictures[0], pictures[1]):
        model.respond([weigh(picture, "Is it sharp?")])
    assert looks == [1, 1, 1, 1]
