"""What a model read last, kept to go on from: of prompts about one photo, most is the photo, and it comes first."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from qbench.models.chat import Rendered
from qbench.records import Picture


class Stem:
    """The last prompt that a model read by itself."""

    def __init__(self, image_token: int) -> None:
        self._image_token = image_token
        self._pictures: tuple[Picture, ...] = ()
        self._tokens: Any = None
        self._read: Any = None

    def keep(self, prompt: Rendered, tokens: Any, read: Any) -> None:
        """Take in a prompt, its tokens, and the model's cache after it."""
        self._pictures, self._tokens, self._read = prompt.pictures, tokens, read

    def go_on(self, prompts: Sequence[Rendered], inputs: dict[str, Any], most: int) -> tuple[dict[str, Any], int]:
        """Inputs for what is left to read of prompts padded on the right, and how many tokens were read before.

        Args:
            prompts: One for each row.
            inputs: What the model would take to read all of it; given back where nothing serves.
            most: Tokens that may be left out, since the logits of later ones are wanted.
        """
        rows = inputs["input_ids"]
        if self._read is None or any(prompt.pictures != self._pictures for prompt in prompts):
            return inputs, 0
        length = min(most, len(self._tokens))
        alike = (rows[:, :length] == self._tokens[:length]).all(dim=0)
        known = int(alike.long().cumprod(dim=0).sum())
        left = rows[:, known:]
        if not known or bool((left == self._image_token).any()):
            return inputs, 0
        read = copy.deepcopy(self._read)
        read.crop(known - len(self._tokens))
        read.batch_repeat_interleave(len(rows))
        return {"input_ids": left, "past_key_values": read}, known
