"""Attacks by real clients on the app in a process of its own: what is refused, what it takes, who else is answered.

How much memory it took and how long others waited is in the report of each test (`--junitxml`); memory has a bound,
and time has none, since other programs disturb clocks.
"""

from __future__ import annotations

import json
import select
import socket
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from tests.leaderboard.http.served_apart import ServedApart, serve_apart

JSON = "application/json"
MULTIPART = "multipart/form-data; boundary=x"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("apart")


@pytest.fixture(scope="module")
def app(folder: Path) -> Iterator[ServedApart]:
    with serve_apart(folder) as served:
        httpx.get(served.address)
        yield served


@pytest.fixture
def tell(record_property: Callable[[str, object], None]) -> Callable[[list[tuple[float, float]]], float]:
    """Writes down what was seen, and gives by how many megabytes the memory grew."""

    def told(seen: list[tuple[float, float]]) -> float:
        grown = max(memory for memory, _ in seen) - seen[0][0]
        record_property("grown by MB", round(grown))
        record_property("others waited for seconds", round(max(waited for _, waited in seen), 2))
        return grown

    return told


def post_raw(address: str, path: str, headers: list[tuple[str, str]], size: int) -> int:
    """The status of a request whose body is blanks, of a length that it tells, sent as far as it is taken."""
    place = urlsplit(address)
    told = "".join(f"{name}: {value}\r\n" for name, value in [("Host", place.netloc), *headers])
    with socket.create_connection((place.hostname, place.port), timeout=120) as connection:
        connection.sendall(f"POST {path} HTTP/1.1\r\n{told}Content-Length: {size}\r\n\r\n".encode())
        with suppress(ConnectionError):
            for _ in range(size // 2**20):
                connection.sendall(b" " * 2**20)
        with suppress(ConnectionError):
            return int(connection.recv(2**16).split()[1])
    return 0


def head_of(host: str, path: str, kind: str, length: int) -> bytes:
    """What a request begins with that tells this length."""
    told = f"Host: {host}\r\nContent-Type: {kind}\r\nContent-Length: {length}"
    return f"POST /gradio_api/{path} HTTP/1.1\r\n{told}\r\n\r\n".encode()


@pytest.mark.parametrize("path", ["call/check", "run/check", "queue/join", "component_server"])
def test_a_header_makes_no_upload_of_a_request(app: ServedApart, path: str, tell: Any) -> None:
    """What a request is follows from its path: ten at once took 1.2 to 6.1 GB."""
    with app.watched() as seen, ThreadPoolExecutor(10) as clients:
        headers = [("Content-Type", MULTIPART)]
        ask = lambda _: post_raw(app.address, f"/gradio_api/{path}", headers, 40 * 2**20)  # noqa: E731
        statuses = set(clients.map(ask, range(10)))
    assert tell(seen) < 200
    assert statuses <= {413, 0}  # 0 where the connection was ended before it was read


def test_two_headers_of_a_kind_are_refused(app: ServedApart) -> None:
    """One reader took the first and another the last, and an address was fetched."""
    file = {"path": "http://localhost:1/x", "meta": {"_type": "gradio.FileData"}}
    body = json.dumps({"data": [file, "", ""]})
    for kinds in ([JSON, MULTIPART], [MULTIPART, JSON]):
        headers = [("Content-Type", kind) for kind in kinds]
        answer = httpx.post(f"{app.address}gradio_api/call/check", content=body, headers=headers)
        assert (answer.status_code, answer.json()["detail"]) == (
            400,
            "the request has two headers content-type; send one",
        )
    answer = httpx.post(f"{app.address}gradio_api/call/check", content=body, headers={"Content-Type": MULTIPART})
    assert (answer.status_code, "fetches no file" in answer.text) == (400, True)


def test_what_is_being_received_counts(app: ServedApart) -> None:
    """Uploads that begin together: 2 GB of them pass, and not all since nothing of them has arrived."""
    place, length = urlsplit(app.address), 250 * 2**20
    head = head_of(place.netloc, "upload", MULTIPART, length)
    begun = [socket.create_connection((place.hostname, place.port)) for _ in range(12)]
    try:
        for connection in begun:
            connection.sendall(head + b"--x\r\n")
        due = 12 - 2**31 // length
        told: set[socket.socket] = set()
        while len(told) < due and (ready := select.select([one for one in begun if one not in told], [], [], 60)[0]):
            told.update(ready)
        told.update(select.select(begun, [], [], 1)[0])  # and no other
        refused = sum(connection.recv(2**16).split()[1] == b"429" for connection in told)
        assert refused == len(told) == due
    finally:
        for connection in begun:
            connection.close()


def test_bodies_that_come_at_once_are_bounded(app: ServedApart, tell: Any) -> None:
    """Each of 2 MB, and of one address 16."""
    place = urlsplit(app.address)
    head = head_of(place.netloc, "call/check", JSON, 2**21)
    with app.watched() as seen:
        begun = [socket.create_connection((place.hostname, place.port)) for _ in range(100)]
        statuses: Counter[bytes] = Counter()
        try:
            for connection in begun:
                with suppress(ConnectionError):
                    connection.sendall(head + b" " * (2**21 - 1))
            for connection in begun[::-1]:
                connection.settimeout(0.2)
                with suppress(TimeoutError, ConnectionError):
                    statuses[connection.recv(2**16).split()[1]] += 1
        finally:
            for connection in begun:
                connection.close()
    assert tell(seen) < 150
    assert statuses[b"429"] > 50


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("?page=x", {}),
        ("", {"Cookie": "access-token-x=2"}),
        ("", {"X-Forwarded-Host": "<script>{}"}),
        ("config", {}),
        ("gradio_api/info?x={}", {}),
    ],
)
def test_no_page_is_written_twice(app: ServedApart, path: str, headers: dict[str, str]) -> None:
    """Whatever words, cookies or Host a page is asked with, it is the page (that it is written once: test_cache.py)."""
    httpx.get(app.address + path.format(0), headers={name: value.format(0) for name, value in headers.items()})
    for number in range(3):
        answer = httpx.get(
            app.address + path.format(number),
            headers={name: value.format(number) for name, value in headers.items()},
        )
        assert answer.status_code == 200
        assert "somewhere.invalid" not in answer.text
        assert "<script>1" not in answer.text
    assert httpx.head(app.address + path.format(0)).content == b""


def test_many_ranges_of_a_file_are_one_whole(app: ServedApart) -> None:
    sent = httpx.post(f"{app.address}gradio_api/upload", files={"files": ("a.txt", b"0123456789")})
    ranges = "bytes=" + ",".join(f"{number}-{number}" for number in range(2000))
    for asked in (ranges, "bytes=--", "bytes=5-2", f"bytes={'9' * 5000}-{'9' * 5000}", "bytes=0-3"):
        answer = httpx.get(f"{app.address}gradio_api/file={sent.json()[0]}", headers={"Range": asked})
        assert (answer.status_code, answer.content) == (200, b"0123456789")


def test_results_that_nobody_reads_go(app: ServedApart, tell: Any) -> None:
    """1,200 of one session kept 231 MB for good; here 120 of 0.1 MB, of which 8 MB may wait."""
    functions = httpx.get(f"{app.address}config").json()["dependencies"]
    number = next(one["id"] for one in functions if one["api_name"] == "bias")
    body = {"data": [], "fn_index": number, "session_hash": "unread"}
    with app.watched() as seen, httpx.Client(base_url=app.address, timeout=120) as client:
        taken = 0
        while taken < 120:
            status = client.post("gradio_api/queue/join", json=body).status_code
            assert status in (200, 429, 503)
            taken += status == 200
        with client.stream("GET", "gradio_api/queue/data?session_hash=unread") as answer:
            read = "".join(answer.iter_text())
    assert tell(seen) < 60
    assert 0 < read.count("the result was not read, and is kept no longer") < 120
    assert read.count('"process_completed"') == 120


def test_nothing_that_a_killed_server_was_given_is_served_or_kept_by_the_next(app: ServedApart, folder: Path) -> None:
    """A visitor's photo was, under its address. The last test, since it kills the app."""
    [path] = httpx.post(f"{app.address}gradio_api/upload", files={"files": ("a.txt", b"mine")}).json()
    assert httpx.get(f"{app.address}gradio_api/file={path}").content == b"mine"
    place = urlsplit(app.address)
    with socket.create_connection((place.hostname, place.port)) as cut:
        part = b'--x\r\nContent-Disposition: form-data; name="files"; filename="b"\r\n\r\nhalf'
        cut.sendall(head_of(place.netloc, "upload", MULTIPART, 1000) + part)
    app.process.kill()
    app.process.wait()
    with serve_apart(folder) as second:
        assert httpx.get(f"{second.address}gradio_api/file={path}").status_code == 403
        left = [file for file in folder.rglob("*") if file.is_file() and file.read_bytes() in (b"mine", b"half")]
        assert left == []
