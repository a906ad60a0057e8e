"""Which tokens a word has in its position, for a sentencepiece-like, a byte-level and a unigram tokenizer."""

from __future__ import annotations

from typing import Any

import pytest

from qbench.models.word_tokens import tokenise_word
from tests.models import tiny_text

CONTEXT = "The quality of the image is"


@pytest.fixture(scope="module")
def tokenizers() -> dict[str, Any]:
    return {"llama": tiny_text.llama([]), "qwen": tiny_text.qwen([]), "gemma": tiny_text.gemma(), "t5": tiny_text.t5()}


def pieces(tokenizer: Any, context: str, word: str) -> list[str]:
    said: list[str] = tokenizer.convert_ids_to_tokens(list(tokenise_word(tokenizer, context, word).tokens))
    return said


@pytest.mark.parametrize(("name", "inside"), [("llama", "▁good"), ("qwen", "Ġgood"), ("gemma", "▁good")])
def test_a_word_has_a_space_inside_a_sentence_and_none_at_a_line_start(
    tokenizers: dict[str, Any], name: str, inside: str
) -> None:
    assert pieces(tokenizers[name], CONTEXT, "good") == [inside]
    assert "".join(pieces(tokenizers[name], "assistant\n", "good")) == "good"
    # The tokens lengthen the context as the whole would be tokenised.
    tokenizer = tokenizers[name]
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
def test_the_space_before_a_word(tokenizers: dict[str, Any], context: str, word: str, text: str) -> None:
    assert tokenise_word(tokenizers["qwen"], context, word).text == text


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
