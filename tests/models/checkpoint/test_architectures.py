"""Today's architectures as tiny random checkpoints: each answers what perception, assessment and comparison ask."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
import transformers
from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES as LOADED

from qbench.models import Model
from qbench.records import Picture, Prompt, Want
from tests.models import tiny
from tests.models.tiny_today import NEEDS, TODAY

DOCUMENT = (Path(__file__).resolve().parents[3] / "docs" / "models.md").read_text(encoding="utf-8")

ALWAYS = ("qwen3-vl", "internvl")
"""Kinds that the quick tests build; the others come with the slow ones."""
KINDS = [
    pytest.param(
        kind,
        marks=[
            *([] if kind in ALWAYS else [pytest.mark.slow(reason="many checkpoints are built and read")]),
            pytest.mark.skipif(kind in NEEDS and not find_spec(NEEDS[kind]), reason=f"needs {NEEDS.get(kind)}"),
        ],
    )
    for kind in TODAY
]
WORDS = ("good", "poor", "excellent")
"""The last has several tokens."""
Ask = Callable[[Want, Picture, Picture], list[Prompt]]


def perception(want: Want, first: Picture, second: Picture) -> list[Prompt]:
    """Two questions with options, the second longer than the first."""
    asked = "Is it sharp?\nA. yes\nB. no\nAnswer with the option's letter from the given choices directly."
    return [
        Prompt(want, (first, asked), words=WORDS, max_tokens=4),
        Prompt(want, (second, f"The quick brown fox. {asked}"), words=WORDS, max_tokens=4),
    ]


def assessment(want: Want, first: Picture, second: Picture) -> list[Prompt]:
    """Q-Bench's question, with the beginning of the answer given."""
    asked = "Rate the quality of the image."
    return [
        Prompt(want, (picture, asked), words=WORDS, prefill="The quality of the image is", max_tokens=4)
        for picture in (first, second)
    ]


def comparison(want: Want, first: Picture, second: Picture) -> list[Prompt]:
    """The 2AFC question, in both orders."""
    return [
        Prompt(
            want,
            ("The first image:", left, "The second image:", right, "Which image has a better visual quality?"),
            words=WORDS,
            max_tokens=4,
        )
        for left, right in ((first, second), (second, first))
    ]


@pytest.mark.parametrize("want", ["text", "words", "losses"])
@pytest.mark.parametrize("ask", [perception, assessment, comparison], ids=lambda ask: ask.__name__)
@pytest.mark.parametrize("kind", KINDS)
def test_answers_together_are_those_given_alone(
    kind: str, ask: Ask, want: Want, opened: Callable[[str], Model], pictures: list[Picture]
) -> None:
    """Padding, positions and images of two sizes in one batch change nothing."""
    model, prompts = opened(kind), ask(want, pictures[0], pictures[1])
    together, alone = model.respond(prompts), [model.respond([prompt])[0] for prompt in prompts]
    assert [response.failure for response in together] == [None, None]
    for response, expected in zip(together, alone, strict=True):
        if want == "text":
            assert response.text == expected.text
        for given, other in ((response.logits, expected.logits), (response.losses, expected.losses)):
            assert given == (other and pytest.approx(other, abs=2e-3))


@pytest.mark.parametrize("kind", KINDS)
def test_every_image_is_seen(kind: str, opened: Callable[[str], Model], pictures: list[Picture]) -> None:
    """In a pair, another first or second image changes the logits."""
    pairs = ((0, 1), (2, 1), (0, 2))
    prompts = [comparison("words", pictures[left], pictures[right])[0] for left, right in pairs]
    logits = [tuple((response.logits or {}).values()) for response in opened(kind).respond(prompts)]
    assert len({tuple(round(logit, 2) for logit in own) for own in logits}) == len(pairs)


def test_the_document_tells_of_every_architecture_that_transformers_loads() -> None:
    if transformers.__version__.startswith("5.23."):  # whose table the document goes through
        assert [model_type for model_type in LOADED if f"`{model_type}`" not in DOCUMENT] == []
    encoders = {"clip", "siglip", "blip"}
    assert [kind for kind in tiny.KINDS if kind not in encoders and f"| {kind} |" not in DOCUMENT] == []
