"""What is kept, shared and prepared ahead: answers are those of the plain way, and each saves what it is for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image

from qbench.images import open_picture
from qbench.models import ModelOptions, open_model
from qbench.models.checkpoint import speed_ups, vlm, weights
from qbench.models.checkpoint.vlm import Vlm
from qbench.records import Picture, Prompt, Response
from tests.models.checkpoint.prompts import KINDS, PREFILL, SEVERAL_IMAGES, mixed

Folders = Callable[[str], Path]


def opened(folder: Path, *, quick: bool = True) -> Vlm:
    model = open_model(str(folder), ModelOptions(speed_ups=quick))
    assert isinstance(model, Vlm)
    return model


def reading(model: Vlm) -> list[int]:
    """The number of tokens of every reading to come."""
    read: list[int] = []
    model.network.model.register_forward_pre_hook(
        lambda _, __, given: read.append(given["input_ids"].numel()), with_kwargs=True
    )
    return read


def looking(model: Vlm) -> list[int]:
    """How many pictures the eye sees at each look to come."""
    looks: list[int] = []
    tower = model.network.model.model.vision_tower
    tower.register_forward_hook(lambda _eye, shown, _seen: looks.append(len(shown[0])))
    return looks


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


@pytest.mark.parametrize("kind", KINDS)
def test_answers_are_those_of_the_plain_way(kind: str, folder_of: Folders, pictures: list[Picture]) -> None:
    quick, plain = opened(folder_of(kind)), opened(folder_of(kind), quick=False)
    asked = batches(kind, pictures)
    for batch, following in zip(asked, [*asked[1:], []], strict=True):
        quick.expect(following)
        same(quick.respond(batch), plain.respond(batch))


# --- the tokens of images


def test_a_picture_is_looked_at_once_and_those_of_longest_ago_are_forgotten(
    folder_of: Folders, pictures: list[Picture], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third, fourth = pictures[:4]
    monkeypatch.setattr(speed_ups, "_KEPT_IMAGES", 3)
    model = opened(folder_of("llava"))
    looks = looking(model)
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


# --- the beginning that a prompt shares with the last one


def test_the_rest_is_asked_without_reading_the_photo_again(folder_of: Folders, pictures: list[Picture]) -> None:
    model, plain = opened(folder_of("llava")), opened(folder_of("llava"), quick=False)
    read = reading(model)
    asked = [
        [ask(pictures[0])],
        [ask(pictures[0], text=text) for text in ("Is it sharp?", "What is its exposure like?", "Rate the colors.")],
        [ask(pictures[0])],
    ]
    for prompts in asked:
        same(model.respond(prompts), [plain.respond([prompt])[0] for prompt in prompts])
    whole, questions, again = read
    assert whole > 16, "the photo takes 16 tokens"
    longest = max(len(model.network.tokens(prompt.text)) for prompt in model.network.render(asked[1]))
    assert questions < 3 * longest, "of each question, less than its text with one mark for the photo"
    assert again == 1, "of a prompt that was read before, the token whose logits are wanted"
    first = dict(model.respond(asked[1][:1])[0].logits)
    model.respond([asked[1][1], asked[1][2]])
    assert dict(model.respond(asked[1][:1])[0].logits) == first, "what was read is not changed by going on"


def test_other_photos_and_another_order_are_read_in_full(folder_of: Folders, pictures: list[Picture]) -> None:
    first, second = pictures[:2]
    model, plain = opened(folder_of("llava")), opened(folder_of("llava"), quick=False)
    read = reading(model)
    pairs = [(first,), (second,), (first,), (first, second), (second, first), (first, second)]
    answers = [model.respond([ask(*pair)])[0] for pair in pairs]
    assert read[0] == read[1] == read[2]
    assert read[3] == read[4] == read[5] == read[0] + 16 + 1, "another photo's tokens and the space before them"
    same(answers, [plain.respond([ask(*pair)])[0] for pair in pairs])
    assert dict(answers[3].logits) != dict(answers[4].logits)
    several = [ask(picture, text="Is it sharp?") for picture in (first, second)]
    same(model.respond(several), plain.respond(several))


def test_in_half_precision_everything_is_read(
    folder_of: Folders, pictures: list[Picture], monkeypatch: pytest.MonkeyPatch
) -> None:
    load = weights.load_weights
    monkeypatch.setattr(vlm, "load_weights", lambda checkpoint, maker, _: load(checkpoint, maker, torch.bfloat16))
    model = opened(folder_of("llava"))
    read = reading(model)
    for prompt in (ask(pictures[0]), ask(pictures[0])):
        assert model.respond([prompt])[0].failure is None
    assert read[0] == read[1] > 16


# --- one reading for all continuations of a prompt


def test_a_prompt_with_many_continuations_is_read_once(folder_of: Folders, pictures: list[Picture]) -> None:
    model = opened(folder_of("llava"))
    read = reading(model)
    prompt = Prompt("losses", (pictures[0], "Rate the quality of the image."), ("excellent", "good", "a bad one"))
    model.respond([prompt])
    first, then = read
    [text] = model.network.render([prompt])
    longest = max(len(continuation.tokens) for continuation in model.network.continuations(text, prompt.words))
    assert first > 20
    assert then == 3 * (longest - 1)


# --- the next batch, prepared meanwhile


@pytest.mark.parametrize("kind", ["llava", "instructblip-t5"])
def test_what_is_asked_next_is_prepared_by_another_thread(
    kind: str, folder_of: Folders, pictures: list[Picture], monkeypatch: pytest.MonkeyPatch
) -> None:
    by_main: list[bool] = []
    prepare = speed_ups.QuickNetwork._prepare_apart

    def watched(*arguments: Any) -> Any:
        by_main.append(threading.current_thread() is threading.main_thread())
        return prepare(*arguments)

    monkeypatch.setattr(speed_ups.QuickNetwork, "_prepare_apart", watched)
    model = opened(folder_of(kind))
    asked = [ask(picture) for picture in pictures]
    model.expect(asked[2:4])
    model.respond(asked[:2])
    model.expect(asked[:2])  # which is not what comes
    model.respond(asked[2:4])
    model.respond(asked[4:])
    assert by_main == [True, False, False, True]


def test_a_damaged_image_that_was_expected_fails_alone(
    folder_of: Folders, pictures: list[Picture], tmp_path: Path
) -> None:
    model, path = opened(folder_of("llava")), tmp_path / "cut.png"
    Image.new("RGB", (50, 50), "red").save(path)
    whole, broken = path.read_bytes(), open_picture(path)
    path.write_bytes(whole[: len(whole) // 2])
    asked = [ask(picture) for picture in (pictures[0], broken, pictures[1])]
    model.expect(asked[1:])
    assert model.respond(asked[:1])[0].failure is None
    damaged, fine = model.respond(asked[1:])
    assert "cut.png is damaged" in (damaged.failure or "")
    assert fine.failure is None
