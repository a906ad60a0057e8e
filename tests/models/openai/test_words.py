"""Words weighed and losses measured through a server: exactly, or among those it lists."""

from __future__ import annotations

from dataclasses import replace

import pytest

from qbench.errors import UserError
from qbench.records import Picture, Prompt, Response
from tests.models.openai.clients import RATE, ask, model_at, words
from tests.models.openai.server import (
    BEGUN,
    LENIENT,
    OPENAI,
    REASONING,
    SGLANG,
    VLLM,
    VLLM_BEFORE_TOKEN_IDS,
    WITHOUT_LISTS,
    Behaviour,
    OpenAIServer,
)


def test_words_are_weighed_by_their_tokens_in_place(vllm: OpenAIServer, picture: Picture) -> None:
    response = ask(model_at(vllm), replace(words("good", "poor", "fair"), parts=(picture, RATE)))
    assert response == Response(
        text=" good",
        logits={"good": -0.25, "poor": -5.5, "fair": -1.5},
        usage={"prompt_tokens": 32.0, "completion_tokens": 1.0},
    )
    sent = vllm.chats[-1].payload
    assert sent["logprob_token_ids"] == sorted(vllm.token_id(f" {word}") for word in ("good", "poor", "fair"))
    assert sent["max_tokens"] == 1
    assert sent["temperature"] == 0
    assert "structured_outputs" not in sent
    assert "top_logprobs" not in sent


@pytest.mark.parametrize(
    ("weighed", "prefill", "logits", "note", "begun"),
    [
        (("good", "poor"), "", {"good": -0.75, "poor": -6.5}, None, [RATE]),
        (("good", "poor"), f"{BEGUN} ", {"good": -0.25, "poor": -5.5}, None, [BEGUN]),
        (
            ("good", "mediocre"),
            BEGUN,
            {"good": -0.25, "mediocre": -3.25 - 0.125},
            "'mediocre' is 2 tokens",
            [BEGUN, f"{BEGUN} medi"],
        ),
        # The space is a token of its own.
        (("good", "zesty"), BEGUN, {"good": -0.25, "zesty": -4.0 - 0.5}, "'zesty' is 2 tokens", [BEGUN, f"{BEGUN} "]),
        # No space is written before it, so it joins the word "is".
        (("good", "好!"), BEGUN, {"good": -0.25}, "cannot be weighed by its tokens here: 好!", [BEGUN]),
    ],
)
def test_a_word_is_weighed_in_its_place_by_all_its_tokens(
    vllm: OpenAIServer,
    weighed: tuple[str, ...],
    prefill: str,
    logits: dict[str, float],
    note: str | None,
    begun: list[str],
) -> None:
    response = ask(model_at(vllm), words(*weighed, prefill=prefill))
    assert (response.logits, response.note) == (logits, note)
    chats = [chat.payload for chat in vllm.chats[-len(begun) :]]
    assert [chat["messages"][-1]["content"] for chat in chats] == begun
    assert ["continue_final_message" in chat for chat in chats] == [bool(prefill)] * len(begun)
    assert response.usage["completion_tokens"] == len(begun)


@pytest.mark.parametrize("behaviour", [OPENAI, LENIENT, VLLM_BEFORE_TOKEN_IDS], ids=lambda behaviour: behaviour.owner)
def test_words_outside_the_list_are_absent_and_named(behaviour: Behaviour) -> None:
    prefill = BEGUN if behaviour.continues else ""
    best = {"good": -0.25, "fair": -1.5} if prefill else {"good": -0.75}
    with OpenAIServer(behaviour) as server:
        response = ask(model_at(server), words("good", "fair", "poor", prefill=prefill))
    assert response.logits == best
    assert response.failure is None
    missing = [word for word in ("good", "fair", "poor") if word not in best]
    assert response.note == f"not among the 20 most probable tokens: {', '.join(missing)}"


def test_longer_lists_are_asked_for_where_they_are_given() -> None:
    with OpenAIServer(SGLANG) as server:
        model = model_at(server)
        response = ask(model, words("good", "poor", "never"))
        assert model.identity["words"] == "among the 1000 most probable tokens, by text"
    assert response.logits == {"good": -0.25, "poor": -5.5}
    assert response.note == "not among the 1000 most probable tokens: never"


@pytest.mark.parametrize("behaviour", [REASONING, WITHOUT_LISTS])
def test_nothing_is_weighed_where_there_are_no_log_probabilities(behaviour: Behaviour) -> None:
    with OpenAIServer(behaviour) as server:
        model = model_at(server)
        assert model.wants == {"text"}
        with pytest.raises(UserError, match="gives no log-probabilities of tiny/vlm"):
            ask(model, words(prefill=""))


def losses(*options: str, prefill: str = BEGUN) -> Prompt:
    return words(*options, prefill=prefill, want="losses")


def test_loss_is_the_mean_over_the_tokens_of_a_continuation(vllm: OpenAIServer, picture: Picture) -> None:
    model = model_at(vllm)
    assert model.wants == {"text", "words", "losses"}
    response = ask(model, replace(losses("good", "mediocre"), parts=(picture, RATE)))
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


def test_what_cannot_be_measured_is_a_failure_and_no_loss(vllm: OpenAIServer) -> None:
    model = model_at(vllm)
    assert ask(model, losses("好!")).failure == "the tokenizer has no tokens of their own for '好!' here"
    vllm.behaviour = replace(VLLM, prompt=False)
    response = ask(model, losses("good"))
    assert response.failure == "its server did not report the tokens of 'good'"
    assert not response.losses
