"""Small byte-pair tokenizers, learnt from the words that the embedded models are trained with."""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

SPELLING = " ".join([*string.printable.split(), *string.ascii_letters, *string.digits, *string.punctuation])
"""Every printable character as a word of its own, so that any English text can be spelt."""
_SELDOM = 2
"""Pairs seen less often are left apart."""


def clip_tokenizer(texts: Iterable[str], size: int) -> Any:
    """CLIP's own kind: lower case, marked ends of words."""
    from tokenizers import pre_tokenizers
    from transformers import CLIPTokenizer

    before = pre_tokenizers.Sequence([pre_tokenizers.Whitespace(), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    special = ["<|startoftext|>", "<|endoftext|>"]
    lowered = (text.lower() for text in (*texts, SPELLING))
    vocabulary, merges = _learn(lowered, size, special, before, ending="</w>")
    return CLIPTokenizer(vocab=vocabulary, merges=merges)


def chat_tokenizer(texts: Iterable[str], size: int, special: list[str]) -> Any:
    """A byte-level one whose first special tokens end a text and pad it."""
    from tokenizers import pre_tokenizers
    from transformers import Qwen2Tokenizer

    before = pre_tokenizers.ByteLevel(add_prefix_space=False)
    vocabulary, merges = _learn((*texts, SPELLING), size, ["<|endoftext|>"], before)
    tokenizer = Qwen2Tokenizer(vocab=vocabulary, merges=merges)
    tokenizer.add_special_tokens({"eos_token": "<|endoftext|>", "additional_special_tokens": special})
    return tokenizer


def _learn(
    texts: Iterable[str], size: int, special: Sequence[str], before: Any, ending: str = ""
) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """Byte-pair encoding; of pairs seen equally often the first in the alphabet is joined.

    The tokenizers library breaks such ties by chance, and a resumed training would not know its own words again.
    """
    from tokenizers import pre_tokenizers

    counts = Counter(word for text in texts for word, _ in before.pre_tokenize_str(text))
    words = [([*word[:-1], word[-1] + ending], count) for word, count in sorted(counts.items())]
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    ends = {letters[-1] for letters, _ in words} - set(alphabet)
    tokens = [*special, *alphabet, *sorted(ends)]
    merges: list[tuple[str, str]] = []
    while len(tokens) < size:
        pairs: Counter[tuple[str, str]] = Counter()
        for letters, count in words:
            for pair in pairwise(letters):
                pairs[pair] += count
        best = min(pairs, key=lambda pair: (-pairs[pair], pair), default=None)
        if best is None or pairs[best] < _SELDOM:
            break
        merges.append(best)
        tokens.append("".join(best))
        words = [(_joined(letters, best), count) for letters, count in words]
    return {token: number for number, token in enumerate(dict.fromkeys(tokens))}, merges


def _joined(letters: list[str], pair: tuple[str, str]) -> list[str]:
    joined: list[str] = []
    for letter in letters:
        if joined and (joined[-1], letter) == pair:
            joined[-1] += letter
        else:
            joined.append(letter)
    return joined
