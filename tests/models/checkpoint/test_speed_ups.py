"""Every speed-up alone, all but it, and all together answer as the plain way does; and each saves what it is for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from qbench.models import NO_SPEED_UPS, ModelOptions, SpeedUps, open_model
from qbench.models.checkpoint import image_cache, network
from qbench.models.checkpoint.vlm import Vlm
from qbench.records import Picture, Prompt, Response
from tests.models.checkpoint.prompts import ONE_IMAGE, PREFILL, SEVERAL_IMAGES

SPEED_UPS = [field.name for field in fields(SpeedUps)]
TOLERANCE = 1e-4


@dataclass
class Work:
    """What was done to answer."""

    tokens: int = 0
    """That the decoder read."""
    images: int = 0
    """That the vision encoder saw."""
    prepared_aside: int = 0
    """Batches prepared by another thread."""


SAVES = {
    "image_feature_cache": "images",
    "prefix_cache": "tokens",
    "shared_reading": "tokens",
}


def batches(kind: str, pictures: Sequence[Picture]) -> list[list[Prompt]]:
    """Questions that give every speed-up something to do."""
    first, second, third = pictures[:3]

    def ask(*shown: Picture, text: str = "Rate the quality of the image.", **more: Any) -> Prompt:
        return Prompt(
            **{"want": "words", "parts": (*shown, text), "words": ("good", "poor"), "prefill": PREFILL, **more}
        )

    describe = replace(ask(first, text="Describe the image."), want="text", words=(), prefill="", max_tokens=12)
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
        *([replace(describe, parts=(picture, "Describe the image."))] for picture in (second, third, first)),
        [replace(describe, parts=(second, "Describe the image.")), replace(describe, prefill=PREFILL)],
        [replace(describe, repeat=1), replace(describe, repeat=2)],
    ]
    if kind in SEVERAL_IMAGES:
        pair = [ask(first, second, text="Which is better?"), ask(second, first, text="Which is better?")]
        asked += [pair, [pair[0], ask(third)], [pair[0]]]
    if kind == "llava":
        asked += [[Prompt("embedding", (picture,)) for picture in (first, third, first)]]
    return asked


def answer(
    kind: str, folder: Path, pictures: Sequence[Picture], speed_ups: SpeedUps, monkeypatch: pytest.MonkeyPatch
) -> tuple[list[Response], Work]:
    work = Work()
    with monkeypatch.context() as patch:
        for owner, name in ((network.Network, "prepare"), (image_cache.ImageFeatureCache, "prepare")):
            patch.setattr(owner, name, _count_threads(getattr(owner, name), work))
        model = open_model(str(folder), ModelOptions(speed_ups=speed_ups))
        assert isinstance(model, Vlm)
        model.network.model.register_forward_pre_hook(_count_reading(work), with_kwargs=True)
        if kind == "llava":
            tower = model.network.model.model.vision_tower
            tower.register_forward_pre_hook(lambda _, given: setattr(work, "images", work.images + len(given[0])))
        answers: list[Response] = []
        asked = batches(kind, pictures)
        for batch, following in zip(asked, [*asked[1:], []], strict=True):
            model.expect(following)
            answers += model.respond(batch)
    return answers, work


def _count_threads(prepare: Callable[..., Any], work: Work) -> Callable[..., Any]:
    def counted(*arguments: Any) -> Any:
        work.prepared_aside += threading.current_thread() is not threading.main_thread()
        return prepare(*arguments)

    return counted


def _count_reading(work: Work) -> Callable[..., None]:
    def counted(_: Any, __: Any, given: dict[str, Any]) -> None:
        read = given.get("decoder_input_ids", given["input_ids"])
        work.tokens += read.numel()

    return counted


def assert_same(answers: Sequence[Response], plain: Sequence[Response]) -> None:
    for ours, expected in zip(answers, plain, strict=True):
        assert (ours.failure, ours.text, ours.note, ours.usage) == (None, expected.text, expected.note, expected.usage)
        assert dict(ours.logits) == pytest.approx(dict(expected.logits), abs=TOLERANCE)
        assert dict(ours.losses) == pytest.approx(dict(expected.losses), abs=TOLERANCE)
        assert list(ours.embedding) == pytest.approx(list(expected.embedding), abs=TOLERANCE)


Plain = Callable[[str], tuple[list[Response], Work]]


@pytest.fixture(scope="module")
def plainly(folder_of: Callable[[str], Path], pictures: list[Picture]) -> Plain:
    """Kind of architecture -> the answers without any speed-up, and the work they took."""
    with pytest.MonkeyPatch.context() as patch:
        return cache(lambda kind: answer(kind, folder_of(kind), pictures, NO_SPEED_UPS, patch))


@pytest.mark.parametrize("kind", [*SEVERAL_IMAGES, *ONE_IMAGE])
def test_all_together_answer_as_none_does(
    kind: str,
    folder_of: Callable[[str], Path],
    pictures: list[Picture],
    plainly: Plain,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers, _ = answer(kind, folder_of(kind), pictures, SpeedUps(), monkeypatch)
    assert_same(answers, plainly(kind)[0])


@pytest.mark.parametrize("name", SPEED_UPS)
@pytest.mark.parametrize("kind", ["llava", "qwen2-vl"])
def test_each_alone_and_all_but_it_answer_as_none_does(
    kind: str,
    name: str,
    folder_of: Callable[[str], Path],
    pictures: list[Picture],
    plainly: Plain,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain, _ = plainly(kind)
    for speed_ups in (replace(NO_SPEED_UPS, **{name: True}), replace(SpeedUps(), **{name: False})):
        answers, _ = answer(kind, folder_of(kind), pictures, speed_ups, monkeypatch)
        assert_same(answers, plain)


@pytest.mark.parametrize("name", SPEED_UPS)
def test_each_saves_what_it_is_for_and_nothing_once_it_is_off(
    name: str,
    folder_of: Callable[[str], Path],
    pictures: list[Picture],
    plainly: Plain,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, plain = plainly("llava")
    _, alone = answer("llava", folder_of("llava"), pictures, replace(NO_SPEED_UPS, **{name: True}), monkeypatch)
    _, everything = answer("llava", folder_of("llava"), pictures, SpeedUps(), monkeypatch)
    _, without = answer("llava", folder_of("llava"), pictures, replace(SpeedUps(), **{name: False}), monkeypatch)
    if name == "prefetch":
        assert plain.prepared_aside == without.prepared_aside == 0
        assert alone.prepared_aside > 0 and everything.prepared_aside > 0
    else:
        assert getattr(alone, SAVES[name]) < getattr(plain, SAVES[name])
        assert getattr(everything, SAVES[name]) < getattr(without, SAVES[name])
