"""Losses of continuations through a server: the mean over their tokens in the prompt."""

from __future__ import annotations

from dataclasses import replace

import pytest

from qbench.errors import UserError
from qbench.records import Picture, Prompt
from tests.models.openai.clients import RATE, ask, model_at
from tests.models.openai.server import (
    BEGUN,
    LENIENT,
    OPENAI,
    SGLANG,
    VLLM,
    Behaviour,
    OpenAIServer,
)


def losses(*options: str, prefill: str = BEGUN, parts: tuple[str | Picture, ...] = (RATE,)) -> Prompt:
    return Prompt("losses", parts, words=options, prefill=prefill)


def test_loss_is_the_mean_over_the_tokens_of_a_continuation(vllm: OpenAIServer, picture: Picture) -> None:
    model = model_at(vllm)
    assert model.wants == {"text", "words", "losses"}
    response = ask(model, losses("good", "mediocre", parts=(picture, RATE)))
    assert response.losses == {"good": 0.25, "mediocre": (3.25 + 0.125) / 2}
    assert response.usage["completion_tokens"] == 2
    sent = vllm.chats[-1].payload
    assert sent["messages"][-1] == {"role": "assistant", "content": f"{BEGUN} mediocre"}
    assert sent["prompt_logprobs"] == 0
    assert "logprobs" not in sent


@pytest.mark.parametrize("behaviour", [OPENAI, LENIENT, SGLANG], ids=lambda behaviour: behaviour.owner)
def test_server_without_them_is_not_asked(behaviour: Behaviour) -> None:
    with OpenAIServer(behaviour) as server:
        model = model_at(server)
        assert "losses" not in model.wants
        with pytest.raises(UserError, match="so losses cannot be measured"):
            ask(model, losses("good", prefill=""))


def test_continuation_that_changes_the_tokens_before_it_fails_alone(vllm: OpenAIServer) -> None:
    assert ask(model_at(vllm), losses("好!")).failure == "the tokenizer has no tokens of their own for '好!' here"


def test_prompt_that_ends_otherwise_is_a_failure_and_no_loss(vllm: OpenAIServer) -> None:
    model = model_at(vllm)
    assert model.wants
    vllm.behaviour = replace(VLLM, prompt=False)
    response = ask(model, losses("good"))
    assert response.failure == "its server did not report the tokens of 'good'"
    assert not response.losses
