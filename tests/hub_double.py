"""A small Hub: dataset repositories over real HTTP, as far as our clients ask; with faults on demand.

It answers what huggingface_hub 2.x was seen to send: whoami, create, info (with sizes and digests), tree, resolve (GET
and HEAD, ranges, large files by a redirect to another address, gated files), validate-yaml, preupload, upload by LFS,
commit, super-squash. Content lives in memory; a commit is path -> bytes. What each address answers: `tests.hub_routes`.
"""

from __future__ import annotations

import hashlib
import json
import re
import socket
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.hub_routes import ROUTES, WHOAMI, create, oid, resolve

TOKEN = "hf_doubleDoubleToilAndTrouble"
REPO = "lab/board-results"
BEFORE = ("409", "412", "429", "500", "502", "503", "cut", "hang")
"""Faults in place of an answer: nothing happened."""
AFTER = ("cut-after", "500-after", "504-after", "half-after")
"""Faults in the answer: what was asked has been done."""
FAULTS = BEFORE + AFTER

Tree = dict[str, bytes]


@dataclass
class Hub:
    """The state of the repository, and what goes wrong."""

    repo: str = REPO
    large: int | None = None
    """Files of so many bytes lie in other storage, as with LFS: they have a SHA-256, and `resolve` redirects there."""
    agreed: set[str] | None = None
    """Tokens of those who agreed to the terms; None where everybody may read."""
    damaged: dict[str, bytes] = field(default_factory=dict)
    """Path -> what is sent in its place, though listings tell of the right one."""
    private: bool = False
    missing: bool = False
    """Whether nobody has made the repository yet."""
    uploaded: dict[str, bytes] = field(default_factory=dict)
    """SHA-256 -> content of what was sent by the protocol of LFS, as files of parquet are."""
    set_in_space: dict[tuple[str, str], str] = field(default_factory=dict)
    """(secrets or variables, name) -> value, of a Space."""
    discussions: list[tuple[str, list[str]]] = field(default_factory=list)
    """Title and comments of each discussion."""
    refuse: str = ""
    """A path of which any commit is refused as malformed."""
    scripted: list[tuple[str, str]] = field(default_factory=list)
    """(part of the path, fault): thrown once each."""
    away: bool = False
    commits: dict[str, Tree] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    history: list[tuple[str, list[str]]] = field(default_factory=list)
    """(branch, paths written) of each commit."""
    titles: list[str] = field(default_factory=list)
    """Of each commit that a client made."""
    requests: list[str] = field(default_factory=list)
    thrown: Counter[str] = field(default_factory=Counter)
    frozen_head: str | None = None
    """A head that is shown although the branch moved on, as a cache would."""
    lock: threading.RLock = field(default_factory=threading.RLock)
    released: threading.Event = field(default_factory=threading.Event)
    address: str = ""

    def __post_init__(self) -> None:
        self.write("main", {"README.md": b"# Results\n"})

    def tree(self, revision: str = "main") -> Tree | None:
        return self.commits.get(self.branches.get(revision, revision))

    def write(self, branch: str, files: Tree, deleted: Sequence[str] = ()) -> str:
        """A commit; returns its name."""
        with self.lock:
            before = self.tree(branch) or {}
            after = {path: content for path, content in {**before, **files}.items() if path not in deleted}
            made = f"{len(self.history)}{sorted((path, oid(content)) for path, content in after.items())}"
            commit = hashlib.sha1(made.encode()).hexdigest()
            self.commits[commit], self.branches[branch] = after, commit
            self.history.append((branch, sorted(files)))
            return commit

    def fault(self, path: str) -> str:
        with self.lock:
            waiting = next((event for event in self.scripted if event[0] in path), None)
            if waiting and not self.away:
                self.scripted.remove(waiting)
            fault = "503" if self.away else waiting[1] if waiting else ""
            if fault:
                self.thrown[fault] += 1
            return fault


class Answers(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or each answer waits 40 ms for the client's word that it has the headers
    hubs: Sequence[Hub]
    hub: Hub

    def log_message(self, *_: Any) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.hub = self.asked_for(body)
        self.hub.requests.append(f"{self.command} {unquote(self.path)}")
        fault = self.hub.fault(self.path)
        if fault in BEFORE:
            self.fail(fault)
            return
        status, answer, headers = self.route(body)
        if fault == "cut-after":
            self.cut()
        elif fault.endswith("-after") and fault[:3].isdigit():
            self.send(int(fault[:3]), b"")
        else:
            content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send(status, content, headers, half=fault == "half-after")

    do_HEAD = do_POST = do_PUT = do_GET  # noqa: N815

    def asked_for(self, body: bytes) -> Hub:
        """The repository of a request; the first where it names none."""
        place = unquote(urlsplit(self.path).path)
        if place == "/api/repos/create":
            place = f"/{json.loads(body).get('organization')}/{json.loads(body)['name']}"
        named = (hub for hub in self.hubs if re.search(rf"/{re.escape(hub.repo)}(/|\.git/|$)", place))
        return next(named, self.hubs[0])

    def fail(self, fault: str) -> None:
        if fault == "hang":
            self.hub.released.wait(30)  # until the client lost patience, or the test ends
            self.cut()
        elif fault == "cut":
            self.cut()
        else:
            headers = {"Retry-After": "0", "RateLimit": '"api";r=0;t=0'} if fault == "429" else {}
            self.send(int(fault), b'{"error": "no"}', headers)

    def cut(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def send(self, status: int, content: bytes, headers: dict[str, str] | None = None, half: bool = False) -> None:
        headers = {"Content-Type": "application/json", **(headers or {})}
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        if status == 200 and asked and "Accept-Ranges" in headers:
            headers["Content-Range"] = f"bytes {asked[1]}-{len(content) - 1}/{len(content)}"
            status, content = 206, content[int(asked[1]) :]
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content[: len(content) // 2] if half else content)
        if half:
            self.wfile.flush()
            self.cut()

    def route(self, body: bytes) -> tuple[int, Any, dict[str, str]]:
        address = urlsplit(self.path)
        query = {name: values[-1] for name, values in parse_qs(address.query).items()}
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        place = unquote(address.path)
        if (self.command == "POST" or place == WHOAMI) and token != TOKEN:
            return (403, {"error": "forbidden"}, {}) if token else (401, {"error": "unauthorised"}, {})
        with self.hub.lock:
            for pattern, answer in ROUTES:
                if self.hub.missing and answer is not create:
                    continue
                found = re.fullmatch(pattern.replace("REPO", re.escape(self.hub.repo)), place)
                if found:
                    if self.hub.private and "REPO" in pattern and token != TOKEN:
                        continue  # to whoever may not read it it is not there
                    if answer is resolve and self.hub.agreed is not None and token not in self.hub.agreed:
                        return (403 if token else 401), {"error": "gated"}, {"X-Error-Code": "GatedRepo"}
                    made = answer(self.hub, query, body, *found.groups())
                    return made if isinstance(made, tuple) else (200, made, {})
        return 404, {"error": "Repository not found"}, {"X-Error-Code": "RepoNotFound"}


class Server(ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that lost patience or were killed are what this is for."""


@contextmanager
def serve(*hubs: Hub) -> Iterator[str]:
    """Serve repositories on a free port; gives its address."""
    handler = type("Bound", (Answers,), {"hubs": hubs})
    server = Server(("127.0.0.1", 0), handler)
    address = f"http://127.0.0.1:{server.server_port}"
    for hub in hubs:
        hub.address = address
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield address
    finally:
        for hub in hubs:
            hub.released.set()
        server.shutdown()
        server.server_close()
