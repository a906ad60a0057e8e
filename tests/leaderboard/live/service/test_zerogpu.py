"""A Space with ZeroGPU: the real package `spaces`, with a double of the hardware and of the server that shares it out.

In a process of its own, since the package changes PyTorch for good when it is imported on such a Space. Hidden from it
is PyTorch alone, which it would ask for the GPU; its worker is a real fork that answers.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

pytest.importorskip("spaces", reason="pip install spaces")
ROOT = Path(__file__).resolve().parents[4]
VISIT = r"""
import json, sys
sys.modules["torch"] = None
import spaces.zero.wrappers
del sys.modules["torch"]
from leaderboard.live.service.limits import Work
from qbench.errors import UserError
from tests.leaderboard.live.service.test_models import PROMPT, Fake, shelf

def opening(name, options):
    def fail():
        if name == "torn":
            raise UserError("its weights are damaged")
    return Fake(name, before=fail)

models, said = shelf("one", "torn", opening=opening), []
for name, seconds, count in (("one", None, 1), ("one", None, 2), ("torn", 30.0, 1), ("one", None, 1)):
    try:
        said.append([response.score for response in models.lend(name, Work(seconds)).respond([PROMPT] * count)])
    except Exception as fault:
        said.append([type(fault).__name__, str(fault)])
print(json.dumps(said))
"""


class Sharing(BaseHTTPRequestHandler):
    """Who gives the GPU out: thrice to whoever asks, and then no more."""

    asked: list[int]

    def log_message(self, *_: object) -> None:
        """Quiet."""

    def do_POST(self) -> None:
        address = urlsplit(self.path)
        status, answer = 200, {}
        if address.path == "/schedule":
            self.asked.append(int(parse_qs(address.query)["durationSeconds"][0]))
            answer = {"idle": True, "nvidiaIndex": 0, "nvidiaUUID": "GPU-0", "allowToken": "token"}
            if len(self.asked) > 3:
                status, answer = 429, {"left": 0, "wait": 600}
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@pytest.fixture
def sharing() -> Iterator[tuple[str, list[int]]]:
    asked: list[int] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Sharing,), {"asked": asked}))
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()


@pytest.mark.slow(reason="starts another process, which imports Gradio and forks")
def test_batches_are_answered_on_a_gpu_asked_for_as_long_as_they_take(sharing: tuple[str, list[int]]) -> None:
    address, asked = sharing
    space = {"SPACES_ZERO_GPU": "true", "SPACES_ZERO_DEVICE_API_URL": address}
    visit = subprocess.run(
        [sys.executable, "-c", VISIT], cwd=ROOT, env={**os.environ, **space}, capture_output=True, text=True, check=True
    )
    said = json.loads(visit.stdout.splitlines()[-1])
    assert said[:3] == [[3.0], [3.0, 3.0], ["UserError", "its weights are damaged"]]
    assert said[3][0] == "UserError" and said[3][1].startswith("ZeroGPU quota exceeded: ")
    # The first batch of a model, one at a known pace, one of work that has 30 seconds left, and one that is refused.
    assert asked == [60, 10, 30, 10]
