"""Requests as hostile visitors send them, against the served app."""

from __future__ import annotations

import asyncio
import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import suppress
from functools import partialmethod
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import gradio as gr
import pytest
from gradio_client import Client, handle_file

from leaderboard import request_limits
from leaderboard.app import App, serve
from leaderboard.health import HELP, Health
from leaderboard.live.run_service import open_runs
from leaderboard.live.service.examples import EXAMPLES
from leaderboard.live.service.limits import Visitor
from leaderboard.live.service.open import open_live
from leaderboard.open_pages import MOST_OPEN, OpenPages
from leaderboard.pages.widgets import visitor_of
from leaderboard.request_limits import MOST_JSON, MOST_VALUES, WEB_ADDRESS, RequestLimits, fault_of
from leaderboard.settings import Settings
from leaderboard.snapshot import SnapshotWatch
from leaderboard.store.local import LocalStore
from qbench.assets import assets_folder
from qbench.errors import UserError


@pytest.fixture
def elsewhere() -> Iterator[tuple[str, list[str]]]:
    """Another web server: its address, and what was asked of it."""
    asked: list[str] = []

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        do_HEAD = do_GET  # noqa: N815 - the library's name

        def log_message(self, *_args: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_port}/bomb.json", asked
    server.shutdown()


def post(address: str, data: object, **headers: str) -> tuple[int, dict[str, Any]]:
    body = data if isinstance(data, bytes) else json.dumps(data).encode()
    try:
        with urlopen(Request(address, body, {"Content-Type": "application/json", **headers})) as answer:
            return answer.status, json.load(answer)
    except HTTPError as fault:
        return fault.code, json.load(fault)


@pytest.mark.parametrize(
    ("route", "wrap"),
    [
        ("call/check", lambda file: {"data": [file, "", ""]}),
        ("call/probe", lambda file: {"data": [file, "niqe", ""]}),
        ("call/leaderboard", lambda file: {"data": [file, "", ""]}),
        ("queue/join", lambda file: {"data": [[file]], "fn_index": 0, "session_hash": "s"}),
        ("run/check", lambda file: {"data": [file, "", ""]}),
    ],
)
def test_no_file_is_fetched_from_a_web_address(
    served: str, elsewhere: tuple[str, list[str]], route: str, wrap: Any
) -> None:
    address, asked = elsewhere
    status, said = post(f"{served}gradio_api/{route}", wrap({"path": address, "meta": {"_type": "gradio.FileData"}}))
    assert (status, said["detail"]) == (
        400,
        "this server fetches nothing from web addresses; download the file and upload it",
    )
    assert asked == []


@pytest.mark.parametrize("door", ["file=", "file/", "file=%20", "file%3D", "proxy="])
def test_nor_is_a_web_address_passed_on(served: str, elsewhere: tuple[str, list[str]], door: str) -> None:
    """Gradio fetches what is on public hosts, however large and slow; it takes this machine's own for private."""
    address, asked = elsewhere
    for method in ("GET", "HEAD"):
        with pytest.raises(HTTPError) as refused:
            urlopen(Request(f"{served}gradio_api/{door}{address}", method=method))
        assert refused.value.code == 400
    assert asked == []


def test_nor_for_tools_that_name_files_by_their_address() -> None:
    call = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "check", "arguments": {"file": "HTTPS://a/b"}}}
    assert fault_of(call) == fault_of([call]) == WEB_ADDRESS
    assert fault_of({"data": ["see https://a/b"], "link": "https://a/b"}) is None
    assert fault_of({"path": "/tmp/photo.jpg", "url": "http://127.0.0.1/gradio_api/file=/tmp/photo.jpg"}) is None


def test_many_small_values_are_refused(served: str) -> None:
    body = b"[" + b"[]," * MOST_VALUES + b"[]]"
    status, said = post(f"{served}gradio_api/call/leaderboard", body)
    assert (status, said["detail"]) == (400, "the JSON holds more than 20,000 values; send less at once")
    assert fault_of([[]] * (MOST_VALUES - 1)) is None


def test_deep_nesting_is_refused(served: str) -> None:
    status, said = post(f"{served}gradio_api/call/leaderboard", b"[" * 500_000 + b"]" * 500_000)
    assert (status, said["detail"]) == (400, "the JSON is nested too deeply")


@pytest.mark.parametrize(
    ("route", "kind", "most"),
    [("call/leaderboard", "application/json", 2), ("upload", "multipart/form-data; boundary=x", 256)],
)
def test_a_large_request_is_refused_before_it_is_read(served: str, route: str, kind: str, most: int) -> None:
    """By the length that it tells; nothing of it is sent."""
    connection = HTTPConnection(urlsplit(served).netloc)
    connection.putrequest("POST", f"/gradio_api/{route}")
    connection.putheader("Content-Type", kind)
    connection.putheader("Content-Length", str(most * 2**20 + 1))
    connection.endheaders()
    answer = connection.getresponse()
    assert answer.status == 413
    assert json.load(answer)["detail"] == f"the request is larger than {most} MB; send less at once"


def test_a_request_that_tells_no_length_is_cut_off_too(served: str) -> None:
    connection = HTTPConnection(urlsplit(served).netloc)
    parts = iter([b"[", b" " * MOST_JSON, b"]"])
    connection.request("POST", "/gradio_api/call/leaderboard", parts, {"Content-Type": "application/json"})
    assert connection.getresponse().status == 413


def test_the_queue_cannot_be_gone_round(served: str) -> None:
    status, said = post(f"{served}gradio_api/run/leaderboard", {"data": ["", "", ""]})
    assert status == 404
    assert "queue" in said["detail"]


def test_pages_tell_browsers_what_they_may_do(served: str) -> None:
    for path in ("", "config", "gradio_api/nothing"):
        try:
            answer = urlopen(served + path)
        except HTTPError as fault:
            answer = fault
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "frame-ancestors 'self' https://huggingface.co" in answer.headers["Content-Security-Policy"]


def test_what_is_allowed_still_passes(served: str, tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("[1", encoding="utf-8")
    said = Client(served, verbose=False).predict(handle_file(tmp_path / "broken.json"), "", "", api_name="/check")
    assert said["accepted"] is False


@pytest.mark.parametrize(("proxies", "visitors"), [("", 1), ("127.0.0.1", 2)])
def test_who_a_request_comes_from_is_believed_of_named_proxies_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, proxies: str, visitors: int
) -> None:
    def who(request: gr.Request) -> str:
        return visitor_of(request).place

    settings = Settings(assets_folder(), tmp_path, submissions=tmp_path, models=("niqe",), proxies=proxies)
    with gr.Blocks() as demo:
        gr.api(who, api_name="who")
    live = open_live(settings)
    app = App(settings, LocalStore(tmp_path), live, open_runs(settings, live), demo, SnapshotWatch(settings))
    here = {"prevent_thread_lock": True, "quiet": True, "server_name": "127.0.0.1"}
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")
    monkeypatch.setattr(gr.Blocks, "launch", partialmethod(gr.Blocks.launch, **here))
    serve(app)
    clients = [
        Client(app.demo.local_url, verbose=False, headers={"X-Forwarded-For": address})
        for address in ("203.0.113.7", "203.0.113.8")
    ]
    assert len({client.predict(api_name="/who") for client in clients}) == visitors
    app.demo.close()


def test_files_of_the_pages_outlive_whoever_sends_them_as_uploads(served_app: App) -> None:
    examples = {path.name for path in EXAMPLES}
    cached = {Path(file) for block in served_app.demo.blocks.values() for file in block.temp_files}
    files = [file for file in cached if file.name in examples]
    assert len(files) >= len(examples) > 10
    visitor = Visitor("session", "place")
    for file in files:
        with suppress(UserError):
            served_app.live.uploads.take_in(file, visitor)
    served_app.live.leave(visitor)
    assert [file for file in files if not file.exists()] == []


def test_other_web_pages_cannot_upload(served: str) -> None:
    """A browser says by itself that a form of another page sends this; scripts say nothing of the kind."""
    body = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\na\r\n--x--\r\n'
    for site, status in (("cross-site", 403), ("same-origin", 200), (None, 200)):
        headers = {"Content-Type": "multipart/form-data; boundary=x", **({"Sec-Fetch-Site": site} if site else {})}
        try:
            got = urlopen(Request(f"{served}gradio_api/upload", body, headers)).status
        except HTTPError as fault:
            got = fault.code
        assert got == status


def test_a_name_that_is_there_twice_is_refused(served: str) -> None:
    headers = {"Content-Type": "application/json"}
    with pytest.raises(HTTPError) as caught:
        urlopen(Request(f"{served}gradio_api/call/check", b'{"data": [], "data": [null, "", ""]}', headers))
    assert caught.value.code == 400
    assert "names 'data' twice" in caught.value.read().decode()


def test_the_server_says_how_it_is_and_counts_only_where_that_is_turned_on(served: str, served_app: App) -> None:
    said = json.load(urlopen(f"{served}healthz"))
    assert said == {"status": "ok", "problems": 0, "waiting": 0}
    with pytest.raises(HTTPError, match="404"):
        urlopen(f"{served}metrics")


def test_counters_are_those_that_prometheus_reads() -> None:
    async def answered(_scope: object, _receive: object, send: Any) -> None:
        await send({"type": "http.response.start", "status": 413, "headers": []})

    gauges = dict.fromkeys(HELP, 0.0) | {"qbench_submissions_waiting": 3.0}
    health, sent = Health(answered, lambda: gauges, metrics=True), []

    async def send(message: Any) -> None:
        sent.append(message)

    for path in ("/", "/", "/metrics"):
        asyncio.run(health({"type": "http", "method": "GET", "path": path}, None, send))  # type: ignore[arg-type]
    page = sent[-1]["body"].decode()
    assert 'qbench_requests_total{status="413"} 2' in page
    assert "qbench_refused_total 0" not in page.splitlines()
    assert "qbench_submissions_waiting 3" in page.splitlines()
    assert page.count("# TYPE") == len(HELP)


@pytest.mark.parametrize(
    ("site", "kept"), [("same-origin", True), ("none", True), ("", True), ("same-site", False), ("cross-site", False)]
)
def test_other_web_pages_never_ask_as_whoever_is_logged_in(site: str, kept: bool) -> None:
    seen: list[list[tuple[bytes, bytes]]] = []

    async def app(scope: Any, _receive: Any, _send: Any) -> None:
        seen.append(scope["headers"])

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"{}"}

    async def send(_message: Any) -> None:
        pass

    headers = [(b"cookie", b"session=ada"), (b"content-type", b"application/json")]
    headers += [(b"sec-fetch-site", site.encode())] if site else []
    scope = {"type": "http", "method": "POST", "path": "/gradio_api/queue/join", "headers": headers}
    asyncio.run(RequestLimits(app, 1)(scope, receive, send))
    assert ((b"cookie", b"session=ada") in seen[0]) == kept


def test_whoever_closes_a_page_leaves_and_one_address_has_so_many_open() -> None:
    left: list[tuple[str, str | None]] = []
    sent: list[Any] = []
    closed = asyncio.Event()

    async def heartbeat(_scope: object, _receive: object, _send: object) -> None:
        await closed.wait()

    async def note(message: Any) -> None:
        sent.append(message)

    async def visit() -> None:
        pages = OpenPages(heartbeat, lambda session, address: left.append((session, address)))

        def opened(session: str, address: str) -> Any:
            path = f"/gradio_api/heartbeat/{session}"
            return pages({"type": "http", "path": path, "client": (address, 1)}, None, note)  # type: ignore[arg-type]

        going = [asyncio.create_task(opened(f"page {k}", "1.2.3.4")) for k in range(MOST_OPEN)]
        await asyncio.sleep(0)
        await opened("one more", "1.2.3.4")
        assert (sent[0]["status"], left) == (429, [])
        other = asyncio.create_task(opened("another's", "5.6.7.8"))
        await asyncio.sleep(0)
        closed.set()
        await asyncio.gather(*going, other)
        assert (len(sent), pages._open) == (2, {})
        await opened("later", "1.2.3.4")
        await asyncio.get_running_loop().shutdown_default_executor()

    asyncio.run(visit())
    assert len(left) == MOST_OPEN + 2
    assert {("page 0", "1.2.3.4"), ("another's", "5.6.7.8"), ("later", "1.2.3.4")} <= set(left)


def test_no_view_is_kept_on_disk_and_a_slow_request_ends(served: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(HTTPError, match="404"):
        urlopen(f"{served}gradio_api/deep_link?session_hash=x")
    monkeypatch.setattr(request_limits, "SLOWEST", 0.1)
    address = urlsplit(served)
    slow = HTTPConnection(str(address.hostname), address.port, timeout=60)
    slow.putrequest("POST", "/gradio_api/call/check")
    slow.putheader("Content-Type", "application/json")
    slow.putheader("Content-Length", "100")
    slow.endheaders(b"{")
    answer = slow.getresponse()
    assert (answer.status, json.load(answer)["detail"]) == (
        408,
        "the request did not come within 0 seconds; send it again",
    )


def test_uploads_of_an_address_and_of_all_are_bounded_by_the_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    now, statuses = 0.0, []
    monkeypatch.setattr(request_limits.time, "monotonic", lambda: now)

    async def take(_scope: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200})

    async def body() -> Any:
        return {"type": "http.request", "body": b"x" * 2**20}

    async def answer(message: Any) -> None:
        if "status" in message:
            statuses.append(message["status"])

    limits = RequestLimits(take, most_uploaded=2**20)

    def upload(address: str) -> int:
        headers = [(b"content-type", b"multipart/form-data; boundary=x")]
        scope = {"type": "http", "method": "POST", "path": "/u", "headers": headers, "client": (address, 1)}
        asyncio.run(limits(scope, body, answer))
        return statuses[-1]

    of_one, of_all = request_limits.MOST_KEPT
    assert [upload("1.1.1.1") for _ in range(of_one + 1)] == [200] * of_one + [429]
    others = [upload(f"1.1.2.{number}") for number in range(of_all - of_one + 1)]
    assert others[:20] + others[-1:] == [200] * 20 + [429]
    now = request_limits.KEPT_SECONDS + 1
    assert upload("1.1.1.1") == 200
