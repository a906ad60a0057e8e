"""What is the same for all visitors, made once and kept packed, with an ETag: the page, the boards' data, scripts.

Gradio writes the page's configuration anew for each visitor and compresses each file each time. A browser that holds
an answer is told so with 304.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import mimetypes
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from email.utils import formatdate
from functools import partial
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leaderboard.snapshot import Snapshot, SnapshotWatch
from qbench.datasets.demo import picture_file
from qbench.models.builtin import embedded_model

DATA = "/board-data/"
"""Where the boards' data is, by the names of `leaderboard.data_files`."""
DEMO_PHOTO = "/demo-photo/"
FILE = "/gradio_api/file="
SAME_FOR_ALL = {"/": b"", "/config": b"", "/gradio_api/info": b"all_endpoints=True", "/gradio_api/openapi.json": b""}
"""What Gradio writes anew for each who asks, with nothing in it of who that is but the address of the server; and the
words of an address that ask for something else there, as clients do."""
MOST_PAGES = 8 * len(SAME_FOR_ALL)
"""Answers that are kept packed; one more takes the place of the oldest."""
_SOMEWHERE = b"somewhere.invalid"
"""The host that each of them is written for, once."""
_HOST = re.compile(r"([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?", re.ASCII)


class Body:
    """A body as it is sent, once for all.

    Args:
        content: What it says.
        kind: Its media type.
        written: When, in seconds since 1970; a body without that is asked for each time, in case it is another one.
    """

    def __init__(self, content: bytes, kind: str, written: float | None = None) -> None:
        self._packed = gzip.compress(content, 9)
        self._etag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
        self._headers = {"content-type": kind, "etag": self._etag, "vary": "accept-encoding"}
        if written is None:
            self._headers["cache-control"] = "no-cache"
        else:
            self._headers["last-modified"] = formatdate(written, usegmt=True)

    def answer(self, request: Request) -> Response:
        """The body, or that whoever asks holds it."""
        held = [part.strip().removeprefix("W/") for part in request.headers.get("if-none-match", "").split(",")]
        if self._etag in held:
            return Response(status_code=304, headers=self._headers)
        if "gzip" in request.headers.get("accept-encoding", ""):
            return Response(self._packed, headers={**self._headers, "content-encoding": "gzip"})
        return Response(gzip.decompress(self._packed), headers=self._headers)


class Bodies:
    """Bodies by their keys, each made by one of those who ask for it; the oldest goes where there are too many."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[object, Body] = {}
        self._making = asyncio.Lock()

    async def get(self, key: object, make: Callable[[], Awaitable[Body | None]]) -> Body | None:
        """The body of a key, made now unless it is there; None where `make` has none."""
        if key not in self._kept:
            async with self._making:
                if key not in self._kept:
                    body = await make()
                    if body is None:
                        return None
                    if len(self._kept) >= self._most:
                        del self._kept[next(iter(self._kept))]
                    self._kept[key] = body
                return self._kept[key]
        return self._kept[key]


def data_route(current: SnapshotWatch, files: Callable[[Snapshot], Mapping[str, Callable[[], str]]]) -> Route:
    """The boards' data: of a snapshot, the name of each of its files -> what makes its text, JSON."""
    kept: tuple[Snapshot | None, Bodies] = None, Bodies(200)

    def write(snapshot: Snapshot, name: str) -> Body | None:
        make = files(snapshot).get(name)
        return Body(make().encode(), "application/json") if make else None

    async def answer(request: Request) -> Response:
        nonlocal kept
        snapshot = current()
        name = request.path_params["name"]
        if snapshot is not kept[0]:
            kept = snapshot, Bodies(200)
        body = await kept[1].get(name, partial(asyncio.to_thread, write, snapshot, name))
        return body.answer(request) if body else Response(status_code=404)

    return Route(f"{DATA}{{name}}", answer)


def photo_route(folder: Path) -> Route:
    """The photos of the demo sets by their names; made below `folder` when first asked for."""

    async def answer(request: Request) -> Response:
        path = await asyncio.to_thread(picture_file, request.path_params["name"], folder)
        return FileResponse(path) if path else Response(status_code=404)

    return Route(f"{DEMO_PHOTO}{{name}}", answer)


def card_route(folder: Path) -> Route:
    """The cards of the models that come with the project, by their names."""

    async def answer(request: Request) -> Response:
        card = folder / request.path_params["name"] / "README.md"
        known = embedded_model(request.path_params["name"]) and card.is_file()
        return Response(card.read_bytes(), media_type="text/plain") if known else Response(status_code=404)

    return Route("/card/{name}", answer)


def file_routes(places: Iterable[Path]) -> list[Route]:
    """Folders and files of the app's own that browsers fetch, by their names alone: `board/table.css`."""
    bodies = Bodies(400)

    def read(path: Path, written: float) -> Body:
        return Body(path.read_bytes(), mimetypes.guess_type(path.name)[0] or "application/octet-stream", written)

    def route(name: str, path: Path) -> Route:
        async def answer(request: Request) -> Response:
            facts = path.stat()
            key = (path, facts.st_mtime_ns, facts.st_size)
            body = await bodies.get(key, partial(asyncio.to_thread, read, path, facts.st_mtime))
            assert body is not None
            return body.answer(request)

        return Route(f"{FILE}{name}", answer)

    return [
        route(path.relative_to(place.parent).as_posix(), path)
        for place in places
        for path in (place.iterdir() if place.is_dir() else [place])
        if path.is_file()
    ]


class PageCache:
    """An ASGI middleware: pages as they are for the address that they were opened at.

    Other words of an address than those of `SAME_FOR_ALL`, and cookies, change nothing: there is one page, views have
    links of their own, and nobody logs in by Gradio's own form.

    Args:
        app: What answers otherwise.
        finish: Makes the page that is sent of the one that Gradio wrote.
    """

    def __init__(self, app: ASGIApp, finish: Callable[[bytes], bytes] = bytes) -> None:
        self._app = app
        self._finish = finish
        self._written: dict[object, tuple[bytes, str]] = {}
        self._pages = Bodies(MOST_PAGES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"].rstrip("/") or "/" if scope["type"] == "http" else ""
        if path not in SAME_FOR_ALL or scope["method"] not in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        query = SAME_FOR_ALL[path] if scope["query_string"].lower() == SAME_FOR_ALL[path].lower() else b""
        page, place = (path, query, scope.get("root_path")), _place(scope)

        async def make() -> Body | None:
            if page not in self._written:
                written = await self._write(scope, receive, path, query)
                if written is None:
                    return None
                self._written[page] = written
            content, kind = self._written[page]
            return await asyncio.to_thread(Body, content.replace(b"http://" + _SOMEWHERE, place.encode()), kind)

        body = await self._pages.get((page, place), make)
        await (body.answer(Request(scope)) if body else self._app)(scope, receive, send)

    async def _write(self, scope: Scope, receive: Receive, path: str, query: bytes) -> tuple[bytes, str] | None:
        """A page as Gradio writes it for `_SOMEWHERE`, and its kind; None for anything but a whole page."""
        messages: list[Message] = []

        async def keep(message: Message) -> None:
            messages.append(message)

        asked = {"method": "GET", "scheme": "http", "path": path, "raw_path": path.encode(), "query_string": query}
        await self._app({**scope, **asked, "headers": [(b"host", _SOMEWHERE)]}, receive, keep)
        if messages[0]["status"] != 200:
            return None
        kind = dict(messages[0]["headers"]).get(b"content-type", b"")
        content = b"".join(message.get("body", b"") for message in messages[1:])
        return self._finish(content) if path == "/" else content, kind.decode("latin-1")


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


REFUSED = (400, 403, 413, 429, 503)
HELP = {
    "qbench_requests_total": "Requests answered, by status.",
    "qbench_refused_total": "Requests refused: too large, malformed, from other web pages, or too many.",
    "qbench_model_seconds_total": "Model time that visitors used, in seconds.",
    "qbench_work_going_on": "Visitors' jobs that run or wait for a model.",
    "qbench_submissions_waiting": "Submissions waiting for review.",
    "qbench_submissions": "Submissions on the board.",
    "qbench_store_unsent": "Files waiting for upload to the Hub.",
    "qbench_store_lag_seconds": "Seconds since the last synchronisation with the Hub; 0 without a Hub.",
    "qbench_store_problems": "Faults of the store: unreadable files, failed uploads, no place for submissions.",
}
Gauges = Callable[[], Mapping[str, float]]
"""The state of the board at this moment; raises where it cannot be read."""


def health_routes(gauges: Gauges, statuses: Counter[int]) -> list[Route]:
    """`/healthz` and `/metrics`, of these gauges, and of how many answers there were of each status."""

    def healthz(_request: Request) -> Response:
        try:
            known = gauges()
        except Exception as fault:  # noqa: BLE001 - whatever it is, this server is not well
            return JSONResponse({"status": "the board cannot be read", "fault": type(fault).__name__}, 503)
        told = {
            "problems": "store_problems",
            "waiting": "submissions_waiting",
            "unsent": "store_unsent",
            "lag_seconds": "store_lag_seconds",
        }
        return JSONResponse({"status": "ok", **{name: int(known[f"qbench_{key}"]) for name, key in told.items()}})

    def counted(_request: Request) -> Response:
        return Response(metrics_page(gauges(), statuses), media_type="text/plain; version=0.0.4; charset=utf-8")

    return [Route("/healthz", healthz), Route("/metrics", counted)]


def metrics_page(gauges: Mapping[str, float], statuses: Mapping[int, int]) -> str:
    """Counters and gauges in Prometheus' text format."""
    values = {**gauges, "qbench_refused_total": float(sum(statuses.get(status, 0) for status in REFUSED))}
    lines = []
    for name, said in HELP.items():
        kind = "counter" if name.endswith("_total") else "gauge"
        lines += [f"# HELP {name} {said}", f"# TYPE {name} {kind}"]
        if name == "qbench_requests_total":
            lines += [f'{name}{{status="{status}"}} {count}' for status, count in sorted(statuses.items())]
        else:
            lines.append(f"{name} {values[name]:g}")
    return "\n".join(lines) + "\n"
