"""What is answered from memory is what would be answered without it, to whom it belongs, and only while it holds."""

from __future__ import annotations

import asyncio
import gzip
import json
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from fastapi.middleware.asyncexitstack import AsyncExitStackMiddleware
from starlette.applications import Starlette

from leaderboard.app import App
from leaderboard.charts.chart import plotly_script
from leaderboard.data_files import data_file
from leaderboard.html.early import finish
from leaderboard.http.answers import (
    DATA,
    DEMO_PHOTO,
    FILE,
    MOST_PAGES,
    PageCache,
    card_route,
    data_route,
    file_routes,
)
from leaderboard.http.request_limits import HEADERS
from leaderboard.settings import Settings
from leaderboard.snapshot import SnapshotWatch
from qbench.assets import assets_folder
from tests.leaderboard.http.asgi import ask
from tests.leaderboard.made import result

PAGE = b"<html>the page</html>"
Answer = tuple[int, dict[str, str], bytes]


def get(address: str, path: str, headers: dict[str, str] | None = None) -> Answer:
    connection = HTTPConnection(urlsplit(address).netloc)
    connection.request("GET", path, headers=headers or {})
    reply = connection.getresponse()
    told = {name.lower(): value for name, value in reply.getheaders()}
    found = reply.status, told, reply.read()
    connection.close()
    return found


def written(app: App, path: str, headers: dict[str, str]) -> bytes:
    """What Gradio itself answers, asked past everything that stands before it, and the page with its first screen."""
    routes = AsyncExitStackMiddleware(app.demo.app.router, "fastapi_middleware_astack")
    _, content = asyncio.run(ask(routes, path, headers, http_version="1.1", root_path="", app=app.demo.app))
    return finish(content, title=app.demo.title, shown_early=app.early) if path == "/" else content


def test_the_page_is_the_one_that_gradio_writes(served: str, served_app: App) -> None:
    page = written(served_app, "/", {"Host": urlsplit(served).netloc})
    for path in ("/", "/?tab=bias", "/?page=x", "/?deep_link=a", "/"):
        status, told, body = get(served, path, {"Accept-Encoding": "gzip"})
        assert (status, told["content-type"]) == (200, "text/html; charset=utf-8")
        assert gzip.decompress(body) == page
        assert {name.decode(): value.decode() for name, value in HEADERS.items()}.items() <= told.items()
    assert get(served, "/")[2] == page
    again = get(served, "/", {"If-None-Match": f'"other", W/{told["etag"]}'})
    assert (again[0], again[2]) == (304, b"")


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
        assert get(served, path, host)[2] == expected
        assert get(served, path)[2] != expected


def test_no_path_of_the_server_is_told(served: str, served_app: App) -> None:
    """But for where Gradio keeps uploads, which a page must name to show one."""
    paths = [str(assets_folder().parent), str(plotly_script().parent), str(served_app.settings.submissions)]
    for place in ("/", "/config", "/gradio_api/info", "/gradio_api/openapi.json", "/gradio_api/file=none"):
        body = get(served, place)[2].decode()
        assert [path for path in paths if path in body] == []


def test_data_scripts_and_styles_are_what_is_on_disk(served: str, served_app: App) -> None:
    snapshot = served_app.current()
    for name in ("index", snapshot.boards[0].key):
        status, told, body = get(served, f"/board-data/{name}")
        said = data_file(snapshot, name, about="?tab=about")
        assert said is not None
        assert (status, told["content-type"], json.loads(body)) == (200, "application/json", json.loads(said))
        assert get(served, f"/board-data/{name}", {"If-None-Match": told["etag"]})[0] == 304
    for nothing in ("/board-data/nope", f"{DEMO_PHOTO}nothing.png"):
        assert get(served, nothing)[0] == 404
    styles, example = assets_folder() / "board" / "tokens.css", assets_folder() / "examples" / "run.zip"
    for name, path in {
        "board/tokens.css": styles,
        "examples/run.zip": example,
        "plotly.min.js": plotly_script(),
    }.items():
        status, told, body = get(served, f"/gradio_api/file={name}", {"Accept-Encoding": "gzip, br"})
        assert (status, told["content-encoding"], gzip.decompress(body)) == (200, "gzip", path.read_bytes())


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
    written: list[str] = []
    data = data_route(watch, lambda snapshot, name: written.append(name) or str(len(snapshot.loaded.records)))
    card = tmp_path / "assets" / "nano-iqa" / "README.md"
    card.parent.mkdir(parents=True)
    card.write_text("a card")
    app = Starlette(routes=[data, card_route(tmp_path / "assets"), *file_routes([script.parent])])

    async def visit() -> None:
        assert await ask(app, "/card/nano-iqa") == (200, b"a card")
        assert (await ask(app, "/card/sharpness"))[0] == 404
        assert [await ask(app, f"{DATA}anything") for _ in range(2)] == [(200, b"0")] * 2
        assert written == ["anything"]
        (tmp_path / "results").mkdir()
        (tmp_path / "results" / "own.json").write_text(json.dumps(result("alpha").to_json()), encoding="utf-8")
        watch.look_again()
        assert await ask(app, f"{DATA}anything") == (200, b"1")
        assert await ask(app, f"{FILE}pages/a.js") == (200, b"first")
        script.write_text("the second")
        assert await ask(app, f"{FILE}pages/a.js") == (200, b"the second")
        assert (await ask(app, f"{FILE}pages/../pages/a.js"))[0] == 404  # left to the app

    asyncio.run(visit())
