"""Requests as hostile visitors send them, against the served app."""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import gradio as gr
import httpx
import pytest
from gradio_client import Client

from leaderboard.account import BOUNDS, Account, Bound
from leaderboard.app import App
from leaderboard.http import request_limits
from leaderboard.http.request_json import (
    MOST_VALUES,
    NOT_HERE,
    TOOL_FILE,
    fault_of,
    fault_of_body,
)
from leaderboard.http.request_limits import MOST_JSON, RequestLimits
from leaderboard.live.run_service import open_runs
from leaderboard.live.service.limits import Visitor
from leaderboard.live.service.live import open_live
from leaderboard.live.service.uploads import EXAMPLES
from leaderboard.pages.asking import visitor_of
from leaderboard.settings import Settings
from leaderboard.snapshot import SnapshotWatch
from leaderboard.store.local import Store
from qbench.assets import assets_folder
from qbench.errors import UserError
from tests.leaderboard.conftest import ask, serve_here


def post(address: str, data: object, **headers: str) -> tuple[int, dict[str, Any]]:
    body = data if isinstance(data, bytes) else json.dumps(data).encode()
    answer = httpx.post(address, content=body, headers={"Content-Type": "application/json", **headers}, timeout=None)
    return answer.status_code, answer.json()


def answer_to(address: str, *headers: tuple[str, object], body: bytes = b"") -> tuple[int, str]:
    """What a request with these headers alone is told."""
    place = urlsplit(address)
    connection = HTTPConnection(place.netloc, timeout=60)
    connection.putrequest("POST", place.path)
    for name, value in headers:
        connection.putheader(name, str(value))
    connection.endheaders(body)
    answer = connection.getresponse()
    return answer.status, json.load(answer)["detail"]


def test_nothing_is_fetched_from_a_web_address(served: str) -> None:
    """Gradio fetches what is on public hosts, however large and slow; it takes this machine's own for private."""
    with socket.create_server(("127.0.0.1", 0)) as elsewhere:
        elsewhere.setblocking(False)
        address = f"http://localhost:{elsewhere.getsockname()[1]}/bomb.json"
        for place in ({"path": address}, {"url": address}, {"url": "data:image/jpeg;base64,aaaa"}):
            file = {**place, "meta": {"_type": "gradio.FileData"}}
            for route in ("call/check", "call/probe", "call/leaderboard", "run/check", "queue/join"):
                sent = {"data": [file, "niqe", ""], "fn_index": 0, "session_hash": "s"}
                status, said = post(f"{served}gradio_api/{route}", sent)
                assert (status, said["detail"]) == (
                    400,
                    "this server fetches no file from an address; send it to /gradio_api/upload and name the path that "
                    "this answers, as handle_file of gradio_client does",
                )
        for door in ("file=", "file/", "file=%20", "file%3D", "proxy="):
            for method in ("GET", "HEAD"):
                assert httpx.request(method, f"{served}gradio_api/{door}{address}", timeout=None).status_code == 400
        with pytest.raises(BlockingIOError):
            elsewhere.accept()


def tool_call(**arguments: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "check", "arguments": arguments}}


def test_nor_for_tools_that_name_files_by_their_address(served: str) -> None:
    for file in ("HTTPS://a/b", " http://a/b", "photo.jpg", "/etc/passwd", ["https://a/b"], 3):
        call = tool_call(pictures=file)
        assert fault_of(call) == fault_of([call]) == TOOL_FILE
    assert fault_of(tool_call(pictures=["data:image/png;base64,aa"], file="data:text/csv,a", photo=None)) is None
    assert fault_of(tool_call(link="https://arxiv.org/abs/2402.01162")) is None
    assert fault_of({"data": ["see https://a/b"], "link": "https://a/b"}) is None
    assert fault_of({"path": "/tmp/photo.jpg", "url": "http://127.0.0.1/gradio_api/file=/tmp/photo.jpg"}) is None
    status, said = post(f"{served}gradio_api/mcp/", tool_call(file="https://a/b"))
    assert (status, said["id"], said["result"]["isError"]) == (200, 7, True)  # clients show nothing of an HTTP error
    assert said["result"]["content"] == [{"type": "text", "text": TOOL_FILE}]


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
    kinds = [("Content-Type", "application/json"), ("Content-Type", "multipart/form-data; boundary=x")]
    for both in (kinds, kinds[::-1]):
        said = answer_to(f"{served}gradio_api/call/check", *both, ("Content-Length", 2), body=b"{}")
        assert said == (400, "the request has two headers content-type; send one")


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
        said = {"error": httpx.get(f"{served}gradio_api/{path}/{said['event_id']}", timeout=None).text}
    assert len(said["error"]) > 30
    assert '"error": null' not in said["error"]
    written = capfd.readouterr()
    for log in (written.err, written.out, caplog.text):
        assert "Traceback" not in log
        assert "secret" not in log
        assert "event=review" not in log


def test_who_has_enough_in_the_queue_hears_so_when_joining(served: str, served_app: App) -> None:
    """Not after all of it was taken: 300 joins were. Who asks is believed of the named proxy alone."""
    events = served_app.demo._queue.event_ids_to_events
    request = SimpleNamespace(client=SimpleNamespace(host="203.0.113.7"))
    waiting = {f"waiting {number}": SimpleNamespace(request=request) for number in range(BOUNDS["work"].own)}

    def ask(path: str, by: str) -> tuple[int, str]:
        status, said = post(f"{served}gradio_api/{path}", {"data": ["", "", ""]}, **{"X-Forwarded-For": by})
        return status, said.get("detail", "")[:32]

    events.update(waiting)  # type: ignore[arg-type]
    try:
        for path in ("call/leaderboard", "queue/join", "run/leaderboard"):
            assert ask(path, "203.0.113.7") == (429, "too much of your work is waiting")
        for other in ("203.0.113.8", "203.0.113.7, 198.51.100.9"):  # what came to the proxy says whatever it likes
            assert ask("call/leaderboard", other) == (200, "")
    finally:
        for name in waiting:
            del events[name]


def test_a_large_request_is_refused_before_it_is_read(served: str) -> None:
    """By the length that it tells; nothing of it is sent. One that tells none is cut off too."""
    parts = "multipart/form-data; boundary=x"
    for route, kind, most in (
        ("call/leaderboard", "application/json", 2),
        ("call/check", parts, 2),  # a header makes no upload of it
        ("component_server", parts, 2),
        ("upload", parts, 256),
    ):
        told = ("Content-Type", kind), ("Content-Length", most * 2**20 + 1)
        said = f"the request is larger than {most} MB; send less at once"
        assert answer_to(f"{served}gradio_api/{route}", *told) == (413, said)
    assert post(f"{served}gradio_api/call/leaderboard", b"[" + b" " * (MOST_JSON - 2) + b"]")[0] not in (413, 200)
    connection = HTTPConnection(urlsplit(served).netloc)
    body = iter([b"[", b" " * MOST_JSON, b"]"])
    connection.request("POST", "/gradio_api/call/leaderboard", body, {"Content-Type": "application/json"})
    assert connection.getresponse().status == 413


def test_where_no_proxy_is_named_nobody_s_word_on_an_address_is_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def who(request: gr.Request) -> str:
        return visitor_of(request).place

    with gr.Blocks() as demo:
        gr.api(who, api_name="who")
    settings = Settings(assets_folder(), tmp_path, submissions=tmp_path, models=("niqe",))
    live = open_live(settings)
    app = App(settings, Store(tmp_path), live, open_runs(settings, live), demo, SnapshotWatch(settings), Account())
    serve_here(app, monkeypatch)
    said = [{"X-Forwarded-For": address} for address in ("192.0.2.7", "192.0.2.8")]
    asked = [Client(demo.local_url, verbose=False, headers=headers) for headers in said]
    assert len({client.predict(api_name="/who") for client in asked}) == 1
    demo.close()


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


def test_what_is_for_whoever_writes_an_app_is_not_there_nor_a_view_kept_on_disk(served: str) -> None:
    """A thousand who ask whether the code has changed had it looked at 20,000 times a second."""
    for path in ("dev/reload", "vibe-code", "vibe-code/", "deep_link?session_hash=x"):
        assert httpx.get(f"{served}gradio_api/{path}", timeout=None).status_code == 404


def test_a_slow_request_ends(served: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_limits, "SLOWEST", 0.1)
    told = ("Content-Type", "application/json"), ("Content-Length", 100)
    said = "the request did not come within 0 seconds; send it again"
    assert answer_to(f"{served}gradio_api/call/check", *told, body=b"{") == (408, said)


def test_an_upload_counts_for_what_came_and_what_it_told_while_it_came() -> None:
    statuses, received, account = [], [], Account({**BOUNDS, "upload": Bound(2**21, 2**22, 2**23, "full")})

    async def take(_scope: Any, receive: Any, send: Any) -> None:
        received.append((await receive())["type"])
        statuses.append(sum(account.held.values()) // 3)
        await send({"type": "http.response.start", "status": 200})

    async def body() -> Any:
        return {"type": "http.request", "body": b"x" * 1000}

    limits = RequestLimits(take, 2**21, account)

    def upload(limits: RequestLimits = limits, **headers: str) -> None:
        asked = ask(limits, "/gradio_api/upload", headers, body, method="POST", client=("1.1.1.1", 1))
        statuses.append(asyncio.run(asked)[0])

    upload(**{"Content-Length": "1000"})
    assert statuses == [1000 + 1, 200]  # the request itself is one
    assert account.held["upload", "all"] == 1000 + 2**16
    upload()
    assert statuses[2:] == [429]  # without a length as much as may be
    upload(**{"Content-Length": str(2**21 - 2**16 - 1000)})
    assert statuses[-1] == 200
    for most, comes in ((1000, "http.request"), (999, "http.disconnect")):  # a byte more than may be ends it
        upload(RequestLimits(take, most, Account()), **{"Content-Length": str(most)})
        assert received[-1] == comes


def test_pages_tell_browsers_what_they_may_do(served: str) -> None:
    for path in ("", "config", "gradio_api/nothing"):
        headers = httpx.get(served + path, timeout=None).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "frame-ancestors 'self' https://huggingface.co" in headers["Content-Security-Policy"]
