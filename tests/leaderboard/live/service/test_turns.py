"""Who is at a device and for how long: jobs, the queue, batches that do not end, and ZeroGPU."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextvars import ContextVar
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import inf
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from leaderboard.html.live import not_done
from leaderboard.live.service import jobs, turns
from leaderboard.live.service.jobs import Publish, stream_job
from leaderboard.live.service.limits import Work
from leaderboard.live.service.live import Live, open_live
from leaderboard.live.service.models import LiveModels, ModelOffer, ModelOffers
from leaderboard.live.service.turns import MOST_GIVEN_UP, MOST_UNANSWERED, Batches, DeviceQueue, seconds_to_ask_for
from leaderboard.settings import read_settings
from qbench.cancelling import Cancelled
from qbench.errors import ProviderError, UserError
from tests.leaderboard.live.places import ME
from tests.leaderboard.live.service.test_models import PROMPT, Fake, ready, shelf

SOON = 10.0


@pytest.mark.parametrize(
    ("prompts", "pace", "left", "seconds"),
    [(16, None, inf, 60), (10, 2.0, inf, 60), (1, 0.1, inf, 10), (100, 2.0, inf, 120), (10, 2.0, 7.2, 8)],
)
def test_a_batch_asks_for_thrice_its_time_within_bounds(
    prompts: int, pace: float | None, left: float, seconds: int
) -> None:
    assert seconds_to_ask_for(prompts, pace, left) == seconds


def test_first_come_first_served_and_everybody_knows_their_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "_CHECK_SECONDS", None)  # they are told before they wait, and woken for their turn
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
    before = {"hung": let_go.wait, "good": lambda: None}
    return shelf("hung", "good", opening=lambda name, _options: Fake(name, before=before[name]), batches=batches)


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
from math import inf
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
for name, seconds, count in (("one", inf, 1), ("one", inf, 2), ("torn", 30.0, 1), ("one", inf, 1)):
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


@pytest.fixture
def live(tmp_path: Path) -> Live:
    return open_live(read_settings({"QBENCH_MODELS": "sharpness", "SPACE_ID": "me/board"}, tmp_path))


def test_what_is_new_is_told_and_the_rest_stays(live: Live) -> None:
    heard = threading.Event()

    def job(work: Work, publish: Publish) -> str:
        publish(doing="opening the model")
        work.publish_position(2)
        assert heard.wait(10)
        publish(known="first")
        return "all"

    states = stream_job(live, ME, "probe", job)
    _, waiting = next(states), next(states)
    heard.set()
    *_, last = states
    assert (waiting.doing, waiting.ahead, waiting.known, waiting.ended) == ("opening the model", 2, None, False)
    assert (last.doing, last.ahead, last.known, last.result) == ("opening the model", 0, "first", "all")


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (UserError("choose a photo first"), "Not done: choose a photo first."),
        (ProviderError("transient", "the server is down"), "Not done: the server is down."),
        (
            ValueError("a secret"),
            "Not done: something went wrong on the server and was logged there; try another photo or model.",
        ),
    ],
)
def test_every_fault_is_a_sentence(live: Live, fault: Exception, sentence: str) -> None:
    def job(_work: Work, _publish: Publish) -> None:
        raise fault

    _, last = stream_job(live, ME, "probe", job)
    assert not_done(last.failure) == sentence


def test_who_leaves_stops_the_work_and_loses_the_files(live: Live, tmp_path: Path) -> None:
    upload = tmp_path / "upload.png"
    upload.write_bytes(b"")
    taken: list[Work] = []

    def job(work: Work, publish: Publish) -> None:
        taken.append(work)
        publish(known="begun")
        assert work.cancel.wait(10)

    states = stream_job(live, ME, "run", job)
    assert [next(states).known for _ in range(2)] == [None, "begun"]
    with pytest.raises(UserError, match="is empty"):
        live.uploads.take_in(upload, ME)
    live.leave(ME)
    assert taken[0].cancel.is_set()
    assert not upload.exists()
    states.close()


def test_a_job_knows_who_asks(live: Live) -> None:
    """ZeroGPU reads the request from the context, to count the GPU's time for the visitor."""
    asks = ContextVar[str]("asks")
    asks.set("a visitor")
    *_, last = stream_job(live, ME, "probe", lambda *_: asks.get("nobody"))
    assert last.result == "a visitor"


def test_nobody_waits_for_a_cancelled_job_that_is_busy(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "HEARTBEAT", 0.01)
    monkeypatch.setattr(jobs, "GRACE", 0.01)
    batch_is_through = threading.Event()
    states = stream_job(live, ME, "probe", lambda *_: batch_is_through.wait(30))
    assert [next(states).ended for _ in range(2)] == [False, False]
    live.visits.cancel(ME)
    assert next(states).cancelled
    batch_is_through.set()


@pytest.mark.parametrize("ends", ["by itself", "as cancelled"])
def test_work_that_other_work_replaces_has_no_last_word(live: Live, ends: str) -> None:
    def job(work: Work, publish: Publish) -> bool:
        publish(doing="waiting")
        work.cancel.wait(10)
        if ends == "as cancelled":
            raise Cancelled
        return True

    states = stream_job(live, ME, "probe", job)
    first = next(states)
    live.visits.cancel(ME, "probe", replaced=True)
    assert [state.ended for state in (first, *states)] == [False]
