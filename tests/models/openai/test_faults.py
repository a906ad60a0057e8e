"""Servers that fail, refuse, or answer with nonsense."""

from __future__ import annotations

import numpy as np
import pytest

from qbench.errors import ProviderError, UserError
from qbench.models.openai.endpoint import Endpoint
from qbench.models.openai.server import Server
from qbench.models.retrying import RETRIES
from qbench.records import Prompt
from tests.models.openai.clients import KEY, TEXT, FaultyServer, ask, soon, words
from tests.models.openai.server import FAULTS, VLLM, OpenAIServer


@pytest.mark.parametrize(
    ("fault", "kind", "wait", "said"),
    [
        ("429", "rate-limit", 7, ""),
        ("429 for ever", "rate-limit", 3600, ""),
        ("no credit", "permanent", 0, ""),
        ("500", "transient", 0, ""),
        ("503", "transient", 3, ""),
        ("page with 502", "transient", 0, "answered 502: 502 Bad Gateway nginx"),
        ("page with 200", "transient", 0, "answered with no JSON: 502 Bad Gateway nginx"),
        ("cut", "transient", 0, ""),
        ("dropped", "transient", 0, ""),
        ("slow", "transient", 0, ""),
        ("trickling", "transient", 0, ""),
        ("bomb", "permanent", 0, ""),
        ("endless", "permanent", 0, ""),
        ("400", "permanent", 0, "answered 400: This model's maximum context length is 4096 tokens."),
        ("redirect", "permanent", 0, ""),
        ("two choices", "permanent", 0, "answered with an unexpected choices (List should have at most 1 item"),
    ],
)
def test_faults_are_classified_and_say_what_the_server_said(
    faulty: FaultyServer, fault: str, kind: str, wait: float, said: str
) -> None:
    with pytest.raises(ProviderError) as caught:
        faulty.ask(fault, TEXT)
    assert (caught.value.kind, caught.value.retry_after) == (kind, wait)
    assert f"its server {said}" in str(caught.value)  # records are made of this, and do not tell where it is
    assert ask(Endpoint("tiny/vlm", [faulty.client(fault)], wait=soon), TEXT).text == "good"


@pytest.mark.parametrize("fault", FAULTS)
def test_nothing_a_server_does_escapes(faulty: FaultyServer, fault: str) -> None:
    """Whether it answers a prompt so, or the questions of a probe."""
    try:
        response = faulty.ask(fault, words())
    except ProviderError as error:
        told = str(error)
        assert len(told) < 400
        assert told.isprintable()
    else:
        told = repr(response)
        assert all(np.isfinite(value) for value in [*response.logits.values(), *response.usage.values()])
        told.encode()
    assert not any(KEY[start : start + 6] in told for start in range(len(KEY) - 5))
    faulty.server.faults = [fault] * 3
    try:
        assert Endpoint("tiny/vlm", [faulty.client(fault)], wait=soon).capabilities
    except UserError as error:
        assert str(error).startswith("tiny/vlm cannot be asked: http")
    finally:
        faulty.server.faults = []


def test_a_passing_fault_ends_no_probe() -> None:
    """Whichever question meets it, and as often as a prompt may; what a server honours is found all the same."""
    with OpenAIServer(VLLM) as server:
        able = Endpoint("tiny/vlm", [Server(server.url)]).capabilities
        questions = len(server.chats)
        for before in range(questions):
            waits, fault = list[float](), ("429", "dropped")[before % 2]
            server.faults = ["nothing"] * before + [fault] * RETRIES
            assert Endpoint("tiny/vlm", [Server(server.url)], wait=waits.append).capabilities == able
            assert len(waits) == RETRIES
            assert (min(waits) >= 7) == (fault == "429"), "what the server says is kept to"


def test_a_fault_that_does_not_pass_ends_a_probe_with_what_it_is() -> None:
    with OpenAIServer(VLLM, faults=["503"] * (RETRIES + 1)) as server:
        asked = Endpoint("tiny/vlm", [Server(server.url)], wait=lambda _seconds: None)
        with pytest.raises(UserError, match=r"answered 503: Loading\. Try again when the server answers\."):
            assert asked.capabilities


@pytest.mark.parametrize(
    ("fault", "prompt", "failure"),
    [
        ("filtered", TEXT, "refused"),
        ("refusal", TEXT, "refused"),
        ("thought too long", TEXT, "no answer within 64 tokens"),
        ("no logprobs", words(), "the server returned no log-probabilities"),
    ],
)
def test_one_prompt_without_an_answer_says_why(faulty: FaultyServer, fault: str, prompt: Prompt, failure: str) -> None:
    assert faulty.ask(fault, prompt).failure == failure
