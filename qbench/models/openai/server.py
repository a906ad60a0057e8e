"""One OpenAI-compatible server, asked by the official client: checked answers, and every fault as a `ProviderError`;
and its own tokenizer, where it has one.

The kinds "rate-limit" and "transient" can pass; `qbench.models.retrying` tries those again, and the client itself
never does. Size and time of an answer are bounded. The key is sent to the server and appears in no message,
representation or identity, even when the server repeats it.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar

import openai
from httpx2 import URL, ByteStream, ConnectError, InvalidURL, Response
from pydantic import BaseModel, ValidationError

from qbench.errors import ProviderError, UserError
from qbench.models.openai.protocol import CONTINUE_LAST, Json
from qbench.models.retrying import ANSWER_SECONDS
from qbench.models.word_tokens import space_between

AnswerT = TypeVar("AnswerT", bound=BaseModel)
ToldT = TypeVar("ToldT")
ErrorKind = Literal["rate-limit", "transient", "permanent"]

KEY_VARIABLE = "QBENCH_ENDPOINT_KEY"

LOOPBACK = ("localhost", "127.0.0.1", "::1")
_CONNECT_SECONDS = 10.0
_MOST_BYTES = 16 * 1024 * 1024
_MOST_SAID = 64 * 1024
_LONGEST_LINE = 200
_LONGEST_WAIT = 3600.0
_TRANSIENT_STATUSES = {408, 425, 500, 502, 503, 504, 520, 522, 524, 529}
_NO_CREDIT = "insufficient_quota"
"""OpenAI sends it with 429, but waiting does not help."""


class AnswerError(ProviderError):
    """The server did answer, but not with what was asked for."""

    def __init__(self, kind: ErrorKind, message: str, status: int, code: str = "", retry_after: float = 0.0) -> None:
        super().__init__(kind, message, retry_after)
        self.status = status
        self.code = code
        """The server's own word for it, e.g. `content_filter`."""


class UnreachableError(ProviderError):
    """Nothing listens at the address, or nothing came from it in time."""


class Server:
    """A base URL such as `http://localhost:8000/v1`. Several threads may ask it at once."""

    def __init__(self, url: str, key: str = "", seconds: float = ANSWER_SECONDS) -> None:
        self.url = base_url(url)
        self.root = self.url.removesuffix("/v1")
        self.host = URL(self.url).host
        self._key = _checked_key(key)
        self._seconds = seconds
        self._client = openai.OpenAI(
            api_key=self._key or "none",  # without one the client would take that of the environment
            organization="",
            project="",
            base_url=self.url,
            max_retries=0,
            http_client=openai.DefaultHttpxClient(
                headers={"Accept-Encoding": "identity"},  # a few packed bytes may hold gigabytes
                follow_redirects=False,
                trust_env=self.host not in LOOPBACK,  # no proxy leads to this machine
                timeout=openai.Timeout(seconds, connect=min(seconds, _CONNECT_SECONDS)),
                event_hooks={"response": [self._read]},
            ),
        )

    def ask(self, address: str, schema: type[AnswerT], payload: Mapping[str, Any] | None = None) -> AnswerT:
        """POST the payload, or GET where there is none, and read the answer as `schema`.

        Raises:
            ProviderError: There was no answer; `AnswerError` where there was one, but not of this kind.
        """
        response = self.through(
            lambda client: (
                client.get(address, cast_to=Response)
                if payload is None
                else client.post(address, cast_to=Response, body=payload)
            )
        )
        try:
            return schema.model_validate_json(response.content)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            if first["type"] == "json_invalid":
                said = self._plain(response.content[:_MOST_SAID].decode("utf-8", "replace"))
                raise self._bad_answer("transient", f"no JSON: {said}", response) from None
            where = ".".join(str(step) for step in first["loc"])
            raise self._bad_answer("permanent", f"an unexpected {where} ({first['msg']})", response) from None

    def through(self, ask: Callable[[openai.OpenAI], ToldT]) -> ToldT:
        """What the official client gives, its faults as `ProviderError`."""
        try:
            return ask(self._client)
        except openai.APIStatusError as error:
            raise self._refusal(error) from None
        except openai.APITimeoutError:
            raise self._too_slow() from None
        except openai.APIConnectionError as error:
            cause = error.__cause__ or error
            kind = UnreachableError if isinstance(cause, ConnectError) else ProviderError
            reason = self._plain(str(cause)) or type(cause).__name__
            raise kind("transient", f"{self.url} cannot be reached or broke off ({reason})") from None

    def _read(self, response: Response) -> None:
        """Read an answer as far as one may go, before the client does."""
        if response.headers.get("content-encoding", "identity") != "identity":
            raise self._bad_answer("permanent", "a kind of compression that was not asked for", response)
        body, until = bytearray(), time.monotonic() + self._seconds
        for chunk in response.stream:  # type: ignore[union-attr]
            body += chunk
            if len(body) > _MOST_BYTES:
                raise self._bad_answer("permanent", f"more than {_MOST_BYTES >> 20} MB", response)
            if time.monotonic() > until:
                raise self._too_slow()
        response.stream.close()  # type: ignore[union-attr]
        response.stream = ByteStream(bytes(body))

    def _refusal(self, error: openai.APIStatusError) -> AnswerError:
        told = error.body if isinstance(error.body, dict) else {}
        said, code = str(told.get("message") or told.get("detail") or error.body), str(told.get("code") or "")
        status, response = error.status_code, error.response
        kind: ErrorKind = "permanent"
        if status == 429 and code != _NO_CREDIT:
            kind = "rate-limit"
        elif status in _TRANSIENT_STATUSES:
            kind = "transient"
        if status == 401:
            said = f"the key is missing or wrong; set {KEY_VARIABLE}"  # the server's own sentence quotes parts of it
        message = (
            f"{self.url} answered {status}: {self._plain(said[:_MOST_SAID]) or response.reason_phrase or 'no reason'}"
        )
        return AnswerError(kind, message, status, code, _retry_after(response.headers.get("retry-after", "")))

    def _bad_answer(self, kind: ErrorKind, what: str, response: Response) -> AnswerError:
        return AnswerError(kind, f"{self.url} answered with {what}", response.status_code)

    def _too_slow(self) -> UnreachableError:
        return UnreachableError("transient", f"{self.url} did not answer within {self._seconds:g} s")

    def _plain(self, text: str) -> str:
        """A short line without the key, markup or control characters."""
        if self._key:
            text = text.replace(self._key, "***")
        text = re.sub(r"<(style|script)\b.*?</\1>|<[^>]*>", " ", text, flags=re.DOTALL | re.IGNORECASE)
        line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
        return line if len(line) <= _LONGEST_LINE else f"{line[: _LONGEST_LINE - 1]}…"


def base_url(url: str) -> str:
    """A server's base URL in one form, with `/v1` where no path was given; UserError for none, or with a password."""
    try:
        parsed = URL(url.strip())
    except (InvalidURL, ValueError):
        parsed = URL("")
    if parsed.userinfo:
        raise UserError("an endpoint's URL must not hold a password; put the key into " + KEY_VARIABLE)
    if parsed.scheme not in ("http", "https") or not parsed.host or parsed.query or parsed.fragment:
        raise UserError(f"{url!r} is no base URL of a server; write it like http://localhost:8000/v1")
    base = str(parsed).rstrip("/").removesuffix("/chat/completions")
    return base if parsed.path.strip("/") else f"{base}/v1"


def _checked_key(key: str) -> str:
    key = key.strip()
    if not re.fullmatch(r"[!-~]*", key):
        raise UserError("the endpoint's key holds a space, a line break or a character outside ASCII; set it again")
    return key


def _retry_after(text: str) -> float:
    """Seconds to wait; 0 where the header is absent or no number."""
    try:
        seconds = float(text)
    except ValueError:
        return 0.0
    return min(max(seconds, 0.0), _LONGEST_WAIT) if math.isfinite(seconds) else 0.0


class _Tokens(BaseModel):
    tokens: list[int]


class _Text(BaseModel):
    prompt: str


Steps = tuple[tuple[int, str], ...]
"""(token id, beginning of the answer that it follows) for each token of a word."""


class ServerTokenizer:
    """Words as the continuation of a chat, by a server's tokenizer and chat template (`/tokenize` of vLLM).

    Every method raises `ProviderError` where the server does not tokenize chats.
    """

    def __init__(self, server: Server, fields: Json) -> None:
        self._server = server
        self._fields = fields

    def steps(self, prefill: str, word: str) -> Steps:
        """The tokens of a word after `prefill`, or at the start of the answer.

        None where it has none of its own there: it would change those before it, or its first tokens, written without
        the rest, would be split differently.
        """
        before = self._tokenize(prefill)
        tokens = self._added(before, prefill + space_between(prefill, word) + word)
        beginnings = [prefill]
        for count in range(1, len(tokens)):
            piece = self._detokenize(tokens[:count])
            beginning = prefill + space_between(prefill, piece or word) + piece  # the space may be a token of its own
            if self._added(before, beginning) != tokens[:count]:
                return ()
            beginnings.append(beginning)
        return tuple(zip(tokens, beginnings, strict=True)) if tokens else ()

    def ending(self, prefill: str, text: str) -> tuple[int, ...]:
        """The tokens that a continuation adds after `prefill`; none where it would change those before it."""
        return tuple(self._added(self._tokenize(prefill), prefill + space_between(prefill, text) + text))

    def _added(self, before: list[int], answer: str) -> list[int]:
        """Tokens that a longer answer adds; none where it changes those before."""
        whole = self._tokenize(answer)
        return whole[len(before) :] if whole[: len(before)] == before else []

    def _tokenize(self, answer: str) -> list[int]:
        """Token ids of a whole chat up to where the model continues; no question changes how the answer is split."""
        chat: Json = {"messages": [{"role": "user", "content": "?"}], "add_generation_prompt": True}
        if answer:
            chat["messages"].append({"role": "assistant", "content": answer})
            chat |= CONTINUE_LAST
        return self._server.ask(f"{self._server.root}/tokenize", _Tokens, {**self._fields, **chat}).tokens

    def _detokenize(self, tokens: list[int]) -> str:
        payload = {"model": self._fields["model"], "tokens": tokens}
        return self._server.ask(f"{self._server.root}/detokenize", _Text, payload).prompt
