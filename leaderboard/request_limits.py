"""What the server refuses of a request before Gradio reads it: too much of it, and addresses to fetch files from."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections import deque
from typing import Any

from leaderboard.asgi import AsgiApp, Message, Receive, Scope, Send
from leaderboard.events import log_event

MOST_JSON = 2 * 2**20
"""Bytes of a request that is no upload; what pages and scripts send is a hundredth of it."""
MOST_VALUES = 20_000
"""Values in it: Gradio goes through them in the thread that answers everybody, and took 8 s for 630,000 empty lists."""
SLOWEST = 60.0
"""Seconds for a request to come whole, and for the next piece of an upload."""
KEPT_SECONDS = 3600.0
"""For which uploads lie on the disk where nobody closes a page."""
MOST_KEPT = (8, 32)
"""Requests of the most bytes in that time, from one address and from all."""
POLICY = {
    "default-src": "'self'",
    "script-src": "'self' 'unsafe-inline' 'unsafe-eval'",  # Gradio's pages have their own, and functions of js=
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "media-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": "'self' data:",  # Plotly reads the picture of a chart that is saved as data
    "worker-src": "'self' blob:",
    "frame-src": "'none'",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'self' https://huggingface.co https://*.hf.space",
}
"""What pages load and whom they talk to: this server alone, so that no script can send anything elsewhere."""
HEADERS = {
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"strict-origin-when-cross-origin",
    b"content-security-policy": "; ".join(f"{name} {value}" for name, value in POLICY.items()).encode(),
}
"""With every answer."""
FOREIGN = (
    "files are taken from this server's own pages and from scripts, not from other web pages; open the page itself"
)
PASSES_ON = re.compile(r"/gradio_api/(?:proxy=|file[=/]\s*https?:)", re.IGNORECASE)
"""Addresses at which Gradio fetches what another one holds, of any size and for any time."""
WEB_ADDRESS = "this server fetches nothing from web addresses; download the file and upload it"


class RequestLimits:
    """An ASGI middleware.

    Args:
        app: What answers the requests that pass.
        most_uploaded: Bytes of one request of uploads, all its files together.
    """

    def __init__(self, app: AsgiApp, most_uploaded: int) -> None:
        self._app = app
        self._most_uploaded = most_uploaded
        self._uploaded: deque[tuple[float, str, list[int]]] = deque()
        """When it began, from where, and how many bytes came by now."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        send = _with_headers(send)
        if scope["path"].rstrip("/").endswith("/deep_link"):  # keeps what a page shows on disk, for anybody, for ever
            await _refuse(send, 404, "links to a view are made by the page itself; copy its address")
            return
        if PASSES_ON.search(scope["path"]):
            await _refuse(send, 400, WEB_ADDRESS)
            return
        if scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        if headers.get(b"sec-fetch-site", b"none").lower() not in (b"same-origin", b"none"):
            # Other web pages may ask what scripts may, but never as whoever is logged in here.
            scope = {**scope, "headers": [pair for pair in scope["headers"] if pair[0] != b"cookie"]}
        is_upload = headers.get(b"content-type", b"").lower().startswith(b"multipart/form-data")
        most = self._most_uploaded if is_upload else MOST_JSON
        if is_upload and headers.get(b"sec-fetch-site", b"").lower() == b"cross-site":
            await _refuse(send, 403, FOREIGN)
        elif int(headers.get(b"content-length", b"0") or 0) > most:
            await _refuse(send, 413, _too_large(most))
        elif is_upload:
            await self._pass_on_upload(scope, receive, send)
        else:
            await self._pass_on_json(scope, receive, send)

    async def _pass_on_upload(self, scope: Scope, receive: Receive, send: Send) -> None:
        now, address = time.monotonic(), scope["client"][0] if scope.get("client") else ""
        while self._uploaded and now - self._uploaded[0][0] > KEPT_SECONDS:
            self._uploaded.popleft()
        own = sum(size[0] for _, origin, size in self._uploaded if origin == address)
        everybodys = sum(size[0] for _, _, size in self._uploaded)
        if any(kept > most * self._most_uploaded for kept, most in zip((own, everybodys), MOST_KEPT, strict=True)):
            minutes = (self._uploaded[0][0] + KEPT_SECONDS - now) / 60
            await _refuse(send, 429, f"as much was uploaded in an hour as is kept; come back in {minutes:.0f} minutes")
            return
        receive, got = _counted(receive, self._most_uploaded)
        self._uploaded.append((now, address, got))
        await self._app(scope, receive, send)

    async def _pass_on_json(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            body = await asyncio.wait_for(_read(receive, MOST_JSON), SLOWEST)
        except asyncio.TimeoutError:
            await _refuse(send, 408, f"the request did not come within {SLOWEST:.0f} seconds; send it again")
            return
        if body is None:
            await _refuse(send, 413, _too_large(MOST_JSON))
            return
        try:
            fault = fault_of(json.loads(body or b"null", object_pairs_hook=_without_repeats))
        except _RepeatedError as repeated:
            fault = f"the JSON names {str(repeated)[:80]!r} twice; keep one of them"
        except RecursionError:
            fault = "the JSON is nested too deeply"
        except ValueError:
            fault = None  # no JSON: whoever reads it says what it should be
        if fault:
            await _refuse(send, 400, fault)
        else:
            await self._app(scope, _replayed(body, receive), send)


class _RepeatedError(ValueError):
    """An object that gives one name two values: two readers of it may each take another."""


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        raise _RepeatedError(next(name for name in names if names.count(name) > 1))
    return made


def fault_of(data: object) -> str | None:
    """What is wrong with a request's JSON, in a sentence.

    A file in it may be one that the server would fetch: Gradio does where `path` is a web address. Arguments of MCP's
    tools are plain texts, of which Gradio fetches those that stand for files.
    """
    waiting, seen = [data], 0
    while waiting:
        value = waiting.pop()
        seen += 1
        if seen + len(waiting) > MOST_VALUES:
            return f"the JSON holds more than {MOST_VALUES:,} values; send less at once"
        if isinstance(value, dict):
            if _is_web_address(value.get("path")):
                return WEB_ADDRESS
            if value.get("method") == "tools/call" and isinstance(params := value.get("params"), dict):
                arguments = params.get("arguments")
                if isinstance(arguments, dict) and any(map(_is_web_address, arguments.values())):
                    return WEB_ADDRESS
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return None


def _is_web_address(value: object) -> bool:
    return isinstance(value, str) and value.strip().lower().startswith(("http:", "https:"))


def _too_large(most: int) -> str:
    return f"the request is larger than {most / 2**20:.0f} MB; send less at once"


async def _read(receive: Receive, most: int) -> bytes | None:
    """The body of a request; None where it is larger."""
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > most:
            return None
        if message["type"] != "http.request" or not message.get("more_body"):
            return bytes(body)


def _replayed(body: bytes, receive: Receive) -> Receive:
    given = False

    async def receive_again() -> Message:
        nonlocal given
        if given:
            return await receive()  # that the client has left
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_again


def _counted(receive: Receive, most: int) -> tuple[Receive, list[int]]:
    """An upload that stops coming, or whose length was not told, or told wrong, ends as if the client had left.

    Beside it how many bytes came by now, 64 kB at the least: small files take room and time too.
    """
    got = [2**16]

    async def receive_counted() -> Message:
        try:
            message = await asyncio.wait_for(receive(), SLOWEST)
        except asyncio.TimeoutError:
            return {"type": "http.disconnect"}
        got[0] += len(message.get("body", b""))
        return message if got[0] <= most + 2**16 else {"type": "http.disconnect"}

    return receive_counted, got


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            told = {name.lower() for name, _ in message.get("headers", ())}
            more = [(name, value) for name, value in HEADERS.items() if name not in told]
            message = {**message, "headers": [*message.get("headers", ()), *more]}
        await send(message)

    return send_with_headers


async def _refuse(send: Send, status: int, sentence: str) -> None:
    """In the shape that Gradio's pages and clients show."""
    log_event("refusal", status=status)
    body = json.dumps({"detail": sentence, "error": sentence}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
