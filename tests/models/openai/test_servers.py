"""Several servers with the same model, eight at once under faults, and how many prompts each is asked at once."""

from __future__ import annotations

import heapq
import json
import random
import socket
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from qbench.cache import Cache
from qbench.errors import ProviderError, UserError
from qbench.models import ModelOptions
from qbench.models.openai import open_endpoint
from qbench.models.openai.endpoint import Endpoint, Pace
from qbench.models.openai.server import Server
from qbench.records import Prompt, Response
from qbench.runner import Runner
from qbench.tasks import Ask
from tests.models.openai.clients import TEXT, ask, model_at, words
from tests.models.openai.server import VLLM, OpenAIServer


def prompts(count: int) -> list[Prompt]:
    return [Prompt("text", (f"Question {number}",)) for number in range(count)]


def test_others_step_in_for_a_server_that_is_down() -> None:
    with OpenAIServer() as first_server, OpenAIServer() as second_server:
        model = model_at(first_server, second_server)
        assert model.capabilities
        first_server.faults = ["503"] * 40
        asked = len(first_server.chats)
        assert [response.text for response in model.respond(prompts(20))] == ["good"] * 20
        assert len(first_server.chats) == asked + 1  # then it is left alone for a while


def test_server_that_never_ran_is_passed_over() -> None:
    with socket.socket() as closed, OpenAIServer() as server:
        closed.bind(("127.0.0.1", 0))  # bound but not listening: connections are refused
        gone = Server(f"http://127.0.0.1:{closed.getsockname()[1]}/v1")
        model = Endpoint("tiny/vlm", [gone, Server(server.url)])
        assert [response.text for response in model.respond(prompts(10))] == ["good"] * 10


def test_all_servers_down_is_transient_in_a_run_and_a_sentence_before_it() -> None:
    with OpenAIServer() as server:
        model = model_at(server)
        assert model.capabilities
        unprobed = model_at(server)
    with pytest.raises(ProviderError, match="cannot be reached") as caught:
        ask(model, TEXT)
    assert caught.value.kind == "transient"
    with pytest.raises(UserError, match=r"cannot be reached.*Start the server or correct its URL"):
        assert unprobed.identity


def test_servers_that_differ_are_refused(vllm: OpenAIServer) -> None:
    with OpenAIServer(replace(VLLM, version="0.32.0")) as other, pytest.raises(UserError, match=r"0\.32\.0.*0\.33\.0"):
        assert model_at(vllm, other).identity


def test_prompts_come_from_many_threads(vllm: OpenAIServer) -> None:
    model = model_at(vllm)
    with ThreadPoolExecutor(model.workers) as pool:
        responses = list(pool.map(lambda prompt: ask(model, prompt), [words()] * 40))
    assert {tuple(response.logits.items()) for response in responses} == {(("good", -0.25), ("poor", -5.5))}
    assert len([request for request in vllm.seen if request.path == "/v1/models"]) == 1  # probed once


def test_a_server_is_given_up_as_soon_as_was_asked_for(vllm: OpenAIServer) -> None:
    model = open_endpoint("tiny/vlm", ModelOptions(endpoints=(vllm.url,), retries=0, timeout=0.5))
    assert model.capabilities
    vllm.faults = ["slow"]
    with pytest.raises(ProviderError, match=r"did not answer within 0\.5 s"):
        ask(model, TEXT)
    vllm.release.set()
    asked = open_endpoint("tiny/vlm", ModelOptions(endpoints=(vllm.url,), retries=0))
    vllm.faults, before = ["503", "503"], len(vllm.chats)
    with pytest.raises(UserError, match="answered 503"):
        assert asked.capabilities
    assert len(vllm.chats) == before + 1


FAULTS = ("503", "429", "dropped", "cut", "page with 200")


def one_step(asks: Sequence[Ask]) -> Generator[Sequence[Ask], Sequence[Response], Sequence[Response]]:
    return (yield asks)


def test_each_answer_comes_once_and_is_its_own_under_faults(tmp_path: Path) -> None:
    rng = random.Random(0)
    asks = [Ask(str(number), Prompt("text", (f"Question {number}",))) for number in range(100)]
    with ExitStack() as running:
        servers = [running.enter_context(OpenAIServer(says="answer to {}".format)) for _ in range(8)]
        model = model_at(*servers)
        assert model.capabilities
        assert len(model._models) == 8
        for server in servers:  # so few that no prompt meets one at each of its six tries, whoever is asked first
            server.faults = [rng.choice(FAULTS) if rng.random() < 0.3 else "nothing" for _ in range(20)]
        given: list[str] = []
        runner = Runner(
            model,
            Cache(tmp_path / "responses.jsonl"),
            watch=lambda _, answers: given.extend(ask.sample for ask, _ in answers),
            wait=lambda _: None,
        )
        responses = runner.run(one_step(asks))
    assert [response.text for response in responses] == [f"answer to Question {number}" for number in range(100)]
    assert sorted(given, key=int) == [ask.sample for ask in asks]
    kept = [json.loads(line)["key"] for line in (tmp_path / "responses.jsonl").read_text().splitlines()]
    assert len(kept) == len(set(kept)) == 100


def limits(places: int, seconds: int, start: int = 8, most: int = 64) -> list[int]:
    """How many are asked at once after each second, where `places` prompts are answered at a time."""
    pace, now, found = Pace(start, most, 0.0), 0.0, []
    free = [0.0] * places
    """When each place is free."""
    answers: list[float] = []
    while now < seconds:
        while len(answers) < pace.limit:
            done = max(now, heapq.heappop(free)) + 1
            heapq.heappush(free, done)
            heapq.heappush(answers, done)
        now = heapq.heappop(answers)
        pace.answered(now)
        if int(now) >= len(found):
            found += [pace.limit] * (int(now) + 1 - len(found))
    return found


def test_a_server_with_room_is_asked_more_until_it_is_full() -> None:
    assert limits(places=40, seconds=60)[-1] >= 40
    assert max(limits(places=1000, seconds=200)) == 64, "no more than the most"


def test_a_full_server_is_hardly_made_to_wait() -> None:
    found = limits(places=8, seconds=400)
    assert set(found) == {8, 12}
    assert found.count(8) > 0.75 * len(found)


def test_after_too_many_requests_less_is_asked_and_more_again_later() -> None:
    pace = Pace(8, 64, 0.0)
    for _ in range(3):
        pace.failed(0.0, busy=True)
    assert pace.limit == 3  # 8, 6, 4, 3
    for _ in range(20):
        pace.failed(0.0, busy=True)
    assert pace.limit == 2
    now = 0.0
    for _ in range(400):
        now += 1 / pace.limit  # each answer takes a second, however many are asked
        pace.answered(now)
    assert pace.limit >= 8


def test_single_faults_are_no_congestion_and_many_are() -> None:
    pace, now = Pace(8, 64, 0.0), 0.0
    for number in range(1, 2001):
        now += 1 / pace.limit
        if number % 20 == 0:
            pace.failed(now, busy=False)
        else:
            pace.answered(now)
    assert pace.limit >= 40, "one in twenty fails, and each prompt more brings its answers"
    pace = Pace(16, 64, 0.0)
    for _ in range(8):  # a quarter of the 32 prompts after which the number is thought over
        pace.failed(now, busy=False)
    assert pace.limit == 16
    pace.failed(now, busy=False)
    assert pace.limit == 12
