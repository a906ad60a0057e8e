"""One OpenAI-compatible server over HTTP: checked answers, and every fault as a `ProviderError` of a stated kind.

Whatever a server does wrong, from a refused connection to a page of HTML under status 200, is a `ProviderError`. The
kinds "rate-limit" and "transient" can pass, and the runner tries those again. Time and size of an answer are bounded.
The key is sent to the server and appears in no message, representation or identity, even when the server repeats it.
"""

from __future__ import annotations

import json
import math
import re
import zlib
from collections.abc import Callable, Mapping
from copy import copy
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any, Literal, TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from qbench.cancelling import pause
from qbench.errors import ProviderError, UserError
from qbench.models.openai.deadline import all_within, bound
from qbench.models.retrying import with_retries

AnswerT = TypeVar("AnswerT", bound=BaseModel)
ErrorKind = Literal["rate-limit", "transient", "permanent"]

ANSWER_SECONDS = 300.0
"""How long one answer may take; a 72B model writes a description in well under a minute."""

KEY_VARIABLE = "QBENCH_ENDPOINT_KEY"

_CONNECT_SECONDS = 10.0
_MOST_BYTES = 16 * 1024 * 1024
_MOST_ERROR_BYTES = 64 * 1024
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

    def __init__(
        self, url: str, key: str = "", seconds: float = ANSWER_SECONDS, wait: Callable[[float], object] = pause
    ) -> None:
        self.url = base_url(url)
        self.root = self.url.removesuffix("/v1")
        self.host = httpx.URL(self.url).host
        self._key = _checked_key(key)
        self._seconds = seconds
        self._wait = wait
        self._patient = False
        client = httpx.Client(
            # The library reads others too, and packs of them that hold gigabytes.
            headers={"Accept-Encoding": "gzip"} | ({"Authorization": f"Bearer {self._key}"} if self._key else {}),
            timeout=httpx.Timeout(seconds, connect=min(seconds, _CONNECT_SECONDS)),
            limits=httpx.Limits(),  # none: each prompt that is asked at once keeps its connection
        )
        self._client = bound(client)

    def __repr__(self) -> str:
        return f"Server({self.url!r})"

    def patient(self) -> Server:
        """The same server, of which a fault that can pass is waited out here; those of prompts the runner waits out."""
        patient = copy(self)
        patient._patient = True
        return patient

    def ask(self, address: str, schema: type[AnswerT], payload: Mapping[str, Any] | None = None) -> AnswerT:
        """POST the payload, or GET where there is none, and read the answer as `schema`.

        Raises:
            ProviderError: There was no answer; `AnswerError` where there was one, but not of this kind.
        """
        fetch = partial(self._fetch, address, payload)
        response, body = with_retries(fetch, self._wait, (UnreachableError,)) if self._patient else fetch()
        try:
            return schema.model_validate_json(body)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            if first["type"] == "json_invalid":
                raise self._bad_answer("transient", f"no JSON: {self._plain(_text(body))}", response) from None
            where = ".".join(str(step) for step in first["loc"])
            raise self._bad_answer("permanent", f"an unexpected {where} ({first['msg']})", response) from None

    def _fetch(self, address: str, payload: Mapping[str, Any] | None) -> tuple[httpx.Response, bytes]:
        """An answer that is no refusal."""
        method = "GET" if payload is None else "POST"
        body = bytearray()
        try:
            with all_within(self._seconds), self._client.stream(method, address, json=payload) as response:
                unpack = _unpacker(response.headers.get("content-encoding", ""))
                if unpack is None:
                    raise self._bad_answer("permanent", "a kind of compression that was not asked for", response)
                for chunk in response.iter_raw():
                    body += unpack(chunk)
                    if len(body) > _MOST_BYTES:
                        raise self._bad_answer("permanent", f"more than {_MOST_BYTES >> 20} MB", response)
        except httpx.TimeoutException:
            raise UnreachableError("transient", f"{self.url} did not answer within {self._seconds:g} s") from None
        except (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL, zlib.error) as error:
            reason = self._plain(str(error)) or type(error).__name__
            kind = UnreachableError if isinstance(error, httpx.ConnectError) else ProviderError
            raise kind("transient", f"{self.url} cannot be reached or broke off ({reason})") from None
        if not response.is_success:
            raise self._refusal(response, bytes(body))
        return response, bytes(body)

    def _refusal(self, response: httpx.Response, body: bytes) -> AnswerError:
        said, code = _error_of(body)
        status = response.status_code
        kind: ErrorKind = "permanent"
        if status == 429 and code != _NO_CREDIT:
            kind = "rate-limit"
        elif status in _TRANSIENT_STATUSES:
            kind = "transient"
        if status == 401:
            said = f"the key is missing or wrong; set {KEY_VARIABLE}"  # the server's own sentence quotes parts of it
        message = f"{self.url} answered {status}: {self._plain(said) or response.reason_phrase or 'no reason'}"
        return AnswerError(kind, message, status, code, _retry_after(response.headers.get("retry-after", "")))

    def _bad_answer(self, kind: ErrorKind, what: str, response: httpx.Response) -> AnswerError:
        return AnswerError(kind, f"{self.url} answered with {what}", response.status_code)

    def _plain(self, text: str) -> str:
        """A short line without the key, markup or control characters."""
        if self._key:
            text = text.replace(self._key, "***")
        text = re.sub(r"<(style|script)\b.*?</\1>|<[^>]*>", " ", text, flags=re.DOTALL | re.IGNORECASE)
        line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
        return line if len(line) <= _LONGEST_LINE else f"{line[: _LONGEST_LINE - 1]}…"


def _unpacker(encoding: str) -> Callable[[bytes], bytes] | None:
    """What gives the bytes of a compressed answer, no more at once than an answer may have; None for other kinds."""
    if encoding in ("", "identity"):
        return bytes
    if encoding != "gzip":
        return None
    unzip = zlib.decompressobj(16 + zlib.MAX_WBITS)
    return lambda chunk: unzip.decompress(unzip.unconsumed_tail + chunk, _MOST_BYTES + 1)


def base_url(url: str) -> str:
    """A server's base URL in one form, with `/v1` where no path was given.

    Raises:
        UserError: It is no such URL, or holds a password.
    """
    try:
        parsed = httpx.URL(url.strip())
    except (httpx.InvalidURL, ValueError):
        parsed = httpx.URL("")
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


def _error_of(body: bytes) -> tuple[str, str]:
    """(message, code) of an error answer, which servers wrap in several ways, or which is a page of a proxy."""
    text = _text(body)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return text, ""
    error = data.get("error", data) if isinstance(data, dict) else data
    if not isinstance(error, dict):
        return str(error), ""
    return str(error.get("message") or error.get("detail") or text), str(error.get("code") or "")


def _text(body: bytes) -> str:
    return body[:_MOST_ERROR_BYTES].decode("utf-8", "replace")


def _retry_after(text: str) -> float:
    """Seconds to wait, from a number or a date; 0 where the header is absent or nonsense."""
    try:
        seconds = float(text)
    except ValueError:
        try:
            when = parsedate_to_datetime(text)
        except ValueError:
            return 0.0
        seconds = (when.replace(tzinfo=when.tzinfo or timezone.utc) - datetime.now(timezone.utc)).total_seconds()
    return min(max(seconds, 0.0), _LONGEST_WAIT) if math.isfinite(seconds) else 0.0
