"""The same answers with less work, up to the rounding of float32.

- The tokens of images are kept for when these are shown again: both orders of a pair, several questions about one
  photo and every match of a tournament show the same few.
- Several continuations of one prompt are scored from one reading of it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

from qbench.models.checkpoint.inputs import (
    Inputs,
    PaddingSide,
    RenderedPrompt,
    TemplateArguments,
    Unanswerable,
    check_length,
    special_token_arguments,
)
from qbench.models.checkpoint.network import Logits, Network, ScoringRequest
from qbench.models.word_tokens import Continuation
from qbench.records import Picture

SHARED_READING_MODEL_TYPES = frozenset(
    {"llava", "fast_vlm", "llava_next", "llava_onevision", "qwen2_vl", "qwen2_5_vl", "qwen3_vl", "qwen3_vl_moe"}
    | {"internvl", "glm4v", "idefics2", "idefics3", "smolvlm", "gemma3", "gemma4"}
)
"""Model types that were seen to continue from their cache with several tokens at once as they would without one."""
_STACKED = frozenset({"fast_vlm"})
"""Model types that take the tokens of all images as one tensor; the others take a list."""
_KEPT_IMAGES = 64
"""Of a model with 7 billion parameters each takes 5 MB."""


class QuickNetwork(Network):
    """A network that keeps and shares what its architecture allows."""

    def __init__(self, processor: Any, model: Any, template: TemplateArguments) -> None:
        super().__init__(processor, model, template)
        self._kept: OrderedDict[Picture, Any] = OrderedDict()
        """Tokens of images, those of longest ago first."""

    # --- the tokens of images

    def prepare(self, prompts: Sequence[RenderedPrompt], endings: Sequence[str], side: PaddingSide) -> Inputs:
        """See `Network`; the tokens of images are in place of their pixels, and those that are kept are used."""
        if not self.sees_alone:
            return super().prepare(prompts, endings, side)
        import torch
        from transformers.modeling_outputs import BaseModelOutputWithPooling

        pictures = [picture for prompt in prompts for picture in prompt.pictures]
        pixels = self.pixels_of(picture for picture in pictures if picture not in self._kept)
        texts = [self._with_marks(prompt) + ending for prompt, ending in zip(prompts, endings, strict=True)]
        special = special_token_arguments(self.processor, texts)
        encoded = self.processor.tokenizer(texts, padding=True, padding_side=side, return_tensors="pt", **special)
        check_length(self.model, encoded)
        inputs: Inputs = {name: encoded[name].to(self.model.device) for name in ("input_ids", "attention_mask")}
        if pictures:
            tokens: Any = self.tokens_of(pictures, pixels)
            if self.model_type in _STACKED:
                tokens = torch.stack(tokens)
            inputs["mm_encoder_outputs"] = {"image": BaseModelOutputWithPooling(pooler_output=tokens)}
        return inputs

    def _with_marks(self, prompt: RenderedPrompt) -> str:
        """The prompt's text with as many marks for each image as it has tokens."""
        mark: str = self.processor.image_token
        count = prompt.text.count(mark)
        if count != len(prompt.pictures):
            raise Unanswerable(f"the text has {count} image marks for {len(prompt.pictures)} images")
        return prompt.text.replace(mark, mark * self.tokens_per_image)

    def tokens_of(self, pictures: Sequence[Picture], pixels: Mapping[Picture, Any] | None = None) -> list[Any]:
        """See `Network`; those not kept are encoded together."""
        found = {picture: self._kept[picture] for picture in pictures if picture in self._kept}
        unseen = [picture for picture in dict.fromkeys(pictures) if picture not in found]
        if unseen:
            # Copied, since a row of a batch would keep the whole batch in memory.
            found |= zip(unseen, (tokens.clone() for tokens in super().tokens_of(unseen, pixels)), strict=True)
        for picture, tokens in found.items():
            self._kept[picture] = tokens
            self._kept.move_to_end(picture)
        while len(self._kept) > _KEPT_IMAGES:
            self._kept.popitem(last=False)
        return [found[picture] for picture in pictures]

    # --- one reading for all continuations of a prompt

    def score(self, requests: Sequence[ScoringRequest], batch_size: int) -> Logits:
        """See `Network`; continuations go on from the cache of their prompt."""
        continuations: dict[RenderedPrompt, list[Continuation]] = {}
        for request in dict.fromkeys(requests):
            if request.continuation.tokens and self.model_type in SHARED_READING_MODEL_TYPES:
                continuations.setdefault(request.prompt, []).append(request.continuation)
        found: Logits = {}
        prompts = list(continuations)
        size = max(1, batch_size // max(map(len, continuations.values()), default=1))
        for start in range(0, len(prompts), size):
            found |= self._score_together({prompt: continuations[prompt] for prompt in prompts[start : start + size]})
        return found | super().score([request for request in requests if request not in found], batch_size)

    def _score_together(self, continuations: Mapping[RenderedPrompt, Sequence[Continuation]]) -> Logits:
        """Logits after each prompt and of its continuations; prompts share a reading where they are equally long."""
        import torch

        inputs, _ = self.encode([ScoringRequest(prompt) for prompt in continuations])
        alike: dict[tuple[int, int], dict[RenderedPrompt, Sequence[Continuation]]] = {}
        for (prompt, own), length in zip(
            continuations.items(), inputs["attention_mask"].sum(dim=1).tolist(), strict=True
        ):
            alike.setdefault((length, len(own)), {})[prompt] = own
        if len(alike) > 1:
            apart = map(self._score_together, alike.values())
            return {request: logits for each in apart for request, logits in each.items()}
        requests = [ScoringRequest(prompt, each) for prompt, own in continuations.items() for each in own]
        [(_, count)] = alike
        reading = self.forward(inputs, [inputs["input_ids"].shape[1] - 1], use_cache=True)
        first = reading.logits.float().repeat_interleave(count, dim=0)
        following = first[:, :0]
        written = [request.continuation.tokens for request in requests]
        longest = max(map(len, written))
        if longest > 1:
            reading.past_key_values.batch_repeat_interleave(count)
            tokens = self.pad([each[:-1] for each in written])
            further = {"input_ids": tokens, "past_key_values": reading.past_key_values}
            following = self.forward(further, range(longest - 1), use_cache=True).logits.float()
        logits = torch.cat([first, following], dim=1)
        found = {ScoringRequest(request.prompt): row for request, row in zip(requests, first, strict=True)}
        return found | {request: row[: len(own)] for request, own, row in zip(requests, written, logits, strict=True)}
