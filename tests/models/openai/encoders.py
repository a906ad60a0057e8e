"""Servers of encoders: what vLLM (`--runner pooling`) and SGLang (`--is-embedding`) take at `/v1/embeddings`.

The vector of an image is the mean of its red, green and blue, and how much they vary; of a text, how often it names
them, and 1 where it names none. Routes, fields and
refusals are those of vLLM 0.32, which was asked the same things, and of SGLang 0.5.23 as its code has them.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image

from tests.models.openai.server import OpenAIServer, RefusedError

COLOURS = ("red", "green", "blue")


@dataclass
class EncoderServer(OpenAIServer):
    """One of vLLM; `length` is the most tokens of a text."""

    model: str = "tiny/clip"
    length: int = 77
    sees: bool = True
    pads: bool = True
    """Whether it knows `padding`, which changes what a model of 64 tokens makes of a text."""

    def models(self) -> Any:
        cards = super().models()
        cards["data"][0]["max_model_len"] = self.length
        return cards

    def chat(self, payload: Mapping[str, Any]) -> Any:
        raise RefusedError(404, "Not Found")

    def embeddings(self, payload: Mapping[str, Any]) -> Any:
        if payload["model"] != self.model:
            raise RefusedError(404, f"The model `{payload['model']}` does not exist.")
        vector = self.vector(payload)
        data = [{"index": 0, "object": "embedding", "embedding": [float(number) for number in vector]}]
        return {"object": "list", "data": data, "usage": {"prompt_tokens": 8, "completion_tokens": 0}}

    def vector(self, payload: Mapping[str, Any]) -> Any:
        if "messages" in payload:
            [message] = payload["messages"]
            [part] = message["content"]
            return self.seen_in(part["image_url"]["url"])
        if not isinstance(payload["input"], str):
            raise RefusedError(400, "input: Input should be a valid string")
        return self.read(payload["input"], padded=payload.get("padding") == "max_length")

    def seen_in(self, url: str) -> Any:
        if not self.sees:
            raise RefusedError(400, "At most 0 image(s) may be provided in one prompt.")
        data = base64.b64decode(url.partition(";base64,")[2], validate=True)
        with Image.open(io.BytesIO(data)) as image:
            pixels = np.asarray(image.convert("RGB"), dtype=float)
        return [*pixels.mean(axis=(0, 1)), pixels.std(axis=(0, 1)).mean()]

    def read(self, text: str, *, padded: bool) -> list[float]:
        own = [text.split().count(colour) for colour in COLOURS]
        if padded and self.pads and self.length == 64:
            own[0] += 1
        return [*own, 0 if any(own) else 1]


class SglangEncoder(EncoderServer):
    """One of SGLang, whose `input` has fields for text and image, and whose messages are no field."""

    def vector(self, payload: Mapping[str, Any]) -> Any:
        if "input" not in payload:
            raise RefusedError(400, "input: Field required")
        if isinstance(payload["input"], str):
            return self.read(payload["input"], padded=False)
        [item] = payload["input"]
        return self.seen_in(item["image"]) if "image" in item else self.read(item["text"], padded=False)
