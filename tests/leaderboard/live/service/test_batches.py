"""Batches that do not end: the queue moves on, whoever asked is told, and only so many are left behind."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator

import pytest

from leaderboard.live.service.limits import Work
from leaderboard.live.service.live import read_offers
from leaderboard.live.service.models import LentModel, LiveModels, ModelOffer, ModelOffers
from leaderboard.live.service.turns import MOST_GIVEN_UP, MOST_UNANSWERED, Batches
from qbench.cancelling import Cancelled
from qbench.errors import UserError
from qbench.records import Prompt
from tests.leaderboard.live.service.test_models import PROMPT, Fake, ready
from tests.models.openai.server import VLLM, OpenAIServer


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
        with pytest.raises(UserError, match="hung took longer than the 60 seconds that it has here"):
            models.lend("hung", Work(seconds=600)).respond([PROMPT])
        assert (ready(models), batches.given_up) == ([], time + 1)  # nobody else gets the one that is busy
        assert models.lend("hung", Work()).name == "hung"
        models._ready(models._offer("hung"))
    assert models.lend("good", Work(seconds=600)).respond([PROMPT])[0].score == 4
    with pytest.raises(UserError, match="hung hangs on this server; choose another model, or come back later"):
        models.lend("hung", Work(seconds=600)).respond([PROMPT])
    let_go.set()
    while batches.given_up:
        threading.Event().wait(0.01)
    assert models.lend("hung", Work(seconds=600)).respond([PROMPT])[0].score == 4


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
        models.lend("hung", Work(seconds=600)).respond([PROMPT])


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


def test_without_limits_a_batch_may_take_its_time(let_go: threading.Event) -> None:
    let_go.set()
    models = hanging(let_go, Batches(clock=itertools.count(0, 10_000).__next__))
    assert models.lend("hung", Work()).respond([PROMPT])[0].score == 4


def test_an_endpoint_that_never_ends_its_answers_is_given_up_with_the_work(let_go: threading.Event) -> None:
    """Before it has said what it can do, and when it answers a prompt; over real HTTP."""
    with OpenAIServer(VLLM) as server:
        models = LiveModels(read_offers(["sharpness"], [server.url], "tiny/vlm"), batches=Batches(grace=0))
        [endpoint] = [name for name in models.names if name != "sharpness"]
        for when in ("before", "after"):
            work, gone = Work(seconds=600), threading.Event()
            if when == "after":
                assert "text" in models.lend(endpoint, Work(seconds=600)).wants
            server.faults = ["trickling headers"]
            model = models.lend(endpoint, work)

            def ask(model: LentModel = model, gone: threading.Event = gone) -> None:
                with pytest.raises(Cancelled):
                    model.respond([Prompt("text", ("What is it?",))]) if model.wants else None
                gone.set()

            asking = threading.Thread(target=ask, daemon=True)
            asking.start()
            while server.faults:  # until it is being asked
                assert asking.is_alive()
                let_go.wait(0.01)
            work.cancel.set()
            asking.join()
            assert gone.is_set()
            assert models.lend("sharpness", Work()).wants == {"score"}
