"""What the server refuses of a request before Gradio reads it: too much of it, and addresses to fetch files from."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable

from leaderboard.events import log_event
from leaderboard.http.asgi import AsgiApp, Message, Receive, Scope, Send
from leaderboard.http.origins import FOREIGN, is_foreign
from leaderboard.http.request_json import TOOL_FILE, WEB_ADDRESS, fault_of_body, tool_call_of
from leaderboard.live.service.limits import Visitor, visitor_at

MOST_JSON = 2 * 2**20
"""Bytes of a request that is no upload; what pages and scripts send is a hundredth of it."""
SLOWEST = 60.0
"""Seconds for a request to come whole, and for the next piece of an upload."""
KEPT_SECONDS = 3600.0
"""For which uploads lie on the disk where nobody closes a page."""
MOST_KEPT = (8, 16, 32)
"""Requests of the most bytes in that time, from one address, from its network and from all."""
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
NOT_OFFERED = re.compile(r"/(?:dev/reload|vibe-[a-z-]+|undo-vibe-edit|process_recording)/?$")
"""For whoever writes an app; the first looks 20 times a second whether the code has changed, for each who asks."""
PASSES_ON = re.compile(r"/gradio_api/(?:proxy=|file[=/]\s*https?:)", re.IGNORECASE)
"""Addresses at which Gradio fetches what another one holds, of any size and for any time."""
MOST_JOINED = 64
"""Pieces of work of one address that wait or go on in the queue; of the addresses around it, twice as many."""
MOST_JOINED_LIMITED = 16
"""The same where visitors have limits: they may have half as many at the models."""
_JOINS = re.compile(r"/gradio_api/(?:queue/join|call/|run/|api/)")


class RequestLimits:
    """An ASGI middleware.

    Args:
        app: What answers the requests that pass.
        most_uploaded: Bytes of one request of uploads, all its files together.
        is_here: Whether a file of this path was uploaded and is there still.
        joined: Addresses that the work in the queue came from, waiting or going on.
        most_joined: Of one address.
        origins: Other web pages that may ask, as `https://lab.example`.
    """

    def __init__(
        self,
        app: AsgiApp,
        most_uploaded: int,
        is_here: Callable[[str], bool] = lambda _path: True,
        joined: Callable[[], Iterable[str | None]] = lambda: (),
        most_joined: int = MOST_JOINED,
        origins: Collection[str] = (),
    ) -> None:
        self._app = app
        self._most_uploaded = most_uploaded
        self._is_here = is_here
        self._joined = joined
        self._most_joined = most_joined
        self._origins = origins
        self._uploaded: deque[tuple[float, Visitor, list[int]]] = deque()
        """When it began, from where, and how many bytes came by now."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        send = _with_headers(send)
        if scope["path"].rstrip("/").endswith("/deep_link"):  # keeps what a page shows on disk, for anybody, for ever
            await _refuse(send, 404, "links to a view are made by the page itself; copy its address")
            return
        if NOT_OFFERED.search(scope["path"]):
            await _refuse(send, 404, "this server offers nothing there")
            return
        if PASSES_ON.search(scope["path"]):
            await _refuse(send, 400, WEB_ADDRESS)
            return
        headers = dict(scope["headers"])
        is_reading = scope["method"] in ("GET", "HEAD")
        if is_foreign(headers, self._origins) and not is_reading:
            await _refuse(send, 403, FOREIGN)
            return
        if is_foreign(headers, ()) and headers.get(b"sec-fetch-mode", b"").lower() != b"navigate":
            # Other web pages may read what scripts may, but never as whoever is logged in here.
            scope = {**scope, "headers": [pair for pair in scope["headers"] if pair[0] != b"cookie"]}
        if is_reading or scope["method"] == "OPTIONS":
            await self._app(scope, receive, send)
            return
        is_upload = headers.get(b"content-type", b"").lower().startswith(b"multipart/form-data")
        most = self._most_uploaded if is_upload else MOST_JSON
        if int(headers.get(b"content-length", b"0") or 0) > most:
            await _refuse(send, 413, _too_large(most))
        elif is_upload:
            await self._pass_on_upload(scope, receive, send)
        else:
            await self._pass_on_json(scope, receive, send)

    async def _pass_on_upload(self, scope: Scope, receive: Receive, send: Send) -> None:
        now, visitor = time.monotonic(), visitor_at("", scope["client"][0] if scope.get("client") else None)
        while self._uploaded and now - self._uploaded[0][0] > KEPT_SECONDS:
            self._uploaded.popleft()
        own = sum(size[0] for _, other, size in self._uploaded if other.place == visitor.place)
        around = sum(size[0] for _, other, size in self._uploaded if other.network == visitor.network)
        everybodys = sum(size[0] for _, _, size in self._uploaded)
        sizes = zip((own, around, everybodys), MOST_KEPT, strict=True)
        if any(size > most * self._most_uploaded for size, most in sizes):
            minutes = (self._uploaded[0][0] + KEPT_SECONDS - now) / 60
            await _refuse(send, 429, f"as much was uploaded in an hour as is kept; come back in {minutes:.0f} minutes")
            return
        receive, got = _counted(receive, self._most_uploaded)
        self._uploaded.append((now, visitor, got))
        await self._app(scope, receive, send)

    def _has_enough(self, scope: Scope) -> bool:
        address = scope["client"][0] if scope.get("client") else None
        own = visitor_at("", address)
        others = [visitor_at("", joined) for joined in self._joined()]
        return (
            sum(other.place == own.place for other in others) >= self._most_joined
            or sum(other.network == own.network for other in others) >= 2 * self._most_joined
        )

    async def _pass_on_json(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            body = await asyncio.wait_for(_read(receive, MOST_JSON), SLOWEST)
        except asyncio.TimeoutError:
            await _refuse(send, 408, f"the request did not come within {SLOWEST:.0f} seconds; send it again")
            return
        if body is None:
            await _refuse(send, 413, _too_large(MOST_JSON))
            return
        if fault := fault_of_body(body, self._is_here):
            if fault == TOOL_FILE and (call := tool_call_of(body)) is not None:
                await _answer_call(send, call, fault)
            else:
                await _refuse(send, 400, fault)
        elif _JOINS.search(scope["path"]) and self._has_enough(scope):
            await _refuse(send, 429, "as much of your work waits or goes on as may; wait for some of it, or stop it")
        else:
            await self._app(scope, _replayed(body, receive), send)


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
    await _answer(send, status, {"detail": sentence, "error": sentence})


async def _answer_call(send: Send, call: object, sentence: str) -> None:
    """As what a tool of MCP says: clients show nothing of an answer of another status."""
    log_event("refusal", status=200)
    said = {"content": [{"type": "text", "text": sentence}], "isError": True}
    await _answer(send, 200, {"jsonrpc": "2.0", "id": call, "result": said})


async def _answer(send: Send, status: int, data: object) -> None:
    body = json.dumps(data).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
