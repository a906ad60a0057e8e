"""Guesses of what a model writes next, taken from what it wrote before; one forward pass checks a whole guess.

Descriptions of images are much alike. The text is what the model would write token by token, since a guess counts only
as far as each of its tokens is the likeliest: copying from references, https://arxiv.org/abs/2304.04487.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from qbench.models.checkpoint.chat import RenderedPrompt
from qbench.models.checkpoint.inputs import Inputs

PROMPT_LOOKUP_MODEL_TYPES = frozenset({"llava", "fast_vlm", "llava_next", "qwen2_vl", "idefics2", "idefics3"})
"""Model types that were seen to write the same with and without."""
_HARMLESS_SETTINGS = {
    *("bos_token_id", "eos_token_id", "pad_token_id", "_from_model_config", "transformers_version"),
    *("use_cache", "output_attentions", "output_hidden_states"),
}
"""Settings of `generate` with which a checkpoint still writes the likeliest token each time."""
_KEPT_TEXTS = 32
_CONTEXT_TOKENS = 3
"""A guess continues a text after at most so many of its tokens."""
_GUESSED_TOKENS = 16
"""The length of a guess, at most."""

Write = Callable[[Sequence[RenderedPrompt], Inputs, int, Sequence[int]], Sequence[Any]]
"""Prompts, inputs, most tokens, repeats (0 for the likeliest text) -> token ids after each prompt."""
Shorten = Callable[[Sequence[RenderedPrompt], Inputs, int], tuple[Inputs, int]]
"""See `PrefixCache.shorten`."""


def supports_prompt_lookup(model: Any) -> bool:
    """Whether guesses are known to change nothing: in half precision, rounding depends on how much is read at once."""
    settings = model.generation_config.to_diff_dict()
    is_known = model.config.model_type in PROMPT_LOOKUP_MODEL_TYPES and str(model.dtype) == "torch.float32"
    return is_known and settings.keys() <= _HARMLESS_SETTINGS


class PromptLookup:
    """Wraps writing: a single prompt's likeliest text is written with guesses, all others as before."""

    def __init__(self, model: Any, write: Write, shorten: Shorten | None = None) -> None:
        self._model = model
        self._write = write
        self._shorten = shorten
        self._texts: deque[Sequence[int]] = deque(maxlen=_KEPT_TEXTS)

    def write(
        self, prompts: Sequence[RenderedPrompt], inputs: Inputs, max_tokens: int, repeats: Sequence[int]
    ) -> Sequence[Any]:
        """Token ids after each prompt."""
        if len(prompts) > 1 or any(repeats):
            return self._write(prompts, inputs, max_tokens, repeats)
        if self._shorten:
            inputs, _ = self._shorten(prompts, inputs, inputs["input_ids"].shape[1] - 1)
        return [self._write_one(inputs, max_tokens)]

    def add(self, tokens: Sequence[int]) -> None:
        """Keep a text; the one of longest ago is forgotten."""
        if tokens in self._texts:
            self._texts.remove(tokens)
        self._texts.appendleft(tokens)

    def guess(self, written: Sequence[int]) -> Sequence[int]:
        """How the latest text went on after the same last few tokens; empty where none has them."""
        for length in range(min(_CONTEXT_TOKENS, len(written)), 0, -1):
            ending = written[-length:]
            for text in self._texts:
                for start in range(len(text) - length):
                    if text[start : start + length] == ending:
                        return text[start + length : start + length + _GUESSED_TOKENS]
        return ()

    def _write_one(self, inputs: Inputs, max_tokens: int) -> list[int]:
        """What the model finds likeliest token by token, up to one that ends a text; for one prompt without padding."""
        import torch

        end = self._model.generation_config.eos_token_id
        ends = set(end) if isinstance(end, list) else {end}
        reading = self._model(**inputs, use_cache=True, logits_to_keep=1)
        past = reading.past_key_values
        written = [int(reading.logits[0, -1].argmax())]
        while written[-1] not in ends and len(written) < max_tokens:
            guess = list(self.guess(written))[: max_tokens - len(written) - 1]
            tokens = torch.tensor([[written[-1], *guess]], device=self._model.device)
            logits = self._model(input_ids=tokens, past_key_values=past, use_cache=True).logits[0]
            following = logits.argmax(-1).tolist()
            right = 0
            while right < len(guess) and guess[right] == following[right]:
                right += 1
            past.crop(right - len(guess))
            for token in following[: right + 1]:
                written.append(token)
                if token in ends:
                    break
        self.add(written)
        return written
