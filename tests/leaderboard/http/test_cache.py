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

from leaderboard.app import App
from leaderboard.charts.chart import plotly_script
from leaderboard.export.data_files import data_file
from leaderboard.http.cache import DATA, FILE, MOST_PAGES, HttpCache
from leaderboard.http.request_limits import HEADERS
from leaderboard.settings import Settings
from leaderboard.snapshot import SnapshotWatch
from qbench.assets import assets_folder
from tests.leaderboard.made import result

PAGE = b"<html>the page</html>"
Answer = tuple[int, dict[str, str], bytes]


def get(address: str, path: str, **headers: str) -> Answer:
    connection = HTTPConnection(urlsplit(address).netloc)
    connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    reply = connection.getresponse()
    told = {name.lower(): value for name, value in reply.getheaders()}
    found = reply.status, told, reply.read()
    connection.close()
    return found


def test_the_page_is_the_one_that_gradio_writes(served: str) -> None:
    written = get(served, "/?page=")[2]  # not kept: this word makes Gradio answer another page
    for path in ("/", "/?tab=bias", "/"):
        status, told, body = get(served, path, Accept_Encoding="gzip")
        assert (status, told["content-type"]) == (200, "text/html; charset=utf-8")
        assert gzip.decompress(body) == written
        assert {name.decode(): value.decode() for name, value in HEADERS.items()}.items() <= told.items()
    assert get(served, "/")[2] == written
    again = get(served, "/", If_None_Match=f'"other", W/{told["etag"]}')
    assert (again[0], again[2]) == (304, b"")


def test_a_page_names_the_address_that_it_was_opened_at(served: str) -> None:
    behind = {"X_Forwarded_Host": "board.example", "X_Forwarded_Proto": "https"}
    for _ in range(2):
        body = get(served, "/", **behind)[2]
        assert body == get(served, "/?page=", **behind)[2]
        assert b"https://board.example" in body
        assert b"board.example" not in get(served, "/")[2]


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
        said = data_file(snapshot, name, assets_folder(), about="?tab=about")
        assert said is not None
        assert (status, told["content-type"], json.loads(body)) == (200, "application/json", json.loads(said))
        assert get(served, f"/board-data/{name}", If_None_Match=told["etag"])[0] == 304
    assert get(served, "/board-data/nope")[0] == 404
    styles, example = assets_folder() / "board" / "tokens.css", assets_folder() / "examples" / "run.zip"
    for name, path in {
        "board/tokens.css": styles,
        "examples/run.zip": example,
        "plotly.min.js": plotly_script(),
    }.items():
        status, told, body = get(served, f"/gradio_api/file={name}", Accept_Encoding="gzip, br")
        assert (status, told["content-encoding"], gzip.decompress(body)) == (200, "gzip", path.read_bytes())


class Inner:
    """An app whose page is answered as often as it is asked."""

    def __init__(self, status: int = 200) -> None:
        self.asked: list[str] = []
        self.status = status

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.asked.append(scope["path"])
        await asyncio.sleep(0)
        await send({"type": "http.response.start", "status": self.status, "headers": [(b"content-type", b"text/html")]})
        await send({"type": "http.response.body", "body": PAGE[:5], "more_body": True})
        await send({"type": "http.response.body", "body": PAGE[5:]})


async def ask(cache: HttpCache, path: str, query: bytes = b"", **headers: str) -> tuple[int, bytes]:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    named = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "GET", "path": path, "scheme": "http", "query_string": query, "headers": named}
    await cache(scope, None, send)  # type: ignore[arg-type]  # nobody receives
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent)


def make(tmp_path: Path, inner: Inner, files: tuple[Path, ...] = ()) -> tuple[HttpCache, SnapshotWatch]:
    watch = SnapshotWatch(Settings(tmp_path / "assets", tmp_path / "results"))
    return HttpCache(inner, watch, lambda snapshot, name: name and str(len(snapshot.loaded.records)), files), watch


def test_the_page_is_written_once_for_each_address_and_for_few(tmp_path: Path) -> None:
    inner = Inner()
    cache, _ = make(tmp_path, inner)

    async def visit() -> None:
        together = await asyncio.gather(*(ask(cache, "/", host="one") for _ in range(5)))
        assert together == [(200, PAGE)] * 5
        assert len(inner.asked) == 1
        for number in range(MOST_PAGES):
            await ask(cache, "/", host=f"other-{number}")
        assert len(inner.asked) == 1 + MOST_PAGES
        await ask(cache, "/", host=f"other-{MOST_PAGES - 1}")
        assert len(inner.asked) == 1 + MOST_PAGES
        await ask(cache, "/", host="one")
        assert len(inner.asked) == 2 + MOST_PAGES

    asyncio.run(visit())


@pytest.mark.parametrize("name", ["x_forwarded_host", "x_forwarded_proto", "x_gradio_server"])
def test_what_a_proxy_says_of_the_address_makes_another_page(tmp_path: Path, name: str) -> None:
    inner = Inner()
    cache, _ = make(tmp_path, inner)
    for value, written in (("http", 1), ("https", 2), ("http", 2)):
        asyncio.run(ask(cache, "/", host="one", **{name: value}))
        assert len(inner.asked) == written


@pytest.mark.parametrize(
    ("query", "headers", "status"),
    [(b"deep_link=a", {}, 200), (b"page", {}, 200), (b"", {"cookie": "a=1; access-token-x=2"}, 200), (b"", {}, 500)],
)
def test_what_is_not_everybodys_page_is_not_kept(
    tmp_path: Path, query: bytes, headers: dict[str, str], status: int
) -> None:
    inner = Inner(status)
    cache, _ = make(tmp_path, inner)
    for _ in range(2):
        assert asyncio.run(ask(cache, "/", query, **headers)) == (status, PAGE)
    assert len(inner.asked) >= 2


def test_data_change_with_the_store_and_files_with_their_content(tmp_path: Path) -> None:
    script = tmp_path / "pages" / "a.js"
    script.parent.mkdir()
    script.write_text("first")
    cache, watch = make(tmp_path, Inner(), (script.parent,))

    async def visit() -> None:
        assert await ask(cache, f"{DATA}anything") == (200, b"0")
        (tmp_path / "results").mkdir()
        (tmp_path / "results" / "own.json").write_text(json.dumps(result("alpha").to_json()), encoding="utf-8")
        watch.look_again()
        assert await ask(cache, f"{DATA}anything") == (200, b"1")
        assert await ask(cache, f"{FILE}pages/a.js") == (200, b"first")
        script.write_text("the second")
        assert await ask(cache, f"{FILE}pages/a.js") == (200, b"the second")
        assert await ask(cache, f"{FILE}pages/../pages/a.js") == (200, PAGE)  # left to the app

    asyncio.run(visit())
