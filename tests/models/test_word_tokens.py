"""Which tokens a word has in its position, for a sentencepiece-like, a byte-level and a unigram tokenizer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from qbench.models.word_tokens import tokenise_word
from tests.models import tiny_text

CONTEXT = "The quality of the image is"


@pytest.mark.parametrize("make", [lambda: tiny_text.llama([]), lambda: tiny_text.qwen([]), tiny_text.gemma])
def test_a_word_lengthens_its_context_and_has_no_space_at_a_line_start(make: Callable[[], Any]) -> None:
    tokenizer = make()
    begun = tokenise_word(tokenizer, "assistant\n", "good").tokens
    assert "".join(tokenizer.convert_ids_to_tokens(list(begun))) == "good"
    said = tokenise_word(tokenizer, CONTEXT, "excellent")
    whole = tokenizer(f"{CONTEXT} excellent", add_special_tokens=False)["input_ids"]
    assert [*tokenizer(CONTEXT, add_special_tokens=False)["input_ids"], *said.tokens] == whole
    assert len(said.tokens) > 1 and said.text == " excellent" and said.note is None


@pytest.mark.parametrize(
    ("context", "word", "text"),
    [
        ("is", "good", " good"),
        ("is ", "good", "good"),
        ("is", " good", " good"),
        ("assistant\n", "A", "A"),
        ("ASSISTANT:", "A", " A"),
        ("the answer is (", "A", "A"),
        ("画质", "好", "好"),
        ("quality 是", "good", "good"),
        ("", "good", "good"),
    ],
)
def test_the_space_before_a_word(context: str, word: str, text: str) -> None:
    assert tokenise_word(tiny_text.qwen([]), context, word).text == text


def melting(text: str, add_special_tokens: bool) -> dict[str, list[int]]:
    """A tokenizer that learnt "(good" and "(fair" as one token each, and "fair" not at all."""
    known = {"(": 1, "(good": 2, "good": 3, "\n": 4, "(fair": 5, "fa": 6, "ir": 7}
    tokens = []
    while text:
        longest = max((piece for piece in known if text.startswith(piece)), key=len)
        tokens.append(known[longest])
        text = text[len(longest) :]
    return {"input_ids": tokens}


def test_a_word_that_melts_into_the_context_is_taken_by_itself_or_not_at_all() -> None:
    good, fair = tokenise_word(melting, "(", "good"), tokenise_word(melting, "(", "fair")
    assert good.tokens == (3,)
    assert good.note == "the tokenizer would join 'good' to the text before it; it was taken by itself"
    assert fair.tokens == ()
    assert fair.note == "the tokenizer would join 'fair' to the text before it and splits it by itself"
