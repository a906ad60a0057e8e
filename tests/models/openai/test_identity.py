"""What an endpoint is: its identity, keys and options, and what records are told of its server."""

from __future__ import annotations

import pytest

from qbench.errors import UserError
from qbench.models import ModelOptions, open_model
from qbench.models.openai import open_endpoint
from qbench.models.openai.endpoint import Endpoint, told_host, without_address
from qbench.models.openai.server import Server
from tests.models.openai.clients import KEY, TEXT, ask, model_at
from tests.models.openai.server import VLLM, OpenAIServer


def test_identity_says_what_can_change_answers() -> None:
    with OpenAIServer(VLLM, weights="/models/Tiny-VLM-7B") as server:
        model = model_at(server)
        assert model.identity == {
            "model": "tiny/vlm",
            "backend": "vllm 0.33.0",
            "weights": "Tiny-VLM-7B",
            "words": "exact, by token id",
            "prefill": "continued",
            "temperature": 0,
            "temperature_of_draws": 1,
            "images": "the file's own bytes where it is upright 8-bit RGB or grey, else its pixels as PNG",
            "repetition_penalty": 1.0,
        }
        assert model.wants == {"text", "words", "losses"}
        asked = len(server.seen)
        assert model.identity["model"] == model.name
        assert len(server.seen) == asked


def test_model_that_is_not_served(vllm: OpenAIServer) -> None:
    model = Endpoint("tiny/vln", [Server(vllm.url)])
    with pytest.raises(UserError, match=r"`tiny/vln` does not exist.; it serves tiny/vlm$"):
        assert model.wants


def test_key_comes_from_the_environment_and_goes_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QBENCH_ENDPOINT_KEY", f"{KEY}\n")
    with OpenAIServer(VLLM, key=KEY) as server:
        model = open_model("tiny/vlm", ModelOptions(endpoints=(server.url,)))
        assert isinstance(model, Endpoint)
        assert ask(model, TEXT).text == "good"
        assert KEY not in repr(model) + repr(model.identity) + repr(vars(model)) + repr(model._servers[0])


def test_wrong_key_is_told_without_repeating_it() -> None:
    with OpenAIServer(VLLM, key="another") as server, pytest.raises(UserError) as caught:
        assert model_at(server, key=KEY).identity
    assert "answered 401: the key is missing or wrong; set QBENCH_ENDPOINT_KEY" in str(caught.value)
    assert "sk-" not in str(caught.value)


def test_openai_key_is_sent_to_openai_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    strangers = ("https://api.openai.com.example/v1", "https://example.org/api.openai.com/", "http://localhost:80")
    model = open_endpoint("gpt-x", ModelOptions(endpoints=("https://api.openai.com/v1", *strangers)))
    assert [server._client.api_key for server in model._servers] == [KEY, "none", "none", "none"]


@pytest.mark.parametrize("key", ["sk secret", "sk-secret\r\nX: y", "sk-sécret"])
def test_key_that_cannot_be_sent_is_not_shown(key: str) -> None:
    with pytest.raises(UserError, match="the endpoint's key holds") as caught:
        Server("http://localhost:8000/v1", key)
    assert "secret" not in str(caught.value)
    assert "sécret" not in str(caught.value)


def test_base_urls() -> None:
    assert Server("http://localhost:8000").url == Server("http://localhost:8000/v1/").url == "http://localhost:8000/v1"
    assert Server("https://host/openai/v1/chat/completions").url == "https://host/openai/v1"


@pytest.mark.parametrize(
    ("url", "said"),
    [
        *((url, "is no base URL of a server") for url in ("localhost:8000", "ftp://host/v1", "http://[::1")),
        ("http://host/v1?x=secret", "is no base URL of a server"),
        ("http://me:secret@host/v1", "must not hold a password"),
    ],
)
def test_what_is_no_base_url(url: str, said: str) -> None:
    with pytest.raises(UserError, match=said) as caught:
        open_endpoint("tiny", ModelOptions(endpoints=(url,)))
    assert "me:secret" not in str(caught.value)


def test_opening_asks_nothing(vllm: OpenAIServer) -> None:
    model = open_endpoint("tiny/vlm", ModelOptions(endpoints=(vllm.url, vllm.url)))
    assert (model.workers, model.batch_size) == (8, 1)
    assert vllm.seen == []


def test_a_public_service_is_named_and_any_other_host_only_told_from_others() -> None:
    for host in ("api.openai.com", "openrouter.ai", "localhost", "127.0.0.1"):
        assert told_host(host) == host
    hosts = ["10.0.0.5", "10.0.0.6", "gpu7", "gpu7.lab.example.com", "fd00::1", "api.openai.com.example.org"]
    told = [told_host(host) for host in hosts]
    assert len(set(told)) == len(hosts)
    assert {len(mark) for mark in told} == {5}  # of 65,536 marks: each fits many addresses


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("http://gpu7.lab:8000/v1 answered 500: no room", "its server answered 500: no room"),
        ("certificate is not valid for 'gpu7.lab'", "certificate is not valid for 'its server'"),
        ("no route to http://gpu7.lab:8000/tokenize", "no route to its server/tokenize"),
        ("see https://example.com/limits of mygpu7.lab and gpu7.lab2", None),
    ],
)
def test_an_address_is_left_out_of_what_is_said(said: str, told: str | None) -> None:
    assert without_address(said, Server("http://gpu7.lab:8000")) == (told or said)
