"""Attacks that many connections make together, or that outlive the server."""

from __future__ import annotations

import os
import socket
from collections import Counter
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.browser.conftest import free_port, start_app


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
