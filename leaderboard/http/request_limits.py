"""What the server refuses of a request before Gradio reads it: too much of it, and addresses to fetch files from."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leaderboard.account import Account, FullError
from leaderboard.events import log_event
from leaderboard.http.request_json import TOOL_FILE, WEB_ADDRESS, fault_of_body, tool_call_of
from leaderboard.live.service.limits import Visitor, senders_at, visitor_at

MOST_JSON = 2 * 2**20
"""Bytes of a request that is no upload; what pages and scripts send is a hundredth of it."""
SLOWEST = 60.0
"""Seconds for a request to come whole, and for the next piece of an upload."""
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
NOT_OFFERED = re.compile(r"/(?:dev/reload|vibe-[a-z-]+|undo-vibe-edit|process_recording)/?$|/custom_component/")
"""For whoever writes an app; the first looks 20 times a second whether the code has changed, for each who asks, and the
last prints what it is given."""
PASSES_ON = re.compile(r"/gradio_api/(?:proxy=|file[=/]\s*https?:)", re.IGNORECASE)
"""Addresses at which Gradio fetches what another one holds, of any size and for any time."""
UPLOAD = "/gradio_api/upload"
"""The one place where files come; what is sent anywhere else is small, and is looked at before Gradio reads it."""
_PAGE = re.compile(r"/gradio_api/heartbeat/([^/]+)/?")
"""A connection that Gradio's script keeps while a page is open: whoever closes one leaves.

Gradio has an event for that, which takes a tenth of a second of the thread that answers everybody: 500 connections
closed at once kept the server from answering for a minute.
"""
_JOINS = re.compile(r"/gradio_api/(?:queue/join|call/|run/|api/)")
_DECIDE = (b"content-type", b"content-length", b"host", b"origin", b"sec-fetch-site", b"sec-fetch-mode")
"""Headers that say what a request is and who asks: of two, one reader takes the first and another the last."""
FOREIGN = (
    "requests are taken from this server's own pages and from scripts, not from other web pages; open the page itself"
)
_OF_OTHERS = (b"cross-site", b"same-site")


@dataclass(frozen=True)
class RequestLimits:
    """An ASGI middleware."""

    app: ASGIApp
    """What answers the requests that pass."""
    most_uploaded: int
    """Bytes of one request of uploads, all its files together."""
    account: Account
    """What visitors hold."""
    leave: Callable[[Visitor], object] = lambda _visitor: None
    """Told whose page was closed."""
    is_here: Callable[[str], bool] = lambda _path: True
    """Whether a file of this path was uploaded and is there still."""
    joined: Callable[[], Iterable[str | None]] = lambda: ()
    """Addresses that the work in the queue came from, waiting or going on."""
    origins: Collection[str] = ()
    """Other web pages that may ask, as `https://lab.example`."""
    statuses: Counter[int] = field(default_factory=Counter)
    """Counts the answers by their status."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        send = self._with_headers(send)
        page = _PAGE.fullmatch(_route(scope))
        visitor = visitor_at(page[1] if page else "", scope["client"][0] if scope.get("client") else None)
        try:
            with self.account.hold("page" if page else "request", visitor.senders):
                try:
                    await self._look_at(scope, visitor, receive, send)
                finally:
                    if page:
                        # Not waited for: it deletes files, and this may be cancelled.
                        asyncio.get_running_loop().run_in_executor(None, self.leave, visitor)
        except FullError as full:
            await _refuse(send, 429, str(full))

    def _with_headers(self, send: Send) -> Send:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.statuses[message["status"]] += 1
                told = {name.lower() for name, _ in message.get("headers", ())}
                more = [(name, value) for name, value in HEADERS.items() if name not in told]
                message = {**message, "headers": [*message.get("headers", ()), *more]}
            await send(message)

        return send_with_headers

    async def _look_at(self, scope: Scope, visitor: Visitor, receive: Receive, send: Send) -> None:
        """Pass a request on, or say why not, by its path and headers."""
        names = [name for name, _ in scope["headers"]]
        headers = dict(scope["headers"])
        is_reading = scope["method"] in ("GET", "HEAD")
        if repeated := [name for name in _DECIDE if names.count(name) > 1]:
            await _refuse(send, 400, f"the request has two headers {repeated[0].decode()}; send one")
        elif scope["path"].rstrip("/").endswith("/deep_link"):  # keeps what a page shows on disk, for anybody, for ever
            await _refuse(send, 404, "links to a view are made by the page itself; copy its address")
        elif NOT_OFFERED.search(scope["path"]):
            await _refuse(send, 404, "this server offers nothing there")
        elif PASSES_ON.search(scope["path"]):
            await _refuse(send, 400, WEB_ADDRESS)
        elif is_foreign(headers, self.origins) and not is_reading:
            await _refuse(send, 403, FOREIGN)
        else:
            dropped = {b"range"}  # whole files are small; Gradio fails at several ranges
            if is_foreign(headers, ()) and headers.get(b"sec-fetch-mode", b"").lower() != b"navigate":
                dropped.add(b"cookie")  # other web pages may read what scripts may, never as whoever is logged in here
            scope = {**scope, "headers": [pair for pair in scope["headers"] if pair[0] not in dropped]}
            if is_reading or scope["method"] == "OPTIONS":
                await self.app(scope, receive, send)
            else:
                await self._take_in(scope, visitor, receive, send)

    async def _take_in(self, scope: Scope, visitor: Visitor, receive: Receive, send: Send) -> None:
        """Pass on a request with a body, which counts from its beginning with the length that it tells."""
        is_upload = _route(scope).rstrip("/") == UPLOAD
        most = self.most_uploaded if is_upload else MOST_JSON
        told = int(dict(scope["headers"]).get(b"content-length", most))
        if told > most:
            await _refuse(send, 413, _too_large(most))
        elif is_upload:
            receive, got = _counted(receive, most)
            try:
                with self.account.hold("upload", visitor.senders, told):
                    await self.app(scope, receive, send)
            finally:
                if got[0]:
                    self.account.keep("upload", visitor.senders, got[0] + 2**16)  # small files take room and time too
        else:
            with self.account.hold("body", visitor.senders, told):
                await self._pass_on_json(scope, visitor, receive, send)

    async def _pass_on_json(self, scope: Scope, visitor: Visitor, receive: Receive, send: Send) -> None:
        try:
            body = await asyncio.wait_for(_read(receive, MOST_JSON), SLOWEST)
        except asyncio.TimeoutError:
            await _refuse(send, 408, f"the request did not come within {SLOWEST:.0f} seconds; send it again")
            return
        if body is None:
            await _refuse(send, 413, _too_large(MOST_JSON))
        elif fault := fault_of_body(body, self.is_here):
            if fault == TOOL_FILE and (call := tool_call_of(body)) is not None:
                await _answer_call(send, call, fault)
            else:
                await _refuse(send, 400, fault)
        elif _JOINS.match(_route(scope)):
            with self.account.hold("work", visitor.senders, beside=map(senders_at, self.joined())):
                await self.app(scope, _replayed(body, receive), send)
        else:
            await self.app(scope, _replayed(body, receive), send)


def _route(scope: Scope) -> str:
    """The path below where the app is mounted, as it finds what answers."""
    path, root = str(scope["path"]), str(scope.get("root_path") or "")
    return path[len(root) :] if path.startswith(f"{root}/") else path


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

    Beside it how many bytes came by now.
    """
    got = [0]

    async def receive_counted() -> Message:
        try:
            message = await asyncio.wait_for(receive(), SLOWEST)
        except asyncio.TimeoutError:
            return {"type": "http.disconnect"}
        got[0] += len(message.get("body", b""))
        return message if got[0] <= most else {"type": "http.disconnect"}

    return receive_counted, got


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
    await JSONResponse(data, status)({"type": "http"}, _never, send)


async def _never() -> Message:
    raise AssertionError("an answer receives nothing")


def is_foreign(headers: Mapping[bytes, bytes], named: Collection[str]) -> bool:
    """Whether another web page than this server's own, or one that its owner names, asks, as far as browsers tell.

    A browser names the page in `Origin` with every request that is more than reading, and with reading by a script of
    another page; `Sec-Fetch-Site` only where it trusts the connection. Programs name none.
    Behind a proxy the address that a browser has opened is in `X-Forwarded-Host`. A page elsewhere cannot send that
    one: browsers ask first whether they may, and are told no.
    """
    origin = headers.get(b"origin", b"").decode("latin-1").strip().lower()
    if not origin:
        return headers.get(b"sec-fetch-site", b"").lower() in _OF_OTHERS
    if origin in named:
        return False
    if origin == "null":  # of files, and of frames that may not know where they are
        return headers.get(b"sec-fetch-site", b"").lower() != b"same-origin"
    told = (
        part for name in (b"host", b"x-forwarded-host") for part in headers.get(name, b"").decode("latin-1").split(",")
    )
    place = _place(origin)
    return not place or place not in {_place(f"//{part.strip()}") for part in told}


def _place(address: str) -> str:
    """Host and port, without those that browsers leave out; empty where there is none."""
    try:
        parts = urlsplit(address.lower())
        port = "" if parts.port in (None, 80, 443) else f":{parts.port}"
    except ValueError:
        return ""
    return f"{parts.hostname}{port}" if parts.hostname else ""
