"""Who is at a device and for how long: the queue, batches that do not end, and ZeroGPU."""

from __future__ import annotations

import itertools
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

from leaderboard.live.service.limits import Work
from leaderboard.live.service.models import LiveModels, ModelOffer, ModelOffers
from leaderboard.live.service.turns import MOST_GIVEN_UP, MOST_UNANSWERED, Batches, DeviceQueue, seconds_to_ask_for
from qbench.cancelling import Cancelled
from qbench.errors import UserError
from tests.leaderboard.live.service.test_models import PROMPT, Fake, ready

SOON = 10.0


@pytest.mark.parametrize(
    ("prompts", "pace", "left", "seconds"),
    [(16, None, None, 60), (10, 2.0, None, 60), (1, 0.1, None, 10), (100, 2.0, None, 120), (10, 2.0, 7.2, 8)],
)
def test_a_batch_asks_for_thrice_its_time_within_bounds(
    prompts: int, pace: float | None, left: float | None, seconds: int
) -> None:
    assert seconds_to_ask_for(prompts, pace, left) == seconds


def test_first_come_first_served_and_everybody_knows_their_place() -> None:
    queue, served, told = DeviceQueue(), [], {name: [] for name in "abc"}
    told_of = {name: threading.Event() for name in "abc"}

    def visit(name: str) -> None:
        def tell(ahead: int) -> None:
            told[name].append(ahead)
            told_of[name].set()

        with queue.device(Work(publish_position=tell)):
            served.append(name)

    threads = []
    with queue.device(Work()):
        for name in "abc":
            threads.append(threading.Thread(target=visit, args=[name]))
            threads[-1].start()
            assert told_of[name].wait(SOON)
        assert [told[name][0] for name in "abc"] == [1, 2, 3]
    for thread in threads:
        thread.join(SOON)
    assert served == ["a", "b", "c"]
    assert told["c"] == sorted(told["c"], reverse=True)


def test_who_is_cancelled_while_waiting_leaves_the_line() -> None:
    queue = DeviceQueue()
    waiting = Work(publish_position=lambda _ahead: waiting.cancel.set())
    with queue.device(Work()), pytest.raises(Cancelled), queue.device(waiting):
        pass
    with queue.device(Work()):
        pass


@pytest.fixture
def let_go() -> Iterator[threading.Event]:
    """Set, it lets batches that hang end, as it does after the test."""
    event = threading.Event()
    yield event
    event.set()


def hanging(let_go: threading.Event, batches: Batches) -> LiveModels:
    """A model that hangs, and one that answers, of which one is in memory at a time."""
    offers = ModelOffers({name: ModelOffer(name, name, "memory") for name in ("hung", "good")}, {})
    return LiveModels(
        offers,
        lambda name, _options: Fake(name, before=let_go.wait if name == "hung" else lambda: None),
        batches,
    )


def test_a_model_that_hangs_is_given_up_and_others_have_their_turn(let_go: threading.Event) -> None:
    batches = Batches(clock=itertools.count(0, 40).__next__)
    models = hanging(let_go, batches)
    assert models.lend("hung", Work()).name == "hung"  # its weights are loaded: only the batch is timed
    for time in range(MOST_GIVEN_UP):
        with pytest.raises(UserError, match="hung took longer than the 60 seconds allowed here"):
            models.lend("hung", Work(left=lambda: 600)).respond([PROMPT])
        assert ready(models) == []  # nobody else gets the one that is busy
        assert len(batches.left_behind("hung")) == time + 1
        assert models.lend("hung", Work()).name == "hung"
        models._ready(models._offer("hung"))
    assert models.lend("good", Work(left=lambda: 600)).respond([PROMPT])[0].score == 4
    with pytest.raises(UserError, match="hung hangs on this server; choose another model, or come back later"):
        models.lend("hung", Work(left=lambda: 600)).respond([PROMPT])
    let_go.set()
    while batches.left_behind("hung"):
        threading.Event().wait(0.01)
    assert models.lend("hung", Work(left=lambda: 600)).respond([PROMPT])[0].score == 4


def test_a_server_that_does_not_answer_is_asked_again_after_a_stop_or_two(let_go: threading.Event) -> None:
    """What was given up computes nothing here; each visitor's stop may leave both orders of a pair unanswered."""
    offers, stopped = ModelOffers({"hung": ModelOffer("hung", "hung", "nothing")}, {}), Work()

    def stop_and_hang() -> None:
        stopped.cancel.set()
        let_go.wait()

    models = LiveModels(offers, lambda name, _options: Fake(name, before=stop_and_hang), Batches(grace=0))
    assert models.lend("hung", Work()).name == "hung"
    for _ in range(MOST_UNANSWERED):
        stopped = Work()
        with pytest.raises(Cancelled):
            models.lend("hung", stopped).respond([PROMPT])
    with pytest.raises(UserError, match="hung hangs on this server; choose another model, or come back later"):
        models.lend("hung", Work(left=lambda: 600)).respond([PROMPT])


def test_work_that_is_stopped_gives_the_device_back_though_its_batch_goes_on(let_go: threading.Event) -> None:
    batches, work, is_in = Batches(grace=0), Work(), threading.Event()
    models = hanging(let_go, batches)
    ended: list[str] = []

    def ask() -> None:
        is_in.set()
        with pytest.raises(Cancelled):
            models.lend("hung", work).respond([PROMPT])
        ended.append("stopped")

    asking = threading.Thread(target=ask)
    asking.start()
    is_in.wait()
    work.cancel.set()
    asking.join()
    assert ended == ["stopped"]
    assert models.lend("good", Work()).respond([PROMPT])[0].score == 4


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
        lent = models.lend(name, Work(left=lambda: seconds))
        said.append([response.score for response in lent.respond([PROMPT] * count)])
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
    """The real package `spaces`, with a double of the hardware and of the server that shares it out.

    In a process of its own, since the package changes PyTorch for good when it is imported on such a Space. Hidden from
    it is PyTorch alone, which it would ask for the GPU; its worker is a real fork that answers.
    """
    pytest.importorskip("spaces", reason="pip install spaces")
    address, asked = sharing
    space = {"SPACES_ZERO_GPU": "true", "SPACES_ZERO_DEVICE_API_URL": address}
    visit = subprocess.run(
        [sys.executable, "-c", VISIT], cwd=ROOT, env={**os.environ, **space}, capture_output=True, text=True, check=True
    )
    said = json.loads(visit.stdout.splitlines()[-1])
    assert said[:3] == [[3.0], [3.0, 3.0], ["UserError", "its weights are damaged"]]
    assert said[3][0] == "UserError" and said[3][1].startswith("ZeroGPU quota exceeded: ")
    # The first batch of a model, one at a known pace, one of work that has 30 seconds left, and one that is refused.
    assert asked[::2] == [60, 30] and all(10 <= seconds < 30 for seconds in asked[1::2])  # three times what it took
