"""What a model read last, kept to continue from: of prompts about one image, most is the image, and it comes first."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from qbench.models.checkpoint.chat import RenderedPrompt
from qbench.models.checkpoint.inputs import Inputs
from qbench.records import Picture

Forward = Callable[..., Any]
"""See `Network.forward`."""


class PrefixCache:
    """Wraps reading: the beginning that prompts share with the last one read by itself is not read again."""

    def __init__(self, forward: Forward, image_token: int) -> None:
        self._forward = forward
        self._image_token = image_token
        self._pictures: tuple[Picture, ...] = ()
        self._tokens: Any = None
        self._past: Any = None

    def read(self, prompts: Sequence[RenderedPrompt], inputs: Inputs, positions: Sequence[int]) -> Any:
        """Logits at these positions of every row; a prompt by itself is kept for those after it."""
        alone = len(prompts) == 1
        rest, known = self._shorten(prompts, inputs, positions[0])
        left = [position - known for position in positions]
        output = self._forward(rest, left, use_cache=alone or known > 0)
        if alone and not known:
            self._pictures, self._tokens = prompts[0].pictures, inputs["input_ids"][0]
            self._past = output.past_key_values
        return output.logits

    def _shorten(self, prompts: Sequence[RenderedPrompt], inputs: Inputs, most: int) -> tuple[Inputs, int]:
        """Inputs for the rest of prompts padded on the right, and how many tokens, of `most`, were read before."""
        rows = inputs["input_ids"]
        if self._past is None or any(prompt.pictures != self._pictures for prompt in prompts):
            return inputs, 0
        length = min(most, len(self._tokens))
        alike = (rows[:, :length] == self._tokens[:length]).all(dim=0)
        known = int(alike.long().cumprod(dim=0).sum())
        rest = rows[:, known:]
        if not known or bool((rest == self._image_token).any()):
            return inputs, 0
        past = copy.deepcopy(self._past)
        past.crop(known - len(self._tokens))
        past.batch_repeat_interleave(len(rows))
        return {"input_ids": rest, "past_key_values": past}, known
