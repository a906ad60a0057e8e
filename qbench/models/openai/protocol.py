"""Requests to an OpenAI-compatible server as JSON, and its answers as checked records; no network here.

Answers are checked by pydantic: fields nobody needs are ignored, a missing or misshapen one is an error of the server,
and a log-probability that is no number, or the server's floor for "never", counts as not reported.
"""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from PIL import Image, UnidentifiedImageError
from pydantic import BaseModel, Field

from qbench.images import Kept, load_pixels
from qbench.models.word_tokens import space_between
from qbench.records import Picture, Prompt

Json = dict[str, Any]

CONTINUE_LAST: Json = {"continue_final_message": True, "add_generation_prompt": False}
"""Leave the last message, the assistant's, unfinished: the model continues it instead of answering it."""
CONTINUE_AND_SHOW: Json = {**CONTINUE_LAST, "return_prompt_text": True}
"""The same, and return the prompt as the chat template wrote it."""

PROMPT_LOGPROBS: Json = {"prompt_logprobs": 0}
"""Report the log-probabilities of the prompt's own tokens (vLLM)."""

NO_PENALTY: Json = {"repetition_penalty": 1.0}
"""Not to make tokens less likely that were there before: vLLM and SGLang do as the checkpoint's own settings say."""

TEMPLATE_FIELD = "chat_template_kwargs"
"""The field for arguments of the chat template, at vLLM and SGLang."""

IMAGE_POLICY = "the file's own bytes where it is upright 8-bit RGB or grey, else its pixels as PNG"

_FORMATS_SENT_AS_IS = {"JPEG": "image/jpeg", "PNG": "image/png", "WEBP": "image/webp"}
_REDRAWN = Kept[str](64 * 2**20, len)
"""Data URLs of pictures that are not sent as they are, which take long to make."""
_EXIF_ORIENTATION = 0x0112
_EXIF_GPS = 0x8825
_LOWEST_LOGPROB = -9999.0
"""What servers write for a probability of zero."""
_LARGEST_ROUNDING = 1e-3
"""A log-probability above 0 by less than this is rounding."""
_MOST_USAGE = 1e12
"""Counts of tokens or costs from here on are taken for nonsense."""


class TokenLogprob(BaseModel):
    """A token, of the answer with those that were likeliest in its position."""

    token: str
    logprob: float
    top_logprobs: list[TokenLogprob] | None = None


class Logprobs(BaseModel):
    content: list[TokenLogprob] | None = None


class ChatMessage(BaseModel):
    content: str | None = None
    refusal: str | None = None


class ChatChoice(BaseModel):
    message: ChatMessage
    logprobs: Logprobs | None = None
    finish_reason: str | None = None


class PromptLogprob(BaseModel):
    logprob: float


class ChatCompletion(BaseModel):
    """An answer with exactly the one choice that was asked for."""

    choices: list[ChatChoice] = Field(min_length=1, max_length=1)
    usage: Any = None
    """Not checked here: a usable answer is not refused because its count of tokens is odd."""
    prompt_text: str | None = None
    prompt_logprobs: list[dict[int, PromptLogprob] | None] | None = None
    """Token id -> log-probability, at each position of the prompt."""

    @property
    def choice(self) -> ChatChoice:
        return self.choices[0]

    @property
    def tokens(self) -> list[TokenLogprob]:
        """The tokens reported for the first position; empty where the server reported none."""
        logprobs = self.choice.logprobs
        if logprobs is None or not logprobs.content:
            return []
        first = logprobs.content[0]
        return [*(first.top_logprobs or ()), first]

    @property
    def counts(self) -> dict[str, float]:
        """Tokens, and the cost where the server tells it; what is no count is left out."""
        told = self.usage if isinstance(self.usage, dict) else {}
        found = {name: told.get(name) for name in ("prompt_tokens", "completion_tokens", "cost")}
        return {
            name: float(value)
            for name, value in found.items()
            if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < _MOST_USAGE
        }


def chat_messages(prompt: Prompt) -> list[Json]:
    """Messages of a prompt: system, user and, where it has a prefill, the beginning of the assistant's."""
    content: str | list[Json]
    if any(isinstance(part, Picture) for part in prompt.parts):
        content = [
            {"type": "text", "text": part}
            if isinstance(part, str)
            else {"type": "image_url", "image_url": {"url": data_url(part)}}
            for part in prompt.parts
        ]
    else:
        content = "".join(part for part in prompt.parts if isinstance(part, str))
    messages: list[Json] = [{"role": "user", "content": content}]
    if prompt.system:
        messages.insert(0, {"role": "system", "content": prompt.system})
    if prefill_of(prompt):
        messages.append({"role": "assistant", "content": prefill_of(prompt)})
    return messages


def with_prefill(messages: Sequence[Json], beginning: str) -> list[Json]:
    """The same chat with another beginning of the assistant's message."""
    asked = [message for message in messages if message["role"] != "assistant"]
    return [*asked, {"role": "assistant", "content": beginning}]


def prefill_of(prompt: Prompt) -> str:
    """The prompt's prefill without the space at its end, which belongs to the word that follows."""
    return prompt.prefill.rstrip()


def data_url(picture: Picture) -> str:
    """The image as a data URL, by `IMAGE_POLICY`: every server sees the pixels that `load_pixels` gives."""
    media_type = _media_type_sent_as_is(picture)
    if media_type is None:
        return _REDRAWN.get(picture, _redrawn)
    return _as_url(media_type, Path(picture.path).read_bytes())


def _as_url(media_type: str, data: bytes) -> str:
    return f"data:{media_type};base64,{base64.b64encode(data).decode('ascii')}"


@lru_cache(maxsize=2**16)
def _media_type_sent_as_is(picture: Picture) -> str | None:
    """The media type of a file that every decoder turns into the same upright 8-bit image; None for any other."""
    load_pixels(picture)  # a damaged file must fail here as it does for every other model, not as some server sees fit
    try:
        with Image.open(picture.path, formats=tuple(_FORMATS_SENT_AS_IS)) as image:
            plain = (
                image.mode in ("RGB", "L")
                and not image.has_transparency_data
                and getattr(image, "n_frames", 1) == 1
                and image.getexif().get(_EXIF_ORIENTATION, 1) == 1
                and not _tells_where(image)
            )
            return _FORMATS_SENT_AS_IS.get(image.format or "") if plain else None
    except UnidentifiedImageError:
        return None


def _tells_where(image: Image.Image) -> bool:
    """Whether the file holds where it was taken, which is nobody's business."""
    described = image.info.get("xmp") or image.info.get("XML:com.adobe.xmp") or b""
    return _EXIF_GPS in image.getexif() or ("GPS" if isinstance(described, str) else b"GPS") in described


def _redrawn(picture: Picture) -> str:
    out = io.BytesIO()
    load_pixels(picture).save(out, "PNG", compress_level=1)
    return _as_url("image/png", out.getvalue())


def ends_with(prompt_text: str, prefill: str) -> bool:
    """Whether a prompt, as the server returns it, ends with the prefill, so that the model continues from there."""
    return prompt_text.rstrip().endswith(prefill.rstrip())


def ask_for_ids(ids: Iterable[int]) -> Json:
    """Fields that ask for the log-probabilities of these token ids, named by number: several tokens can read alike."""
    return {"logprobs": True, "logprob_token_ids": sorted(set(ids)), "return_tokens_as_token_ids": True}


def logprobs_of_ending(reply: ChatCompletion, ids: Sequence[int]) -> list[float] | None:
    """Log-probabilities of the tokens that the prompt ends with; None where it does not end so, or none came back."""
    ending = (reply.prompt_logprobs or [])[-len(ids) :] if ids else []
    found = [place[number].logprob for place, number in zip(ending, ids, strict=False) if place and number in place]
    fine = len(found) == len(ids) > 0 and all(_LOWEST_LOGPROB < logprob < _LARGEST_ROUNDING for logprob in found)
    return found if fine else None


def logprobs_by_id(reply: ChatCompletion, ids: Iterable[int]) -> dict[int, float]:
    """Token id -> log-probability, for those of the ids that the server reported."""
    reported = _reported(reply)
    return {number: reported[f"token_id:{number}"] for number in ids if f"token_id:{number}" in reported}


def logprobs_by_text(reply: ChatCompletion, words: Iterable[str], prefill: str) -> dict[str, float]:
    """Word -> log-probability of the token spelt like it, for words among the tokens the server reported.

    After other words the token is " word" rather than "word". Servers that strip the space report "word" for both, so
    that the other spelling counts where the right one is absent.
    """
    reported = _reported(reply)
    found = {}
    for word in words:
        spellings = (f" {word}", word) if space_between(prefill, word) else (word, f" {word}")
        logprobs = [reported[spelling] for spelling in spellings if spelling in reported]
        if logprobs:
            found[word] = logprobs[0]
    return found


def _reported(reply: ChatCompletion) -> dict[str, float]:
    """Token -> log-probability in the first position; NaN, positive values and the server's floor are left out."""
    best: dict[str, float] = {}
    for token in reply.tokens:
        if _LOWEST_LOGPROB < token.logprob < _LARGEST_ROUNDING:
            best[token.token] = max(token.logprob, best.get(token.token, -math.inf))
    return best
