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
from types import SimpleNamespace
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import gradio as gr
import pytest
from gradio_client import Client

from leaderboard.account import BOUNDS, Account, Bound
from leaderboard.app import App, serve
from leaderboard.http import request_limits
from leaderboard.http.request_json import (
    MOST_VALUES,
    NOT_HERE,
    TOOL_FILE,
    WEB_ADDRESS,
    fault_of,
    fault_of_body,
)
from leaderboard.http.request_limits import FOREIGN, MOST_JSON, RequestLimits, is_foreign
from leaderboard.live.run_service import open_runs
from leaderboard.live.service.limits import Visitor
from leaderboard.live.service.live import open_live
from leaderboard.live.service.uploads import EXAMPLES
from leaderboard.pages.widgets import visitor_of
from leaderboard.settings import Settings
from leaderboard.snapshot import SnapshotWatch
from leaderboard.store.local import Store
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
        "this server fetches no file from an address; send it to /gradio_api/upload and name the path that this "
        "answers, as handle_file of gradio_client does",
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


def tool_call(**arguments: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "check", "arguments": arguments}}


def test_nor_for_tools_that_name_files_by_their_address() -> None:
    for file in ("HTTPS://a/b", " http://a/b", "photo.jpg", "/etc/passwd", ["https://a/b"], 3):
        call = tool_call(pictures=file)
        assert fault_of(call) == fault_of([call]) == TOOL_FILE
    assert fault_of(tool_call(pictures=["data:image/png;base64,aa"], file="data:text/csv,a", photo=None)) is None
    assert fault_of(tool_call(link="https://arxiv.org/abs/2402.01162")) is None
    assert fault_of({"data": ["see https://a/b"], "link": "https://a/b"}) is None
    assert fault_of({"path": "/tmp/photo.jpg", "url": "http://127.0.0.1/gradio_api/file=/tmp/photo.jpg"}) is None


def test_who_calls_a_tool_is_told_how_it_takes_files(served: str) -> None:
    """In an answer of its protocol: clients show nothing of an HTTP error."""
    status, said = post(f"{served}gradio_api/mcp/", tool_call(file="https://a/b"))
    assert (status, said["id"], said["result"]["isError"]) == (200, 7, True)
    assert said["result"]["content"] == [{"type": "text", "text": TOOL_FILE}]


@pytest.mark.parametrize("address", ["https://example.org/a.jpg", "data:image/jpeg;base64,aaaa"])
def test_a_file_by_its_address_alone_is_no_missing_file(served: str, address: str) -> None:
    """Gradio passes over it, so that an endpoint would say that there is none."""
    sent = {"data": [{"url": address, "meta": {"_type": "gradio.FileData"}}, "", ""]}
    assert post(f"{served}gradio_api/call/check", sent)[1]["detail"] == WEB_ADDRESS


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"[" + b"[]," * MOST_VALUES + b"[]]", "the JSON holds more than 20,000 values; send less at once"),
        (b"[" * MOST_VALUES + b"]" * MOST_VALUES, "the JSON is nested too deeply"),
        (b'{"data": ["\\ud800", "", ""]}', "a text in the JSON has half a character "),
    ],
)
def test_json_that_takes_too_much_or_is_no_text_is_refused(served: str, body: bytes, said: str) -> None:
    status, answer = post(f"{served}gradio_api/call/leaderboard", body)
    assert status == 400
    assert answer["detail"].startswith(said)
    assert fault_of([[]] * (MOST_VALUES - 1)) is None
    assert fault_of_body(b'{"data": ["\\ud83d\\ude00"]}', bool) is None


def test_two_headers_of_a_kind_are_refused(served: str) -> None:
    """One reader took the first and another the last, and an address was fetched."""
    kinds = ["application/json", "multipart/form-data; boundary=x"]
    for both in (kinds, kinds[::-1]):
        connection = HTTPConnection(urlsplit(served).netloc)
        connection.putrequest("POST", "/gradio_api/call/check")
        for kind in both:
            connection.putheader("Content-Type", kind)
        connection.putheader("Content-Length", "2")
        connection.endheaders(b"{}")
        answer = connection.getresponse()
        assert (answer.status, json.load(answer)["detail"]) == (
            400,
            "the request has two headers content-type; send one",
        )


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "nothing.json", "{uploads}/0123/nothing.json", "{uploads}/../passwd", ""]
)
def test_a_file_that_was_never_uploaded_is_refused_in_a_sentence(
    served: str, served_app: App, path: str, capfd: pytest.CaptureFixture[str]
) -> None:
    path = path.replace("{uploads}", str(served_app.demo.GRADIO_CACHE))
    for meta in ({"meta": {"_type": "gradio.FileData"}}, {}, {"meta": 3}):
        sent = {"data": [{"path": path, **meta}, "", ""]}
        assert post(f"{served}gradio_api/call/check", sent) == (400, {"detail": NOT_HERE, "error": NOT_HERE})
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("call/leaderboard", [["a\nevent=review decision=accepted"], {"b": 1}, 3]),
        ("call/probe", [{"secret": 1}, ["secret"], {"a\nevent=review": []}]),
        ("call/check", [3, "secret\nevent=review", None]),
        ("run/load_example", ["secret\nevent=review"]),
        ("call/secret", []),
        ("call/v2/secret", []),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence_and_not_written_into_the_log(
    served: str, path: str, data: list[Any], capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    status, said = post(f"{served}gradio_api/{path}", {"data": data})
    if status == 200:
        said = {"error": urlopen(f"{served}gradio_api/{path}/{said['event_id']}").read().decode()}
    assert len(said["error"]) > 30
    assert '"error": null' not in said["error"]
    written = capfd.readouterr()
    for log in (written.err, written.out, caplog.text):
        assert "Traceback" not in log
        assert "secret" not in log
        assert "event=review" not in log


def test_who_has_enough_in_the_queue_hears_so_when_joining(served: str, served_app: App) -> None:
    """Not after all of it was taken: 300 joins were."""
    events = served_app.demo._queue.event_ids_to_events
    request = SimpleNamespace(client=SimpleNamespace(host="127.0.0.1"))
    for number in range(BOUNDS["work"].own):
        events[f"waiting {number}"] = SimpleNamespace(request=request)
    try:
        for path in ("call/leaderboard", "queue/join", "run/leaderboard"):
            status, said = post(f"{served}gradio_api/{path}", {"data": ["", "", ""]})
            assert (status, said["detail"][:32]) == (429, "too much of your work is waiting")
        request.client.host = "10.9.8.7"
        assert post(f"{served}gradio_api/call/leaderboard", {"data": ["", "", ""]})[0] == 200
    finally:
        for number in range(BOUNDS["work"].own):
            del events[f"waiting {number}"]


@pytest.mark.parametrize(
    ("route", "kind", "most"),
    [
        ("call/leaderboard", "application/json", 2),
        ("call/check", "multipart/form-data; boundary=x", 2),  # a header makes no upload of it
        ("component_server", "multipart/form-data; boundary=x", 2),
        ("upload", "multipart/form-data; boundary=x", 256),
    ],
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
    app = App(settings, Store(tmp_path), live, open_runs(settings, live), demo, SnapshotWatch(settings), Account())
    here = {"prevent_thread_lock": True, "quiet": True, "server_name": "127.0.0.1"}
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")
    monkeypatch.setattr(gr.Blocks, "launch", partialmethod(gr.Blocks.launch, **here))
    serve(app)
    clients = [
        Client(app.demo.local_url, verbose=False, headers={"X-Forwarded-For": address})
        for address in ("203.0.113.7", "203.0.113.8")
    ]
    assert len({client.predict(api_name="/who") for client in clients}) == visitors
    assert len(app.demo._queue.event_analytics) == 1  # 10,000 before, gone through after each event
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


def test_a_page_of_another_address_hands_in_nothing_over_plain_http(served: str) -> None:
    """Off localhost no browser sends `Sec-Fetch-Site` without encryption; `Origin` it always does."""
    for path in ("call/leaderboard", "upload", "queue/join"):
        status, said = post(f"{served}gradio_api/{path}", {}, Origin="http://evil.example", Host="192.0.2.7:7860")
        assert (status, said["detail"]) == (403, FOREIGN)
    status, _ = post(f"{served}gradio_api/call/leaderboard", {"data": ["", "", ""]}, Origin=served.rstrip("/"))
    assert status == 200
    assert not is_foreign({b"host": b"[::1]:7860", b"origin": b"http://[::1]:7860"}, ())


@pytest.mark.parametrize("path", ["dev/reload", "vibe-code", "vibe-code/"])
def test_what_is_for_whoever_writes_an_app_is_not_there(served: str, path: str) -> None:
    """A thousand who ask whether the code has changed had it looked at 20,000 times a second."""
    with pytest.raises(HTTPError, match="404"):
        urlopen(f"{served}gradio_api/{path}", timeout=20)


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


def test_an_upload_counts_for_what_came_and_what_it_told_while_it_came() -> None:
    statuses, account = [], Account({**BOUNDS, "upload": Bound(2**21, 2**22, 2**23, "full")})

    async def take(_scope: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass
        statuses.append(sum(account.held.values()) // 3)
        await send({"type": "http.response.start", "status": 200})

    async def body() -> Any:
        return {"type": "http.request", "body": b"x" * 1000}

    async def answer(message: Any) -> None:
        if "status" in message:
            statuses.append(message["status"])

    limits = RequestLimits(take, 2**21, account)

    def upload(*headers: tuple[bytes, bytes]) -> None:
        scope = {"type": "http", "method": "POST", "path": "/gradio_api/upload", "headers": headers}
        asyncio.run(limits({**scope, "client": ("1.1.1.1", 1)}, body, answer))

    upload((b"content-length", b"1000"))
    assert statuses == [1000 + 1, 200]  # the request itself is one
    assert account.held["upload", "all"] == 1000 + 2**16
    upload()
    assert statuses[2:] == [429]  # without a length as much as may be
    upload((b"content-length", str(2**21 - 2**16 - 1000).encode()))
    assert statuses[-1] == 200


def test_pages_tell_browsers_what_they_may_do(served: str) -> None:
    for path in ("", "config", "gradio_api/nothing"):
        try:
            answer = urlopen(served + path)
        except HTTPError as fault:
            answer = fault
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "frame-ancestors 'self' https://huggingface.co" in answer.headers["Content-Security-Policy"]
