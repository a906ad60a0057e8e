"""What is the same for all visitors, answered from memory: the page, the boards' data, scripts and styles.

Gradio writes the page's configuration anew for each visitor and compresses each file each time. Here each is made and
compressed once, and has an ETag: a browser that holds it is answered with 304.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import mimetypes
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from email.utils import formatdate
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qs

from leaderboard.http.asgi import AsgiApp, Message, Receive, Scope, Send
from leaderboard.snapshot import Snapshot, SnapshotWatch

DATA = "/board-data/"
"""Where the boards' data is, by the names of `leaderboard.export.data_files`."""
FILE = "/gradio_api/file="
MOST_PAGES = 8
"""A page names the address it was opened at; an address more than these takes the place of the oldest."""
NAMES_THE_PAGE = (b"host", b"x-forwarded-host", b"x-forwarded-proto", b"x-gradio-server")
"""Headers that Gradio makes a page's address of."""
CHANGES_THE_PAGE = {"page", "deep_link", "all_endpoints"}
"""Words of an address that make Gradio answer something else."""
LOGGED_IN = b"access-token"
"""Cookie of Gradio's own log-in, whose page has a name in it."""

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
        self._pages: dict[object, Body] = {}
        self._documents: dict[object, Body] = {}
        self._contents: dict[object, Body] = {}
        self._snapshot: Snapshot | None = None
        self._making: dict[object, asyncio.Future[Any]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await self._find(scope, receive) if scope["type"] == "http" and scope["method"] == "GET" else None
        if body is None:
            await self._app(scope, receive, send)
        else:
            await _answer(body, dict(scope["headers"]), send)

    async def _find(self, scope: Scope, receive: Receive) -> Body | None:
        path: str = scope["path"]
        if path == "/":
            return await self._find_page(scope, receive)
        if path.startswith(DATA):
            return await self._find_document(path.removeprefix(DATA))
        if path in self._files:
            return await self._find_file(self._files[path])
        return None

    async def _find_page(self, scope: Scope, receive: Receive) -> Body | None:
        headers = dict(scope["headers"])
        if CHANGES_THE_PAGE & set(parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)):
            return None
        if LOGGED_IN in headers.get(b"cookie", b""):
            return None
        key = ("page", scope["scheme"], scope.get("root_path"), *map(headers.get, NAMES_THE_PAGE))
        if key not in self._pages:
            made = await self._once(key, partial(self._render, scope, receive))
            if made is None:
                return None
            self._pages[key] = made
            while len(self._pages) > MOST_PAGES:
                del self._pages[next(iter(self._pages))]
            return made
        return self._pages[key]

    async def _render(self, scope: Scope, receive: Receive) -> Body | None:
        """The page as Gradio writes it; None for anything but a whole page."""
        messages: list[Message] = []

        async def keep(message: Message) -> None:
            messages.append(message)

        await self._app(scope, receive, keep)
        kind = dict(messages[0]["headers"]).get(b"content-type", b"")
        if messages[0]["status"] != 200 or not kind.startswith(b"text/html"):
            return None
        return await asyncio.to_thread(_pack, b"".join(message.get("body", b"") for message in messages[1:]), kind)

    async def _find_document(self, name: str) -> Body | None:
        snapshot = self._current.if_fresh()
        if snapshot is None:
            snapshot = await self._once("snapshot", partial(asyncio.to_thread, self._current))
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


async def _answer(body: Body, headers: dict[bytes, bytes], send: Send) -> None:
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
    await send({"type": "http.response.body", "body": content})
