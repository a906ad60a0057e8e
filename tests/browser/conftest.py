"""A real browser against the real app, and against static sites made from chosen results."""

from __future__ import annotations

import http.server
import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

from leaderboard.boards import all_boards
from leaderboard.charts.chart import plotly_script
from leaderboard.data_files import data_files
from leaderboard.export.site import MODULES, SITE, data_script, export_site, modules_script
from leaderboard.settings import read_settings
from leaderboard.snapshot import Snapshot, open_snapshot
from leaderboard.store import Loaded, Recorded, SkippedFile
from leaderboard.store.submission import Entry
from leaderboard.tables.columns import Board
from leaderboard.tables.provenance import read_papers
from qbench.models.catalogue import find_model
from qbench.records import Result
from tests.browser.chromium import find_chromium, open_browser

NewPage = Callable[..., Page]
NewSite = Callable[..., str]
ROOT = Path(__file__).resolve().parents[2]
ASSETS = ROOT / "assets"
CUT = ("ERR_INCOMPLETE_CHUNKED_ENCODING", "signal is aborted without reason", "Connection errored out")
"""What the console says of an answer that nobody waits for any more: the page was left, or the app stopped first."""
STARTS_WITHIN = 180
"""Seconds; several times what it takes, for a busy machine."""
PATIENCE = int(os.environ.get("PAGE_PATIENCE_MS", "180000"))
"""Milliseconds until a page that does not come to what is expected fails; many times what it takes, likewise."""
expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    try:
        find_chromium()
    except RuntimeError as fault:
        pytest.fail(str(fault), pytrace=False)
    with open_browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """For what the app of a test file keeps."""
    return tmp_path_factory.mktemp("kept")


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the app, run as people run it, with one corrupt file among its results."""
    results = tmp_path_factory.mktemp("results")
    (results / "broken.json").write_text('[{"schema": 1', encoding="utf-8")
    with run_app(results, tmp_path_factory.mktemp("app") / "log") as address:
        yield address


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of an app with models that need no weights, for pages that ask models about a photo or two."""
    folder = tmp_path_factory.mktemp("studio")
    settings = {"QBENCH_MODELS": "scripted,sharpness,brightness,niqe,scripted:second"}
    settings |= {"QBENCH_RUNS": str(folder / "runs"), "GRADIO_TEMP_DIR": str(folder / "uploads")}
    with run_app(folder / "results", folder / "log", **settings) as address:
        yield address


@pytest.fixture(scope="session")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the boards' pages alone, each file made when it is asked for, with one corrupt file among the results.

    They are the scripts and data that the app's pages show, and come in a fifth of the time that Gradio takes.
    """
    results, made = tmp_path_factory.mktemp("results"), tmp_path_factory.mktemp("made")
    (results / "broken.json").write_text('[{"schema": 1', encoding="utf-8")
    snapshot = open_snapshot(read_settings({"QBENCH_RESULTS": str(results)}, ROOT))
    files = data_files(snapshot, about="?tab=about", in_app=False)
    (made / MODULES).write_text(modules_script(ASSETS), encoding="utf-8")
    making = threading.Lock()

    class OnDemand(Quiet):
        def translate_path(self, path: str) -> str:
            asked = Path(urlsplit(path).path.strip("/") or f"board/{SITE}")
            if asked.name == plotly_script().name:
                return str(plotly_script())
            if asked.name == MODULES:
                return str(made / MODULES)
            if asked.parts[0] != "data":
                return str(ROOT / "assets" / asked)
            with making:
                if not (file := made / asked.name).exists() and (make := files.get(asked.stem)):
                    file.write_text(data_script(asked.stem, make()), encoding="utf-8")
            return str(file)

    with serve_files(OnDemand) as address:
        yield address


@contextmanager
def serve_files(handler: Callable[..., http.server.SimpleHTTPRequestHandler]) -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@contextmanager
def run_app(results: Path, log: Path, **more: str) -> Iterator[str]:
    """Address of the app with folders of results and submissions of its own, and more settings by their names.

    An error that nobody expects fails the test that ends the app, whether or not a page showed it.
    """
    process, address = start_app(results, log, free_port(), **more)
    try:
        yield address
    finally:
        process.terminate()
        process.wait(10)
    told = log.read_text(encoding="utf-8")
    assert "event=fault" not in told, told


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def start_app(
    results: Path,
    log: Path,
    port: int,
    program: Sequence[str] = ("-m", "tests.scripted", "app"),
    where: Path = ROOT,
    **more: str,
) -> tuple[subprocess.Popen[bytes], str]:
    """The app as a process, once it answers, and its address."""
    settings = {"GRADIO_SERVER_PORT": str(port), "GRADIO_ANALYTICS_ENABLED": "False", "QBENCH_RESULTS": str(results)}
    settings |= {"QBENCH_SUBMISSIONS": str(log.parent / "submissions")}
    settings |= {"QBENCH_MODELS": "sharpness"} | more  # with those that have weights, each app would import PyTorch
    with log.open("a") as output:
        process = subprocess.Popen(
            [sys.executable, *program], cwd=where, env={**os.environ, **settings}, stdout=output, stderr=output
        )
    try:
        return process, wait_for(f"http://127.0.0.1:{port}/", process, log)
    except BaseException:
        process.kill()
        raise


def wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> str:
    until = time.monotonic() + STARTS_WITHIN
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(address):
                return address
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
    pytest.fail(f"the app did not answer at {address}:\n{log.read_text(encoding='utf-8')}", pytrace=False)


@pytest.fixture(scope="session")
def used_contexts() -> dict[str, list[BrowserContext]]:
    """Contexts of tests that are over, by colour scheme: scripts that one has compiled come in 3/4 of the time."""
    return {"light": [], "dark": []}


@pytest.fixture
def new_page(browser: Browser, used_contexts: dict[str, list[BrowserContext]]) -> Iterator[NewPage]:
    """Open pages of new visitors, which must stay quiet until the test is over."""
    with quiet_pages(browser, used_contexts) as open_page:
        yield open_page


@pytest.fixture
def show(boards: str, new_page: NewPage) -> NewPage:
    """Open the boards' pages at what an address asks for."""
    return lambda query="?tab=leaderboard", **options: new_page(boards + query, **options)


@contextmanager
def quiet_pages(browser: Browser, used_contexts: dict[str, list[BrowserContext]]) -> Iterator[NewPage]:
    """Open pages of new visitors that must stay quiet: no console errors, no dialogs, no request to anywhere else."""
    faults: list[str] = []
    to_keep: list[tuple[str, BrowserContext]] = []
    to_close: list[BrowserContext] = []

    def watch(message: ConsoleMessage) -> None:
        if message.type == "error" and not any(cut in message.text for cut in CUT):
            faults.append(f"console: {message.text}")

    def open_page(
        address: str, *, width: int = 1280, scheme: str = "light", ready: str = ".qb-status", **options: object
    ) -> Page:
        if not options and used_contexts[scheme]:
            context = used_contexts[scheme].pop()
            context.clear_cookies()
        else:
            context = browser.new_context(color_scheme=scheme, accept_downloads=True, **options)
            context.set_default_timeout(PATIENCE)
        if options:
            to_close.append(context)
        else:
            to_keep.append((scheme, context))
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": 900})
        origin = {"origin": address[: address.index("/", 8)], "storageTypes": "local_storage"}
        context.new_cdp_session(page).send("Storage.clearDataForOrigin", origin)
        page.on("console", watch)
        page.on("pageerror", lambda fault: faults.append(f"error: {fault}"))
        page.on("dialog", lambda dialog: faults.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: faults.extend(outside(request.url)))
        page.goto(address)
        page.locator(ready).first.wait_for()
        return page

    yield open_page
    for context in to_close:
        context.close()
    for scheme, context in to_keep:
        for page in context.pages:
            page.close()
        used_contexts[scheme].append(context)
    assert faults == []


def outside(address: str) -> list[str]:
    parts = urlsplit(address)
    at_home = parts.hostname == "127.0.0.1" or parts.scheme in ("data", "blob")
    return [] if at_home else [f"request to {address}"]


@pytest.fixture
def new_site(tmp_path: Path) -> Iterator[NewSite]:
    """Serve the static site of some results; returns the address of its boards, to which a view is added with `&`."""
    servers = ExitStack()

    def serve(
        results: Sequence[Result] = (),
        *,
        boards: Sequence[Board] = (),
        problems: Sequence[SkippedFile] = (),
        entries: Sequence[Entry] = (),
        records: Sequence[Recorded] = (),
        link: str | None = None,
    ) -> str:
        papers = read_papers(ASSETS / "published")
        handed_in = [entry for entry in entries if entry.status == "accepted"]
        made = [
            Recorded(result, next((entry for entry in handed_in if result in entry.submission.results), None))
            for result in results
        ]
        loaded = Loaded((*made, *records), tuple(problems), "abc1234", tuple(entries))
        snapshot = Snapshot(loaded, tuple(boards) or all_boards(), find_model, papers)
        folder = Path(mkdtemp(dir=tmp_path))
        export_site(snapshot, ASSETS, folder)
        index = data_script("index", json.dumps(snapshot.index(link=link)))
        (folder / "data" / "index.js").write_text(index, encoding="utf-8")
        return servers.enter_context(serve_files(partial(Quiet, directory=str(folder)))) + "?tab=leaderboard"

    with servers:
        yield serve


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Requests are no news."""
