"""An encoder at one server: unit vectors of images and texts by `/v1/embeddings`, and texts weighed by cosine.

vLLM takes an image as the message of a chat (`messages`), SGLang as an `input` with a field for it; OpenAI's own
interface takes text alone. Which of them a server takes is found out once, by two small pictures whose vectors must
differ. The logit of a text is that of encoders opened here (`qbench.models.checkpoint.encoder`): 100 times the cosine.
"""

from __future__ import annotations

import base64
import io
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from pydantic import BaseModel, Field

from qbench.errors import ProviderError, UserError
from qbench.models.openai.protocol import IMAGE_POLICY, Json, counts_of, data_url
from qbench.models.openai.server import AnswerError, Server
from qbench.records import Picture, Prompt, Response, Want

SCALE = 100
"""Logit of a cosine of 1."""
_SIDE = 56
"""Pixels of the pictures that a server is tried with."""
_TEXT = "a photo of a cat"
_FIXED_LENGTH = 64
"""Tokens that SigLIP reads of every text, padding included: at a server for so many, each is padded to them."""
_PADDED: Json = {"padding": "max_length"}
Form = Literal["messages", "input"]
FORMS: tuple[Form, ...] = ("messages", "input")
"""Of vLLM, of SGLang."""


class _Embedding(BaseModel):
    embedding: list[float] = Field(min_length=1)


class _Embeddings(BaseModel):
    """The vector of the one thing that was sent."""

    data: list[_Embedding] = Field(min_length=1, max_length=1)
    usage: Any = None


@dataclass(frozen=True)
class EncoderCapabilities:
    """What a server of an encoder was seen to take."""

    backend: str
    """Software and version, e.g. `vllm 0.33.0`; empty where the server does not say."""
    weights: str | None
    """What the model's name stands for on the server, where it tells."""
    form: Form
    """How it takes an image."""
    padded: bool
    """Whether texts are padded to the model's full length."""

    @property
    def wants(self) -> frozenset[Want]:
        """What the model can be asked for there."""
        return frozenset({"embedding", "words"})

    @property
    def identity(self) -> Mapping[str, Any]:
        """What of it can change an answer."""
        return {"scale": SCALE, "form": self.form, "padded": self.padded, "images": IMAGE_POLICY}


def find_encoder(
    server: Server, model: str, backend: Callable[[], str], weights: str | None, length: int
) -> EncoderCapabilities:
    """See how a server takes an image and a text.

    Args:
        server: The server.
        model: Its name there.
        backend: Tells its software and version.
        weights: What the name stands for.
        length: Tokens that the server reads at most; 0 where it does not say.

    Raises:
        AnswerError: It gives no vectors.
        UserError: It gives vectors of texts alone, or reads texts in another way than the model learnt.
    """
    _embed(server, {"model": model, "input": _TEXT})
    form = next((form for form in FORMS if _tells_pictures_apart(server, model, form)), None)
    if form is None:
        raise UserError(
            f"{server.url} gives vectors of texts, and none of images, for {model}; serve an encoder of both, such as "
            "a CLIP or SigLIP checkpoint by vLLM (--runner pooling)"
        )
    padded = 0 < length <= _FIXED_LENGTH
    if padded and _is_alike(*(_embed(server, _text(model, form, _TEXT) | more)[0] for more in ({}, _PADDED))):
        raise UserError(
            f"{model} reads every text at its full length of {length} tokens, and {server.url} was not seen to pad "
            "one; vLLM 0.32 does, and this tool where it opens the checkpoint itself"
        )
    return EncoderCapabilities(backend(), weights, form, padded)


class ServedEncoder:
    """An encoder at one server. Several threads may ask at once."""

    def __init__(self, server: Server, model: str, able: EncoderCapabilities) -> None:
        self.able = able
        self._server = server
        self._model = model
        self._of_words: dict[str, NDArray[np.float64]] = {}
        self._lock = threading.Lock()

    def answer(self, prompt: Prompt, _messages: list[Json]) -> Response:
        """The vector of an image or text, or the logits of texts beside an image.

        Raises:
            ProviderError: There is no usable answer.
        """
        if len(prompt.parts) != 1:
            return Response(failure="an encoder takes one image or one text at a time, and no question beside it")
        vector, usage = _embed(self._server, self._request(prompt.parts[0]))
        if prompt.want == "embedding":
            return Response(embedding=tuple(vector.tolist()), usage=usage)
        logits = {word: SCALE * float(vector @ self._vector_of(word)) for word in prompt.words}
        return Response(logits=logits, usage=usage)

    def _request(self, part: str | Picture) -> Json:
        if isinstance(part, Picture):
            return _image(self._model, self.able.form, data_url(part))
        return _text(self._model, self.able.form, part) | (_PADDED if self.able.padded else {})

    def _vector_of(self, word: str) -> NDArray[np.float64]:
        """That of a text which every image is weighed against; asked once."""
        with self._lock:
            if word not in self._of_words:
                self._of_words[word], _ = _embed(self._server, self._request(word))
            return self._of_words[word]


def _text(model: str, form: Form, text: str) -> Json:
    return {"model": model, "input": text if form == "messages" else [{"text": text}]}


def _image(model: str, form: Form, url: str) -> Json:
    if form == "messages":
        content = [{"type": "image_url", "image_url": {"url": url}}]
        return {"model": model, "messages": [{"role": "user", "content": content}]}
    return {"model": model, "input": [{"image": url}]}


def _embed(server: Server, payload: Json) -> tuple[NDArray[np.float64], dict[str, float]]:
    """The unit vector of what is sent, and the tokens that were counted."""
    reply = server.ask(f"{server.url}/embeddings", _Embeddings, payload | {"encoding_format": "float"})
    vector = np.array(reply.data[0].embedding)
    length = float(np.linalg.norm(vector))
    if not 0 < length < np.inf:
        raise ProviderError("permanent", f"{server.url} answered with a vector without a direction")
    return vector / length, counts_of(reply.usage)


def _tells_pictures_apart(server: Server, model: str, form: Form) -> bool:
    try:
        first, second = (_embed(server, _image(model, form, url))[0] for url in _test_pictures())
    except AnswerError as error:
        if error.kind == "permanent":
            return False
        raise
    return not _is_alike(first, second)


def _is_alike(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    return one.shape == other.shape and bool(np.allclose(one, other, rtol=0, atol=1e-4))


def _test_pictures() -> list[str]:
    """A bright disc and stripes, as data URLs."""
    across, down = np.meshgrid(np.arange(_SIDE), np.arange(_SIDE))
    disc = np.hypot(across - _SIDE / 2, down - _SIDE / 2) < _SIDE / 3
    return [_png((255 * pattern).astype(np.uint8)) for pattern in (disc, across // 7 % 2)]


def _png(pixels: NDArray[np.uint8]) -> str:
    out = io.BytesIO()
    Image.fromarray(pixels).convert("RGB").save(out, "PNG")
    return f"data:image/png;base64,{base64.b64encode(out.getvalue()).decode('ascii')}"
