"""Several continuations of one prompt scored from one reading of it: the prompt with its images is most of the work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qbench.models.checkpoint.chat import RenderedPrompt
from qbench.models.checkpoint.network import Network
from qbench.models.checkpoint.scoring import Logits, Scorer, ScoringRequest
from qbench.models.word_tokens import Continuation

SHARED_READING_MODEL_TYPES = frozenset(
    {"llava", "fast_vlm", "llava_next", "qwen2_vl", "idefics2", "idefics3", "gemma3"}
)
"""Model types that were seen to continue from their cache with several tokens at once as they would without one."""


class SharedReading:
    """Wraps a scorer: continuations go on from the cache of their prompt, everything else goes to the scorer."""

    def __init__(self, network: Network, scorer: Scorer) -> None:
        self._network = network
        self._scorer = scorer

    def score(self, requests: Sequence[ScoringRequest], batch_size: int) -> Logits:
        """Logits for every request; see `Scorer.score`."""
        continuations: dict[RenderedPrompt, list[Continuation]] = {}
        for request in dict.fromkeys(requests):
            if request.continuation:
                continuations.setdefault(request.prompt, []).append(request.continuation)
        found: dict[ScoringRequest, Any] = {}
        prompts = list(continuations)
        size = max(1, batch_size // max(map(len, continuations.values()), default=1))
        for start in range(0, len(prompts), size):
            found |= self._score_together({prompt: continuations[prompt] for prompt in prompts[start : start + size]})
        return found | self._scorer.score([request for request in requests if request not in found], batch_size)

    def _score_together(self, continuations: Mapping[RenderedPrompt, Sequence[Continuation]]) -> Logits:
        """Logits after each prompt and of its continuations; prompts share a reading where they are equally long."""
        import torch

        inputs, _ = self._scorer.encode([ScoringRequest(prompt) for prompt in continuations])
        counts = {len(own) for own in continuations.values()}
        if len(continuations) > 1 and (len(counts) > 1 or not inputs["attention_mask"].all()):
            return {
                request: logits
                for prompt, own in continuations.items()
                for request, logits in self._score_together({prompt: own}).items()
            }
        requests = [ScoringRequest(prompt, each) for prompt, own in continuations.items() for each in own]
        [count] = counts
        reading = self._network.forward(inputs, [inputs["input_ids"].shape[1] - 1], use_cache=True)
        first = reading.logits.float().repeat_interleave(count, dim=0)
        following = first[:, :0]
        longest = max(len(request.tokens) for request in requests)
        if longest > 1:
            reading.past_key_values.batch_repeat_interleave(count)
            tokens = self._network.pad([request.tokens[:-1] for request in requests])
            further = {"input_ids": tokens, "past_key_values": reading.past_key_values}
            following = self._network.forward(further, range(longest - 1), use_cache=True).logits.float()
        logits = torch.cat([first, following], dim=1)
        found = {ScoringRequest(request.prompt): row for request, row in zip(requests, first, strict=True)}
        return found | {request: row[: len(request.tokens)] for request, row in zip(requests, logits, strict=True)}
