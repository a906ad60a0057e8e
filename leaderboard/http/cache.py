"""What is the same for all visitors, answered from memory: the page, the boards' data, scripts and styles.

Gradio writes the page's configuration anew for each visitor and compresses each file each time. Here each is made
once, compressed once for each address of the server, and has an ETag: a browser that holds it is answered with 304.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import mimetypes
import re
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from email.utils import formatdate
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from leaderboard.http.asgi import AsgiApp, Message, Receive, Scope, Send
from leaderboard.snapshot import Snapshot, SnapshotWatch

DATA = "/board-data/"
"""Where the boards' data is, by the names of `leaderboard.data_files`."""
FILE = "/gradio_api/file="
SAME_FOR_ALL = {"/": b"", "/config": b"", "/gradio_api/info": b"all_endpoints=True", "/gradio_api/openapi.json": b""}
"""What Gradio writes anew for each who asks, with nothing in it of who that is but the address of the server; and the
words of an address that ask for something else there, as clients do.

Other words (`?page=`, `?deep_link=`) and cookies change nothing: there is one page, views have links of their own, and
nobody logs in by Gradio's own form.
"""
MOST_PAGES = 8 * len(SAME_FOR_ALL)
"""Answers that are kept packed; one more takes the place of the oldest."""
_SOMEWHERE = b"somewhere.invalid"
"""The host that each of them is written for, once."""
_HOST = re.compile(r"([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?", re.ASCII)

Made = TypeVar("Made")


@dataclass(frozen=True)
class Body:
    """A body in the form that it is sent in."""

    packed: bytes
    etag: bytes
    headers: tuple[tuple[bytes, bytes], ...]


class HttpCache:
    """An ASGI middleware.

    Args:
        app: What answers everything else.
        current: The snapshot of the moment.
        document: Text of one of the boards' data files as JSON; None where there is none of that name.
        files: Folders and files of the app's own that browsers fetch, by their names alone: `board/table.css`.
    """

    def __init__(
        self,
        app: AsgiApp,
        current: SnapshotWatch,
        document: Callable[[Snapshot, str], str | None],
        files: Iterable[Path],
    ) -> None:
        self._app = app
        self._current = current
        self._document = document
        self._files = {
            FILE + path.relative_to(place.parent).as_posix(): path
            for place in files
            for path in (place.iterdir() if place.is_dir() else [place])
            if path.is_file()
        }
        self._written: dict[object, tuple[bytes, bytes]] = {}
        self._pages: dict[object, Body] = {}
        self._documents: dict[object, Body] = {}
        self._contents: dict[object, Body] = {}
        self._snapshot: Snapshot | None = None
        self._making: dict[object, asyncio.Future[Any]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_reading = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        body = await self._find(scope, receive) if is_reading else None
        if body is None:
            await self._app(scope, receive, send)
        else:
            await _answer(body, dict(scope["headers"]), send, whole=scope["method"] == "GET")

    async def _find(self, scope: Scope, receive: Receive) -> Body | None:
        path: str = scope["path"]
        if (path.rstrip("/") or "/") in SAME_FOR_ALL:
            return await self._find_page(scope, receive, path.rstrip("/") or "/")
        if path.startswith(DATA):
            return await self._find_document(path.removeprefix(DATA))
        if path in self._files:
            return await self._find_file(self._files[path])
        return None

    async def _find_page(self, scope: Scope, receive: Receive, path: str) -> Body | None:
        """The page as it is for the address that it was opened at."""
        query = SAME_FOR_ALL[path] if scope["query_string"].lower() == SAME_FOR_ALL[path].lower() else b""
        page = (path, query, scope.get("root_path"))
        place = _place(scope)
        if (page, place) in self._pages:
            return self._pages[page, place]
        if page not in self._written:
            written = await self._once(page, partial(self._write_page, scope, receive, path, query))
            if written is None:
                return None
            self._written[page] = written
        content, kind = self._written[page]
        here = content.replace(b"http://" + _SOMEWHERE, place.encode())
        body = await self._once((page, place), partial(asyncio.to_thread, _pack, here, kind))
        self._pages[page, place] = body
        while len(self._pages) > MOST_PAGES:
            del self._pages[next(iter(self._pages))]
        return body

    async def _write_page(self, scope: Scope, receive: Receive, path: str, query: bytes) -> tuple[bytes, bytes] | None:
        """A page as Gradio writes it for `_SOMEWHERE`, and its kind; None for anything but a whole page."""
        messages: list[Message] = []

        async def keep(message: Message) -> None:
            messages.append(message)

        asked = {"method": "GET", "scheme": "http", "path": path, "raw_path": path.encode(), "query_string": query}
        await self._app({**scope, **asked, "headers": [(b"host", _SOMEWHERE)]}, receive, keep)
        if messages[0]["status"] != 200:
            return None
        kind = dict(messages[0]["headers"]).get(b"content-type", b"")
        return b"".join(message.get("body", b"") for message in messages[1:]), kind

    async def _find_document(self, name: str) -> Body | None:
        snapshot = self._current()
        if snapshot is not self._snapshot:
            self._snapshot = snapshot
            self._documents.clear()
        if name in self._documents:
            return self._documents[name]
        body = await self._once((id(snapshot), name), partial(asyncio.to_thread, self._write, snapshot, name))
        if body is not None and snapshot is self._snapshot:
            self._documents[name] = body
        return body

    def _write(self, snapshot: Snapshot, name: str) -> Body | None:
        text = self._document(snapshot, name)
        return None if text is None else _pack(text.encode(), b"application/json")

    async def _find_file(self, path: Path) -> Body | None:
        try:
            facts = path.stat()
        except OSError:
            return None
        key = (path, facts.st_mtime_ns, facts.st_size)
        if key not in self._contents:
            self._contents[key] = await self._once(key, partial(asyncio.to_thread, _read, path, facts.st_mtime))
        return self._contents[key]

    async def _once(self, key: object, make: Callable[[], Awaitable[Made]]) -> Made:
        """What `make` gives; those who ask meanwhile wait for the same."""
        if key not in self._making:
            self._making[key] = asyncio.ensure_future(make())
            self._making[key].add_done_callback(lambda _: self._making.pop(key))
        made: Made = await asyncio.shield(self._making[key])
        return made


def _read(path: Path, written: float) -> Body:
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    told = (b"last-modified", formatdate(written, usegmt=True).encode())
    return _pack(path.read_bytes(), kind.encode(), told)


def _pack(content: bytes, kind: bytes, lifetime: tuple[bytes, bytes] = (b"cache-control", b"no-cache")) -> Body:
    """Without a lifetime of its own a browser asks each time whether it is still the same."""
    etag = b'"' + hashlib.sha256(content).hexdigest()[:32].encode() + b'"'
    headers = ((b"content-type", kind), (b"etag", etag), (b"vary", b"accept-encoding"), lifetime)
    return Body(gzip.compress(content, 9), etag, headers)


def _place(scope: Scope) -> str:
    """Where the app is for whoever asks, `https://board.example`, as Gradio works it out; some address at any rate."""
    headers = dict(scope["headers"])
    forwarded, host, proto = (
        headers.get(name, b"").decode("latin-1").split(",")[0].strip().lower()
        for name in (b"x-forwarded-host", b"host", b"x-forwarded-proto")
    )
    scheme = "https" if proto == "https" else "http" if forwarded else scope["scheme"]
    server = ":".join(map(str, scope.get("server") or ("localhost",)))
    place = next((name for name in (forwarded, host) if _HOST.fullmatch(name)), server)
    return f"{scheme}://{place.removesuffix(':443' if scheme == 'https' else ':80')}"


async def _answer(body: Body, headers: dict[bytes, bytes], send: Send, *, whole: bool) -> None:
    held = [part.strip().removeprefix(b"W/") for part in headers.get(b"if-none-match", b"").split(b",")]
    if body.etag in held:
        await send({"type": "http.response.start", "status": 304, "headers": list(body.headers)})
        await send({"type": "http.response.body", "body": b""})
        return
    packed = b"gzip" in headers.get(b"accept-encoding", b"")
    content = body.packed if packed else gzip.decompress(body.packed)
    told = [*body.headers, (b"content-length", str(len(content)).encode())]
    if packed:
        told.append((b"content-encoding", b"gzip"))
    await send({"type": "http.response.start", "status": 200, "headers": told})
    await send({"type": "http.response.body", "body": content if whole else b""})
