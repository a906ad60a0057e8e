"""Logits after prompts and of their continuations, from one forward pass over each batch, padded on the right.

No token can see the padding after it, so that every position is what it would be in a batch of one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from qbench.models.checkpoint.chat import RenderedPrompt
from qbench.models.checkpoint.inputs import Inputs, Prepare, Unanswerable
from qbench.models.checkpoint.network import Network
from qbench.models.word_tokens import Continuation


@dataclass(frozen=True)
class ScoringRequest:
    """A prompt, and the continuation whose tokens' logits are wanted; without one, the logits of the next token."""

    prompt: RenderedPrompt
    continuation: Continuation | None = None

    @property
    def ending(self) -> str:
        """The continuation as text."""
        return self.continuation.text if self.continuation else ""

    @property
    def tokens(self) -> tuple[int, ...]:
        """The continuation's tokens."""
        return self.continuation.tokens if self.continuation else ()


Logits = dict[ScoringRequest, Any]
"""Request -> tensor of a row for each token decided: those of the continuation, or the next one."""
ReadLogits = Callable[[Sequence[RenderedPrompt], Inputs, Sequence[int]], Any]
"""Prompts, their inputs, positions -> logits at these positions of every row."""
ComputeLogits = Callable[[Sequence[ScoringRequest], int], Logits]
"""Requests, rows of a forward pass at most -> logits."""


class Scorer:
    """Answers requests for logits, a batch at a time."""

    def __init__(self, network: Network, prepare: Prepare, read: ReadLogits) -> None:
        self._network = network
        self._prepare = prepare
        self._read = read

    def score(self, requests: Sequence[ScoringRequest], batch_size: int) -> Logits:
        """Float32 logits for every request; one that comes several times is computed once.

        Raises:
            Unanswerable: The processor or the model cannot take one of them.
            DataError: An image is damaged.
        """
        found: dict[ScoringRequest, Any] = {}
        unique = list(dict.fromkeys(requests))
        for start in range(0, len(unique), batch_size):
            batch = unique[start : start + batch_size]
            found |= zip(batch, self._score_batch(batch), strict=True)
        return found

    def _score_batch(self, requests: Sequence[ScoringRequest]) -> list[Any]:
        inputs, rows = self.encode(requests)
        firsts = [len(tokens) - len(request.tokens) - 1 for tokens, request in zip(rows, requests, strict=True)]
        decided = [
            range(first, first + max(len(request.tokens), 1)) for first, request in zip(firsts, requests, strict=True)
        ]
        positions = sorted({position for own in decided for position in own})
        logits = self._read([request.prompt for request in requests], inputs, positions)
        return [logits[row, [positions.index(position) for position in own]].float() for row, own in enumerate(decided)]

    def encode(self, requests: Sequence[ScoringRequest]) -> tuple[Inputs, list[tuple[int, ...]]]:
        """Inputs for requests, and each one's tokens in the decoder, without padding."""
        network, prompts = self._network, [request.prompt for request in requests]
        if network.has_encoder:
            inputs = dict(self._prepare(prompts, [""] * len(prompts), "right"))
            rows = [network.decoder_start(request.prompt) + request.tokens for request in requests]
            inputs["decoder_input_ids"] = network.pad(rows)
            return inputs, rows
        inputs = self._prepare(prompts, [request.ending for request in requests], "right")
        lengths = inputs["attention_mask"].sum(dim=1).tolist()
        rows = [tuple(row[:length].tolist()) for row, length in zip(inputs["input_ids"], lengths, strict=True)]
        for request, row in zip(requests, rows, strict=True):
            end = network.tokens(request.prompt.text + request.ending)[-1 - len(request.tokens) :]
            if row[len(row) - len(end) :] != end:
                raise Unanswerable("the model's processor changes the end of the prompt, where the words would stand")
        return inputs, rows
