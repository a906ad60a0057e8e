"""What the tests of vision-language checkpoints ask."""

from __future__ import annotations

import pytest

from qbench.records import Picture, Prompt, Want

SEVERAL_IMAGES = ("llava", "llava-next", "qwen2-vl", "idefics", "idefics2", "idefics3", "gemma3")
ONE_IMAGE = ("instructblip-t5", "instructblip-vicuna", "blip2-opt", "kosmos2")
KINDS = SEVERAL_IMAGES + ONE_IMAGE
"""Architectures of `tests.models.tiny` that write, by the images that they take in a prompt."""
MORE = pytest.mark.slow(reason="many checkpoints are built and read")
QUICK = ("llava", "qwen2-vl", "idefics", "gemma3", "instructblip-t5")
"""One of each way of taking in images; the others come with the slow tests."""
QUICK_OR_SLOW = [kind if kind in QUICK else pytest.param(kind, marks=MORE) for kind in KINDS]
WORDS = ("good", "poor", "A", "excellent")
"""The last has several tokens in every tiny tokenizer."""
PREFILL = "The quality of the image is"


def mixed(kind: str, pictures: list[Picture], want: Want) -> list[Prompt]:
    """Prompts that differ in image size, text length, system text and, where the model allows, number of images."""
    asked = []
    for number, picture in enumerate(pictures):
        parts: tuple[str | Picture, ...] = (picture, "Rate the quality of the image." + " The first image." * number)
        if kind not in ONE_IMAGE and number % 2:
            parts = ("The first image:", picture, "The second image:", pictures[number - 1], "Which image is better?")
        system = "You are a judge." if number == 2 else ""
        asked.append(Prompt(want, parts, words=WORDS, prefill=PREFILL, system=system, max_tokens=5))
    return asked
