"""Attacks of many connections and of other web pages, what outlives the server and what it tells of itself; and that
what is answered from memory is what would be answered without it."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from fastapi.middleware.asyncexitstack import AsyncExitStackMiddleware
from starlette.applications import Starlette

from leaderboard.account import Account
from leaderboard.app import App
from leaderboard.charts.chart import plotly_script
from leaderboard.data_files import data_files
from leaderboard.html.early import finish
from leaderboard.http.answers import (
    DATA,
    DEMO_PHOTO,
    FILE,
    HELP,
    MOST_PAGES,
    PageCache,
    card_route,
    data_route,
    file_routes,
    metrics_page,
)
from leaderboard.http.request_limits import FOREIGN, HEADERS, RequestLimits
from leaderboard.settings import Settings
from leaderboard.snapshot import Snapshot, SnapshotWatch
from qbench.assets import assets_folder
from tests.browser.conftest import free_port, start_app
from tests.leaderboard.conftest import ask
from tests.leaderboard.made import result


def head_of(host: str, path: str, kind: str, length: int) -> bytes:
    """What a request begins with that tells this length."""
    told = f"Host: {host}\r\nContent-Type: {kind}\r\nContent-Length: {length}"
    return f"POST /gradio_api/{path} HTTP/1.1\r\n{told}\r\n\r\n".encode()


def test_bodies_that_come_at_once_are_bounded(served: str) -> None:
    """Each of 2 MB, and of one address 16."""
    place = urlsplit(served)
    head = head_of(place.netloc, "call/check", "application/json", 2**21)
    begun = [socket.create_connection((place.hostname, place.port)) for _ in range(60)]
    statuses: Counter[bytes] = Counter()
    try:
        for connection in begun:
            with suppress(ConnectionError):
                connection.sendall(head + b" " * (2**21 - 1))
        for connection in begun[::-1]:
            connection.settimeout(0.2)
            with suppress(TimeoutError, ConnectionError):
                statuses[connection.recv(2**16).split()[1]] += 1
            if statuses[b"429"] > 30:
                break
    finally:
        for connection in begun:
            connection.close()
    assert statuses[b"429"] > 30


def test_many_ranges_of_a_file_are_one_whole(served: str) -> None:
    ranges = "bytes=" + ",".join(f"{number}-{number}" for number in range(2000))
    with httpx.Client(base_url=f"{served}gradio_api/") as client:
        [path] = client.post("upload", files={"files": ("a.txt", b"0123456789")}).json()
        for asked in (ranges, "bytes=--", "bytes=5-2", f"bytes={'9' * 5000}-{'9' * 5000}", "bytes=0-3"):
            answer = client.get(f"file={path}", headers={"Range": asked})
            assert (answer.status_code, answer.content) == (200, b"0123456789")


@pytest.mark.slow(reason="starts an app twice")
def test_nothing_that_a_killed_server_was_given_is_served_or_kept_by_the_next(tmp_path: Path) -> None:
    """A visitor's photo was, under its address."""
    own = {"TMPDIR": str(tmp_path), "PATH": os.environ["PATH"]}
    process, address = start_app(tmp_path / "results", tmp_path / "log", free_port(), **own)
    try:
        [path] = httpx.post(f"{address}gradio_api/upload", files={"files": ("a.txt", b"mine")}).json()
        assert httpx.get(f"{address}gradio_api/file={path}").content == b"mine"
        place = urlsplit(address)
        with socket.create_connection((place.hostname, place.port)) as cut:
            part = b'--x\r\nContent-Disposition: form-data; name="files"; filename="b"\r\n\r\nhalf'
            cut.sendall(head_of(place.netloc, "upload", "multipart/form-data; boundary=x", 1000) + part)
    finally:
        process.kill()
        process.wait()
    process, address = start_app(tmp_path / "results", tmp_path / "log", free_port(), **own)
    try:
        assert httpx.get(f"{address}gradio_api/file={path}").status_code == 403
        left = [file for file in tmp_path.rglob("*") if file.is_file() and file.read_bytes() in (b"mine", b"half")]
        assert left == []
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    ("method", "about", "passed", "kept"),
    [
        ("POST", {}, True, True),  # a script
        ("POST", {"origin": "https://board.hf.space", "sec-fetch-site": "same-origin"}, True, True),
        ("POST", {"origin": "http://board.hf.space:80"}, True, True),
        ("POST", {"host": "[::1]:7860", "origin": "http://[::1]:7860"}, True, True),
        ("POST", {"origin": "https://evil.example"}, False, False),
        ("POST", {"origin": "https://huggingface.co"}, False, False),  # frames the page, and asks nothing itself
        ("POST", {"origin": "http://board.hf.space:8080"}, False, False),
        ("POST", {"origin": "http://board.hf.space.evil.example"}, False, False),
        # Our proxy's word.
        ("POST", {"origin": "https://evil.example", "x-forwarded-host": "evil.example"}, True, True),
        ("POST", {"origin": "null"}, False, False),
        ("POST", {"origin": "nonsense"}, False, False),
        ("POST", {"sec-fetch-site": "cross-site"}, False, False),
        ("POST", {"sec-fetch-site": "same-site"}, False, False),
        ("POST", {"origin": "https://lab.example", "sec-fetch-site": "cross-site"}, True, False),  # named by the owner
        ("OPTIONS", {"origin": "https://evil.example"}, False, False),
        ("GET", {"origin": "https://evil.example", "sec-fetch-mode": "cors"}, True, False),
        ("GET", {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}, True, False),
        ("GET", {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, True, True),  # back from the log-in
    ],
)
def test_other_web_pages_ask_for_nothing_and_never_read_as_whoever_is_logged_in(
    method: str, about: dict[str, str], passed: bool, kept: bool
) -> None:
    seen: list[list[tuple[bytes, bytes]]] = []

    async def app(scope: Any, _receive: Any, _send: Any) -> None:
        seen.append(scope["headers"])

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"{}"}

    headers = {"host": "board.hf.space", "cookie": "session=ada", "content-type": "application/json", **about}
    limits = RequestLimits(app, 1, Account(), origins=("https://lab.example",))
    status, said = asyncio.run(ask(limits, "/gradio_api/queue/join", headers, receive, method=method))
    assert bool(seen) == passed
    if passed:
        assert ((b"cookie", b"session=ada") in seen[0]) == kept
    else:
        assert (status, json.loads(said)["detail"]) == (403, FOREIGN)


def test_the_server_says_how_it_is_and_counts(served: str) -> None:
    said = get(served, "/healthz").json()
    waiting = said.pop("waiting")  # as many as other tests handed in
    assert said == {"status": "ok", "problems": 0, "unsent": 0, "lag_seconds": 0}
    assert f"\nqbench_submissions_waiting {waiting}\n" in get(served, "/metrics").text


def test_counters_are_those_that_prometheus_reads() -> None:
    statuses = Counter([200, 304, 404, 400, 403, 413, 413, 429, 503])
    page = metrics_page(dict.fromkeys(HELP, 0.0) | {"qbench_submissions_waiting": 3.0}, statuses)
    assert "# TYPE qbench_requests_total counter\n" in page
    assert 'qbench_requests_total{status="413"} 2\n' in page
    assert "# TYPE qbench_refused_total counter\nqbench_refused_total 6\n" in page
    assert "# TYPE qbench_submissions_waiting gauge\nqbench_submissions_waiting 3\n" in page
    assert page.count("# TYPE") == len(HELP)


PAGE = b"<html>the page</html>"


def get(address: str, path: str, headers: dict[str, str] | None = None) -> httpx.Response:
    return httpx.get(f"{address.rstrip('/')}{path}", headers=headers, timeout=None)


def written(app: App, path: str, headers: dict[str, str]) -> bytes:
    """What Gradio itself answers, asked past everything that stands before it, and the page with its first screen."""
    routes = AsyncExitStackMiddleware(app.demo.app.router, "fastapi_middleware_astack")
    _, content = asyncio.run(ask(routes, path, headers, http_version="1.1", root_path="", app=app.demo.app))
    return finish(content, title=app.demo.title, shown_early=app.early) if path == "/" else content


def test_the_page_is_the_one_that_gradio_writes(served: str, served_app: App) -> None:
    page = written(served_app, "/", {"Host": urlsplit(served).netloc})
    for path in ("/", "/?tab=bias", "/?page=x", "/?deep_link=a", "/"):
        answer = get(served, path, {"Accept-Encoding": "gzip"})
        assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert (answer.headers["content-encoding"], answer.content) == ("gzip", page)
        assert {name.decode(): value.decode() for name, value in HEADERS.items()}.items() <= answer.headers.items()
    assert get(served, "/", {"Accept-Encoding": "identity"}).content == page
    again = get(served, "/", {"If-None-Match": f'"other", W/{answer.headers["etag"]}'})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("path", ["/", "/config"])
def test_a_page_names_the_address_that_it_was_opened_at(served: str, served_app: App, path: str) -> None:
    for headers in (
        {"X-Forwarded-Host": "board.example", "X-Forwarded-Proto": "https"},
        {"X-Forwarded-Host": "Board.example:80, inner", "X-Forwarded-Proto": "http"},
        {"Host": "board.example:7860", "X-Forwarded-Proto": "https, http"},
        {"Host": "[::1]:7860"},
    ):
        host = {"Host": urlsplit(served).netloc} | headers
        expected = written(served_app, path, host)
        assert get(served, path, host).content == expected
        assert get(served, path).content != expected


def test_no_path_of_the_server_is_told(served: str, served_app: App) -> None:
    """But for where Gradio keeps uploads, which a page must name to show one."""
    paths = [str(assets_folder().parent), str(plotly_script().parent), str(served_app.settings.submissions)]
    for place in ("/", "/config", "/gradio_api/info", "/gradio_api/openapi.json", "/gradio_api/file=none"):
        body = get(served, place).text
        assert [path for path in paths if path in body] == []


def test_data_scripts_and_styles_are_what_is_on_disk(served: str, served_app: App) -> None:
    snapshot = served_app.current()
    for name in ("index", snapshot.boards[0].key):
        answer = get(served, f"/board-data/{name}")
        said = data_files(snapshot, about="?tab=about")[name]()
        assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
        assert answer.json() == json.loads(said)
        assert get(served, f"/board-data/{name}", {"If-None-Match": answer.headers["etag"]}).status_code == 304
    for nothing in ("/board-data/nope", f"{DEMO_PHOTO}nothing.png"):
        assert get(served, nothing).status_code == 404
    styles, example = assets_folder() / "board" / "tokens.css", assets_folder() / "examples" / "run.zip"
    for name, path in {
        "board/tokens.css": styles,
        "examples/run.zip": example,
        "plotly.min.js": plotly_script(),
    }.items():
        answer = get(served, f"/gradio_api/file={name}", {"Accept-Encoding": "gzip, br"})
        assert (answer.headers["content-encoding"], answer.content) == ("gzip", path.read_bytes())


def test_the_page_is_written_once_whatever_the_address() -> None:
    asked: list[str] = []

    async def inner(scope: Any, _receive: Any, send: Any) -> None:
        asked.append(scope["path"])
        await asyncio.sleep(0)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/html")]})
        await send({"type": "http.response.body", "body": PAGE[:5], "more_body": True})
        await send({"type": "http.response.body", "body": PAGE[5:]})

    async def visit() -> None:
        cache = PageCache(inner)
        hosts = [{"Host": f"other-{number}"} for number in range(MOST_PAGES + 5)]
        together = await asyncio.gather(*(ask(cache, "/", host) for host in hosts))
        assert together == [(200, PAGE)] * (MOST_PAGES + 5)
        assert (asked, len(cache._pages._kept)) == (["/"], MOST_PAGES)

    asyncio.run(visit())


def test_data_change_with_the_store_and_files_with_their_content(tmp_path: Path) -> None:
    script = tmp_path / "pages" / "a.js"
    script.parent.mkdir()
    script.write_text("first")
    watch = SnapshotWatch(Settings(tmp_path / "assets", tmp_path / "results"))
    written: list[int] = []

    def files(snapshot: Snapshot) -> dict[str, Callable[[], str]]:
        def write() -> str:
            written.append(len(snapshot.loaded.records))
            return str(written[-1])

        return {"anything": write}

    data = data_route(watch, files)
    for name in ("nano-iqa", "of-somebody-else"):
        (tmp_path / "assets" / name).mkdir(parents=True)
        (tmp_path / "assets" / name / "README.md").write_text("a card")
    app = Starlette(routes=[data, card_route(tmp_path / "assets"), *file_routes([script.parent])])

    async def visit() -> None:
        assert await ask(app, "/card/nano-iqa") == (200, b"a card")
        for name in ("of-somebody-else", "nano-clip"):  # one is no model of the project, the other has no card here
            assert (await ask(app, f"/card/{name}"))[0] == 404
        assert [await ask(app, f"{DATA}anything") for _ in range(2)] == [(200, b"0")] * 2
        assert written == [0]
        (tmp_path / "results").mkdir()
        (tmp_path / "results" / "own.json").write_text(json.dumps(result("alpha").to_json()), encoding="utf-8")
        watch.look_again()
        assert await ask(app, f"{DATA}anything") == (200, b"1")
        assert await ask(app, f"{FILE}pages/a.js") == (200, b"first")
        script.write_text("the second")
        assert await ask(app, f"{FILE}pages/a.js") == (200, b"the second")
        assert (await ask(app, f"{FILE}pages/../pages/a.js"))[0] == 404  # left to the app

    asyncio.run(visit())
