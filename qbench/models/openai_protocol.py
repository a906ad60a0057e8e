"""What goes to an OpenAI-compatible server and what is believed of its answers; nothing here touches the network.

Requests are plain JSON. Answers are checked by pydantic: fields nobody needs are ignored, a missing or misshapen one is
an error of the server, and a log-probability that is no number, or the server's floor for "never", is not reported.
"""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from PIL import Image, UnidentifiedImageError
from pydantic import BaseModel, Field

from qbench.images import load_pixels
from qbench.models.words import space_between
from qbench.records import Picture, Prompt

Json = dict[str, Any]

OPENED: Json = {"continue_final_message": True, "add_generation_prompt": False}
"""Leave the assistant's last message open, for the model to go on with it instead of answering it."""
CONTINUE: Json = {**OPENED, "return_prompt_text": True}
"""Also show the prompt that came out of it."""

TEMPLATE = "chat_template_kwargs"
"""The field for arguments of the chat template, at vLLM and SGLang."""

IMAGE_POLICY = "the file's own bytes where it is upright 8-bit RGB or grey, else its pixels as PNG"

_SENT_AS_THEY_ARE = {"JPEG": "image/jpeg", "PNG": "image/png", "WEBP": "image/webp"}
_EXIF_ORIENTATION = 0x0112
_FLOOR = -9999.0
"""What servers write for a probability of zero."""
_MOST_AMOUNT = 1e12
"""More tokens or money than any answer has is not believed."""


class Token(BaseModel):
    token: str
    logprob: float


class Position(Token):
    top_logprobs: list[Token] | None = None


class Logprobs(BaseModel):
    content: list[Position] | None = None


class Message(BaseModel):
    content: str | None = None
    refusal: str | None = None


class Choice(BaseModel):
    message: Message
    logprobs: Logprobs | None = None
    finish_reason: str | None = None


class Reply(BaseModel):
    """A chat completion with exactly the one choice that was asked for."""

    choices: list[Choice] = Field(min_length=1, max_length=1)
    usage: Any = None
    """Not checked: an answer is not lost over its bill."""
    prompt_text: str | None = None

    @property
    def choice(self) -> Choice:
        return self.choices[0]

    @property
    def tokens(self) -> list[Token]:
        """The tokens reported for the first position; empty where the server reported none."""
        logprobs = self.choice.logprobs
        if logprobs is None or not logprobs.content:
            return []
        first = logprobs.content[0]
        return [*(first.top_logprobs or ()), first]

    @property
    def counts(self) -> dict[str, float]:
        """Tokens, and the cost where the server tells it."""
        usage = self.usage if isinstance(self.usage, dict) else {}
        found = {name: usage.get(name) for name in ("prompt_tokens", "completion_tokens", "cost")}
        return {
            name: float(value)
            for name, value in found.items()
            if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < _MOST_AMOUNT
        }


def chat_messages(prompt: Prompt) -> list[Json]:
    """System, user and, where the answer is begun for the model, assistant message.

    Raises:
        DataError: An image cannot be read.
    """
    content: str | list[Json]
    if any(isinstance(part, Picture) for part in prompt.parts):
        content = [_content_part(part) for part in prompt.parts]
    else:
        content = "".join(part for part in prompt.parts if isinstance(part, str))
    messages: list[Json] = [{"role": "user", "content": content}]
    if prompt.system:
        messages.insert(0, {"role": "system", "content": prompt.system})
    if begun(prompt):
        messages.append({"role": "assistant", "content": begun(prompt)})
    return messages


def addressed(model: str, template: Json) -> Json:
    """Fields of every request about chats: which model, and how its chat template is to be filled."""
    return {"model": model, **({TEMPLATE: template} if template else {})}


def with_beginning(messages: Sequence[Json], beginning: str) -> list[Json]:
    """The same chat with another beginning of the answer."""
    return [*(one for one in messages if one["role"] != "assistant"), {"role": "assistant", "content": beginning}]


def begun(prompt: Prompt) -> str:
    """The beginning of the answer without the space at its end, which belongs to the word that follows."""
    return prompt.prefill.rstrip()


def _content_part(part: str | Picture) -> Json:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    return {"type": "image_url", "image_url": {"url": data_url(part)}}


def data_url(picture: Picture) -> str:
    """The picture for a server: by `IMAGE_POLICY`, so that every server sees the pixels that `load_pixels` gives.

    Raises:
        DataError: The file cannot be read or decoded.
    """
    # Decoded in any case: a damaged file must fail here as it does for every other model, not as some server sees fit.
    pixels = load_pixels(picture)
    path = Path(picture.path)
    kind = _kind_sent_as_it_is(path)
    data = path.read_bytes() if kind else _png(pixels)
    return f"data:{kind or 'image/png'};base64,{base64.b64encode(data).decode('ascii')}"


def _kind_sent_as_it_is(path: Path) -> str | None:
    """The media type of a file that every decoder turns into the same upright 8-bit picture, or None."""
    try:
        with Image.open(path, formats=tuple(_SENT_AS_THEY_ARE)) as image:
            plain = (
                image.mode in ("RGB", "L")
                and not image.has_transparency_data
                and getattr(image, "n_frames", 1) == 1
                and image.getexif().get(_EXIF_ORIENTATION, 1) == 1
            )
            return _SENT_AS_THEY_ARE.get(image.format or "") if plain else None
    except UnidentifiedImageError:
        return None


def _png(pixels: Image.Image) -> bytes:
    out = io.BytesIO()
    pixels.save(out, "PNG", compress_level=1)
    return out.getvalue()


def ends_with(shown: str, prefill: str) -> bool:
    """Whether a prompt as the server shows it ends with the beginning of the answer, for the model to go on there."""
    return shown.rstrip().endswith(prefill.rstrip())


def chosen_ids(ids: Iterable[int]) -> Json:
    """Fields that ask for the log-probabilities of these token ids, by number, since several tokens can read alike."""
    return {"logprob_token_ids": sorted(set(ids)), "return_tokens_as_token_ids": True}


def weights_by_id(reply: Reply, ids: Iterable[int]) -> dict[int, float]:
    """Token id -> log-probability, for those of the ids that the server reported."""
    reported = _reported(reply)
    return {one: reported[f"token_id:{one}"] for one in ids if f"token_id:{one}" in reported}


def weights_by_text(reply: Reply, words: Iterable[str], prefill: str) -> dict[str, float]:
    """Word -> log-probability of the token that reads like it, for words among the tokens the server reported.

    After other words " word" is meant rather than "word". Servers whose tokens lose their space in text report "word"
    either way, so the other form counts where this one is absent.
    """
    reported = _reported(reply)
    found = {}
    for word in words:
        forms = (f" {word}", word) if space_between(prefill, word) else (word, f" {word}")
        at_hand = [reported[form] for form in forms if form in reported]
        if at_hand:
            found[word] = at_hand[0]
    return found


def _reported(reply: Reply) -> dict[str, float]:
    best: dict[str, float] = {}
    for one in reply.tokens:
        # A little above 0 is rounding; far above it, NaN or the floor is no log-probability.
        if _FLOOR < one.logprob < 1e-3:
            best[one.token] = max(one.logprob, best.get(one.token, -math.inf))
    return best
