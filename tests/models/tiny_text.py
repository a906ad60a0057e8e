"""Real tokenizers of every family in use, trained on a few sentences, and chat templates as checkpoints carry them."""

from __future__ import annotations

import json
from typing import Any

import transformers as tf
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

WORDS = (
    "The quality of the image is good. The quality of the image is poor. The quality is fair. Rate the quality of the "
    "image. Which image has a better visual quality? The first image. The second image. Answer with the option's "
    "letter from the given choices directly. A B C D high low bad USER: ASSISTANT: Assistant: User: Question: Answer: "
    "system user assistant a photo of good quality a photo of poor quality yes no sharp blurry "
    "the quick brown fox jumps over the lazy dog "
)
"""What the tokenizers are trained on: "good" and "poor" become one token, rarer words such as "excellent" several."""

BYTES = [f"<0x{number:02X}>" for number in range(256)]
VOCABULARY = 640

LLAVA_TEMPLATE = (
    "{% for message in messages %}{% if message['role'] != 'system' %}{{ message['role'].upper() + ': ' }}{% endif %}"
    "{% for content in message['content'] | selectattr('type', 'equalto', 'image') %}{{ '<image>\n' }}{% endfor %}"
    "{% for content in message['content'] | selectattr('type', 'equalto', 'text') %}{{ content['text'] + ' ' }}"
    "{% endfor %}{% endfor %}{% if add_generation_prompt %}{{ 'ASSISTANT:' }}{% endif %}"
)
QWEN_TEMPLATE = (
    "{% for message in messages %}{% if loop.first and message['role'] != 'system' %}"
    "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n{% endif %}<|im_start|>{{ message['role'] }}\n"
    "{% for content in message['content'] %}{% if content['type'] == 'image' %}"
    "<|vision_start|><|image_pad|><|vision_end|>{% else %}{{ content['text'] }}{% endif %}{% endfor %}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
IDEFICS_TEMPLATE = (
    "{% for message in messages %}{{ message['role'].capitalize() }}{{ ': ' if message['content'][0]['type'] == 'text' "
    "else ':' }}{% for line in message['content'] %}{% if line['type'] == 'text' %}{{ line['text'] }}"
    "{% else %}{{ '<image>' }}{% endif %}{% endfor %}<end_of_utterance>\n{% endfor %}"
    "{% if add_generation_prompt %}{{ 'Assistant:' }}{% endif %}"
)
GEMMA_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}{% if message['role'] == 'system' %}"
    "{{ raise_exception('System role not supported') }}{% endif %}"
    "<start_of_turn>{{ 'model' if message['role'] == 'assistant' else message['role'] }}\n"
    "{% for item in message['content'] %}{% if item['type'] == 'image' %}{{ '<start_of_image>' }}"
    "{% else %}{{ item['text'] | trim }}{% endif %}{% endfor %}<end_of_turn>\n{% endfor %}"
    "{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}"
)


def _byte_level(special: list[str]) -> tuple[dict[str, int], list[tuple[str, str]]]:
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    return _bpe(pre_tokenizers.ByteLevel(add_prefix_space=False), special, alphabet)


def _bpe(
    before: Any, special: list[str], alphabet: list[str], **more: str
) -> tuple[dict[str, int], list[tuple[str, str]]]:
    tokenizer = Tokenizer(models.BPE(**more))
    tokenizer.pre_tokenizer = before
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY, special_tokens=special, initial_alphabet=alphabet, show_progress=False, **more
    )
    tokenizer.train_from_iterator([WORDS.lower() if more else WORDS] * 3, trainer)
    trained = json.loads(tokenizer.to_str())["model"]
    return trained["vocab"], [tuple(pair) for pair in trained["merges"]]


def llama(extra: list[str]) -> Any:
    vocabulary, merges = _bpe(pre_tokenizers.Metaspace(), ["<unk>", "<s>", "</s>", *BYTES], [])
    tokenizer = tf.LlamaTokenizer(vocab=vocabulary, merges=merges, pad_token="</s>", legacy=False)
    tokenizer.add_special_tokens({"additional_special_tokens": extra})
    return tokenizer


def qwen(extra: list[str], **tokens: str) -> Any:
    """A tokenizer with these special tokens, of which some have names of their own."""
    vocabulary, merges = _byte_level(["<|endoftext|>"])
    tokenizer = tf.Qwen2Tokenizer(vocab=vocabulary, merges=merges, extra_special_tokens=tokens)
    tokenizer.add_special_tokens({"eos_token": "<|im_end|>", "additional_special_tokens": ["<|im_start|>", *extra]})
    return tokenizer


def gemma(**tokens: str) -> Any:
    special = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>", *BYTES]
    vocabulary, merges = _bpe(pre_tokenizers.Metaspace(prepend_scheme="never"), special, [])
    tokenizer = tf.GemmaTokenizer(vocab=vocabulary, merges=merges, extra_special_tokens=tokens, padding_side="left")
    tokenizer.add_special_tokens({"additional_special_tokens": ["<start_of_turn>", "<end_of_turn>"]})
    return tokenizer


def _unigram(special: list[str]) -> list[tuple[str, float]]:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=220, special_tokens=special, unk_token="<unk>", show_progress=False)
    tokenizer.train_from_iterator([f"{WORDS} #Answer:"] * 3, trainer)
    return [(piece, score) for piece, score in json.loads(tokenizer.to_str())["model"]["vocab"]]


def bert() -> Any:
    pieces = sorted({*"abcdefghijklmnopqrstuvwxyz.,:?'"} | {word.strip(".?:,").lower() for word in WORDS.split()})
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *pieces, *(f"##{letter}" for letter in pieces[6:32])]
    return tf.BertTokenizer(vocab={token: number for number, token in enumerate(dict.fromkeys(tokens))})


def clip() -> Any:
    special = ["<|startoftext|>", "<|endoftext|>"]
    before = pre_tokenizers.Sequence([pre_tokenizers.Whitespace(), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    vocabulary, merges = _bpe(before, special, pre_tokenizers.ByteLevel.alphabet(), end_of_word_suffix="</w>")
    return tf.CLIPTokenizer(vocab=vocabulary, merges=merges)


def t5() -> Any:
    return tf.T5Tokenizer(vocab=_unigram(["<pad>", "</s>", "<unk>"]), extra_ids=0)


def xlm_roberta() -> Any:
    return tf.XLMRobertaTokenizer(vocab=_unigram(["<s>", "<pad>", "</s>", "<unk>", *(f"<i{n}>" for n in range(64))]))
