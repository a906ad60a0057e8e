"""Small byte-pair tokenizers, learnt from the words that the embedded models are trained with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

END = "<|endoftext|>"


def make_tokenizer(texts: Iterable[str], size: int, special: Sequence[str] = (), *, ends: bool = False) -> Any:
    """A byte-level one, by which every text can be spelt; each ends with the token for that, if it is asked for."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    learnt = Tokenizer(models.BPE())
    learnt.pre_tokenizer, learnt.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    letters = pre_tokenizers.ByteLevel.alphabet()
    teacher = trainers.BpeTrainer(
        vocab_size=size, min_frequency=2, special_tokens=[END], initial_alphabet=letters, show_progress=False
    )
    learnt.train_from_iterator(texts, teacher)
    if ends:
        learnt.post_processor = processors.TemplateProcessing(single=f"$A {END}", special_tokens=[(END, 0)])
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=learnt, eos_token=END, pad_token=END)
    tokenizer.add_special_tokens({"additional_special_tokens": list(special)})
    return tokenizer
