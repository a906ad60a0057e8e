"""Tokenizers learnt from few words."""

from __future__ import annotations

from itertools import pairwise

from tokenizers import pre_tokenizers

from qbench.training.nano.tokens import _learn, chat_tokenizer, clip_tokenizer

TEXTS = ["low lower lowest", "low low newer"]


def test_pairs_are_joined_by_how_often_they_are_seen() -> None:
    # l-o and o-w are seen 5 times, then Ġ-low 3, then e-r and Ġlow-e 2; after e-r nothing is seen twice.
    before = pre_tokenizers.ByteLevel(add_prefix_space=False)
    vocabulary, merges = _learn(TEXTS, 300, ["<end>"], before)
    assert merges == [("l", "o"), ("lo", "w"), ("Ġ", "low"), ("e", "r")]
    assert len(vocabulary) == 1 + 256 + 4
    assert list(vocabulary.values()) == list(range(len(vocabulary)))
    assert all(first < second for first, second in pairwise(vocabulary.values()))


def test_the_same_texts_give_the_same_tokenizer() -> None:
    one, other = (clip_tokenizer(TEXTS, 700).get_vocab() for _ in range(2))
    assert one == other


def test_any_english_can_be_spelt_and_read_back() -> None:
    text = "Why, 42 zebras & a café: (fine)?"
    chat = chat_tokenizer(TEXTS, 400, ["<image>"])
    assert chat.decode(chat(text)["input_ids"]) == text
    clip = clip_tokenizer(TEXTS, 700)
    assert clip.unk_token_id not in clip("Why, 42 zebras?")["input_ids"][1:-1]
