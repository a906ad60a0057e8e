"""Pairs that begin with the same image read it once, whatever comes after; logits are those of reading all of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest
import torch

from qbench.models import NO_SPEED_UPS, ModelOptions, SpeedUps, open_model
from qbench.models.checkpoint import first_image_cache
from qbench.models.checkpoint.vlm import Vlm
from qbench.prompts import COMPARISONS
from qbench.records import Picture, Prompt, Response

KINDS = ("llava", "fast-vlm", "qwen2-vl", "qwen2.5-vl", "qwen3-vl")


def opened(folder: Path, speed_ups: SpeedUps) -> tuple[Vlm, list[int]]:
    """A model, and how many tokens each reading to come takes."""
    model = open_model(str(folder), ModelOptions(speed_ups=speed_ups))
    assert isinstance(model, Vlm)
    read: list[int] = []
    model.network.model.register_forward_pre_hook(
        lambda _, __, given: read.append(given["input_ids"].numel()), with_kwargs=True
    )
    return model, read


def ask(first: Picture, second: Picture) -> Prompt:
    return Prompt("words", COMPARISONS["code"](first, second), words=("A", "B", "excellent"))


def logits(model: Vlm, prompts: list[Prompt]) -> list[Response]:
    answers = model.respond(prompts)
    assert not any(answer.failure for answer in answers)
    return answers


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("alone", [True, False], ids=["alone", "with the others"])
def test_pairs_have_the_logits_of_reading_them_in_full(
    kind: str, alone: bool, folder_of: Callable[[str], Path], pictures: list[Picture]
) -> None:
    pairs = [ask(first, second) for first, second in permutations(pictures[:4], 2)]
    plain, whole = opened(folder_of(kind), NO_SPEED_UPS)
    model, read = opened(folder_of(kind), replace(NO_SPEED_UPS, prefix_cache=True) if alone else SpeedUps())
    # Batches of many first images, of one, and of pairs that were asked before.
    for batch in (pairs[::3], pairs[:3], pairs, pairs[::-1]):
        for shared, expected in zip(logits(model, batch), logits(plain, batch), strict=True):
            assert dict(shared.logits) == pytest.approx(dict(expected.logits), abs=1e-4)
    assert sum(read) < sum(whole)


def test_each_first_image_is_read_once(folder_of: Callable[[str], Path], pictures: list[Picture]) -> None:
    model, read = opened(folder_of("llava"), SpeedUps(shared_reading=False))
    one, two, three = pictures[:3]
    pairs = [replace(ask(*pair), words=("A", "B")) for pair in ((one, two), (one, three), (two, three), (two, one))]
    logits(model, pairs)
    beginning = read[0] // 2  # of two first images
    assert beginning > 16
    assert len(read) == 2
    logits(model, pairs)
    assert len(read) == 3 and read[2] == read[1], "nothing but what follows the first image"


@pytest.mark.parametrize("images", [0, 1, 2])
def test_no_more_is_kept_than_fits(
    images: int, folder_of: Callable[[str], Path], pictures: list[Picture], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, _ = opened(folder_of("llava"), NO_SPEED_UPS)
    network = model.network
    cache = first_image_cache.FirstImageCache(network, network.read)

    def read(*pairs: tuple[Picture, Picture]) -> torch.Tensor:
        prompts = network.render([replace(ask(*pair), words=()) for pair in pairs])
        inputs = network.prepare(prompts, [""] * len(pairs), "right")
        last = inputs["input_ids"].shape[1] - 1
        assert torch.allclose(cache.read(prompts, inputs, [last]), network.read(prompts, inputs, [last]), atol=1e-4)

    one, two, three = pictures[:3]
    read((one, two), (one, three))
    each = cache.bytes
    assert each > 0
    cache = first_image_cache.FirstImageCache(network, network.read, most_bytes=each * images)
    for _ in range(2):
        read((one, two), (two, three), (three, one), (one, three))
        assert cache.bytes == each * images


def test_others_are_read_in_full(folder_of: Callable[[str], Path], pictures: list[Picture]) -> None:
    pairs = [ask(*pair) for pair in permutations(pictures[:2], 2)]
    for kind in ("gemma3", "idefics3"):  # layers that forget; an image in several pieces
        model, read = opened(folder_of(kind), SpeedUps(shared_reading=False))
        plain, whole = opened(folder_of(kind), NO_SPEED_UPS)
        logits(model, pairs), logits(plain, pairs)
        assert read == whole
