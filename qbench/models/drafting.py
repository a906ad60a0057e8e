"""Text a model wrote before guesses what it writes next; one forward pass checks the whole guess.

Descriptions of pictures are much alike. What comes out is what the model would write token by token, since a guess
counts only as far as each of its tokens is the likeliest: copying out of references, https://arxiv.org/abs/2304.04487.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

DRAFTING = frozenset({"llava", "llava_next", "qwen2_vl", "idefics2", "idefics3"})
"""Model types that were seen to write the same with and without."""
_SAID = {
    *("bos_token_id", "eos_token_id", "pad_token_id", "_from_model_config", "transformers_version"),
    *("use_cache", "output_attentions", "output_hidden_states"),
}
"""What a checkpoint's settings for writing may say while it still writes the likeliest token each time."""
_KEPT = 32
"""Texts."""
_CONTEXT = 3
_LONGEST = 16
"""Tokens that a guess must follow, at most, and that it may have."""


def can_draft(model: Any) -> bool:
    """Whether guessing is known to change nothing: in half precision, rounding depends on how much is read at once."""
    settings = model.generation_config.to_diff_dict()
    return model.config.model_type in DRAFTING and str(model.dtype) == "torch.float32" and settings.keys() <= _SAID


class Drafts:
    """What one model wrote lately."""

    def __init__(self) -> None:
        self._texts: deque[Sequence[int]] = deque(maxlen=_KEPT)

    def keep(self, tokens: Sequence[int]) -> None:
        """Take in a text; the longest ago is forgotten."""
        if tokens in self._texts:
            self._texts.remove(tokens)
        self._texts.appendleft(tokens)

    def guess(self, written: Sequence[int]) -> Sequence[int]:
        """How a text went on lately where its last few tokens were these; empty where that never was."""
        for length in range(min(_CONTEXT, len(written)), 0, -1):
            ending = written[-length:]
            for text in self._texts:
                for start in range(len(text) - length):
                    if text[start : start + length] == ending:
                        return text[start + length : start + length + _LONGEST]
        return ()


def write(model: Any, inputs: Mapping[str, Any], most: int, drafts: Drafts) -> list[int]:
    """What the model finds likeliest token by token, up to one that ends a text; for one prompt without padding."""
    import torch

    end = model.generation_config.eos_token_id
    ends = set(end) if isinstance(end, list) else {end}
    read = model(**inputs, use_cache=True, logits_to_keep=1)
    written = [int(read.logits[0, -1].argmax())]
    while written[-1] not in ends and len(written) < most:
        guess = list(drafts.guess(written))[: most - len(written) - 1]
        tokens = torch.tensor([[written[-1], *guess]], device=model.device)
        likeliest = model(input_ids=tokens, past_key_values=read.past_key_values, use_cache=True).logits[0].argmax(-1)
        following = likeliest.tolist()
        right = 0
        while right < len(guess) and guess[right] == following[right]:
            right += 1
        read.past_key_values.crop(right - len(guess))
        for token in following[: right + 1]:
            written.append(token)
            if token in ends:
                break
    drafts.keep(written)
    return written
