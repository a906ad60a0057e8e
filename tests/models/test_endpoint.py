"""Endpoints over real HTTP, against a server on this machine that behaves like vLLM, SGLang, OpenAI or worse."""

from __future__ import annotations

import io
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from qbench.errors import ProviderError, UserError
from qbench.images import load_pixels, open_picture
from qbench.models import ModelOptions, open_model
from qbench.models.endpoint import Endpoint, endpoint
from qbench.models.openai_http import Server
from qbench.records import Picture, Prompt, Response
from tests.models.openai_server import (
    BEGUN,
    FAULTS,
    LENIENT,
    OPENAI,
    REASONING,
    SGLANG,
    SHORT_LISTS,
    VLLM,
    VLLM_BEFORE_TOKEN_IDS,
    WITHOUT_LISTS,
    Manner,
    OpenAIServer,
)

KEY = "sk-very/secret+key=1234567890"
RATE = "Rate the quality of the image."


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("QBENCH_ENDPOINT_KEY", "OPENAI_API_KEY", "QBENCH_PRICE_PER_MTOK_IN", "QBENCH_PRICE_PER_MTOK_OUT"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def vllm() -> Iterator[OpenAIServer]:
    with OpenAIServer(VLLM) as server:
        yield server


@dataclass
class Wronged:
    """A server that answers wrongly when told to, and clients for it: a patient one, and one that soon gives up."""

    server: OpenAIServer
    patient: Server
    hasty: Server

    def client(self, fault: str) -> Server:
        return self.hasty if fault in ("slow", "trickling") else self.patient

    def ask(self, fault: str, prompt: Prompt) -> Response:
        model = Endpoint("tiny/vlm", [self.client(fault)])
        assert model.capabilities
        self.server.faults = [fault]
        return ask(model, prompt)


@pytest.fixture(scope="module")
def wronged() -> Iterator[Wronged]:
    with OpenAIServer(VLLM, key=KEY) as server:
        yield Wronged(server, Server(server.url, KEY, 20.0), Server(server.url, KEY, 1.0))


@pytest.fixture
def picture(tmp_path: Path) -> Picture:
    return saved(tmp_path / "photo.png", Image.fromarray(pixels()))


def pixels(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, shape or (6, 8, 3), dtype=np.uint8)


def saved(path: Path, image: Image.Image, **how: Any) -> Picture:
    image.save(path, **how)
    return open_picture(path)


def model_at(*servers: OpenAIServer, key: str = "") -> Endpoint:
    return Endpoint("tiny/vlm", [Server(server.url, key, 20.0) for server in servers])


def ask(model: Endpoint, prompt: Prompt) -> Response:
    [response] = model.respond([prompt])
    return response


def words(*chosen: str, prefill: str = BEGUN, parts: tuple[str | Picture, ...] = (RATE,)) -> Prompt:
    return Prompt("words", parts, words=chosen or ("good", "poor"), prefill=prefill)


TEXT = Prompt("text", (RATE,))


# Words, exactly


def test_words_are_weighed_by_their_tokens_in_place(vllm: OpenAIServer, picture: Picture) -> None:
    response = ask(model_at(vllm), words("good", "poor", "fair", parts=(picture, RATE)))
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


def test_without_a_beginning_the_word_opens_the_answer(vllm: OpenAIServer) -> None:
    response = ask(model_at(vllm), words("good", "poor", prefill=""))
    assert response.logits == {"good": -0.75, "poor": -6.5}
    assert response.note is None
    assert "continue_final_message" not in vllm.chats[-1].payload


def test_space_at_the_end_of_the_beginning_belongs_to_the_word(vllm: OpenAIServer) -> None:
    response = ask(model_at(vllm), words(prefill=f"{BEGUN} "))
    assert response.logits == {"good": -0.25, "poor": -5.5}
    assert vllm.chats[-1].payload["messages"][-1] == {"role": "assistant", "content": BEGUN}


def test_word_of_two_tokens_gets_the_probability_of_both(vllm: OpenAIServer) -> None:
    model = model_at(vllm)
    response = ask(model, words("good", "mediocre"))
    assert response.logits == {"good": -0.25, "mediocre": -3.25 - 0.125}
    assert response.note == "'mediocre' is 2 tokens"
    assert response.text == " good"
    assert [chat.payload["messages"][-1]["content"] for chat in vllm.chats[-2:]] == [BEGUN, f"{BEGUN} medi"]
    assert response.usage["completion_tokens"] == 2


def test_space_that_is_a_token_of_its_own_is_weighed_too(vllm: OpenAIServer) -> None:
    response = ask(model_at(vllm), words("good", "zesty"))
    assert response.logits == {"good": -0.25, "zesty": -4.0 - 0.5}
    assert [chat.payload["messages"][-1]["content"] for chat in vllm.chats[-2:]] == [BEGUN, f"{BEGUN} "]


def test_tokens_of_a_word_are_asked_once(vllm: OpenAIServer) -> None:
    model = model_at(vllm)
    ask(model, words())
    before = len(vllm.seen)
    ask(model, words(parts=("Another question.",)))
    assert [one.path for one in vllm.seen[before:]] == ["/v1/chat/completions"]


def test_word_the_server_calls_impossible_has_no_logit(vllm: OpenAIServer) -> None:
    response = ask(model_at(vllm), words("good", "never"))
    assert response.logits == {"good": -0.25}
    assert response.note == "not reported by the server: never"


def test_word_that_changes_the_tokens_before_it_is_named(vllm: OpenAIServer) -> None:
    response = ask(model_at(vllm), words("good", "好!"))  # no space is written before it, so it joins the word "is"
    assert response.logits == {"good": -0.25}
    assert response.note == "cannot be weighed by its tokens here: 好!"


def test_word_whose_pieces_are_cut_further_when_said_alone_is_named(vllm: OpenAIServer) -> None:
    response = ask(model_at(vllm), words("good", "gritty"))
    assert response.logits == {"good": -0.25}
    assert response.note == "cannot be weighed by its tokens here: gritty"


# Words, among the most probable


@pytest.mark.parametrize("manner", [OPENAI, LENIENT, VLLM_BEFORE_TOKEN_IDS], ids=lambda one: one.owner)
def test_words_outside_the_list_are_absent_and_named(manner: Manner) -> None:
    prefill = BEGUN if manner.continues else ""
    best = {"good": -0.25, "fair": -1.5} if prefill else {"good": -0.75}
    with OpenAIServer(manner) as server:
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


def test_server_that_shortens_lists_silently() -> None:
    with OpenAIServer(replace(OPENAI, top=1000, most_listed=20)) as server:
        assert model_at(server).identity["words"] == "among the 20 most probable tokens, by text"


def test_server_with_short_lists(picture: Picture) -> None:
    with OpenAIServer(SHORT_LISTS) as server:
        model = model_at(server)
        response = ask(model, words(prefill="", parts=(picture, RATE)))
        assert model.identity["words"] == "among the 5 most probable tokens, by text"
    assert response.logits == {"good": -0.75}
    assert response.note == "not among the 5 most probable tokens: poor"


@pytest.mark.parametrize("manner", [REASONING, WITHOUT_LISTS])
def test_words_are_not_asked_where_there_are_no_log_probabilities(manner: Manner) -> None:
    with OpenAIServer(manner) as server:
        model = model_at(server)
        assert model.wants == {"text"}
        with pytest.raises(UserError, match="gives no log-probabilities of tiny/vlm"):
            ask(model, words(prefill=""))


# The beginning of an answer


@pytest.mark.parametrize("manner", [VLLM, SGLANG], ids=lambda one: one.owner)
def test_beginning_is_continued(manner: Manner) -> None:
    with OpenAIServer(manner) as server:
        model = model_at(server)
        response = ask(model, Prompt("text", (RATE,), prefill=BEGUN))
        sent = server.chats[-1].payload
    assert response.text == " good"
    assert model.identity["prefill"] == "continued"
    assert sent["messages"] == [{"role": "user", "content": RATE}, {"role": "assistant", "content": BEGUN}]
    assert (sent["continue_final_message"], sent["add_generation_prompt"]) == (True, False)


@pytest.mark.parametrize("counts", [True, False])
@pytest.mark.parametrize("manner", [OPENAI, LENIENT, replace(LENIENT, shows_prompt=True)])
def test_beginning_is_refused_where_it_is_not_continued(manner: Manner, counts: bool) -> None:
    with OpenAIServer(replace(manner, counts=counts)) as server:
        model = model_at(server)
        with pytest.raises(UserError, match="was not seen to continue the beginning of an answer"):
            ask(model, words())
        assert ask(model, TEXT).text == "good"
        assert model.identity["prefill"] is None


def test_continuing_cannot_be_seen_without_prompt_or_counts() -> None:
    with OpenAIServer(replace(SGLANG, counts=False)) as server, pytest.raises(UserError, match="was not seen to"):
        ask(model_at(server), words())


def test_each_shown_prompt_is_checked(vllm: OpenAIServer) -> None:
    model = model_at(vllm)
    ask(model, words())
    vllm.faults = ["another prompt"]
    with pytest.raises(ProviderError, match="did not continue the beginning") as caught:
        ask(model, words())
    assert caught.value.kind == "permanent"


# What is sent


def test_parts_keep_their_order(vllm: OpenAIServer, picture: Picture) -> None:
    prompt = Prompt("text", ("First:", picture, "Second:", picture, "?"), system="Be brief.", max_tokens=7)
    ask(model_at(vllm), prompt)
    sent = vllm.chats[-1].payload
    assert sent["messages"][0] == {"role": "system", "content": "Be brief."}
    assert [part["type"] for part in sent["messages"][1]["content"]] == ["text", "image_url"] * 2 + ["text"]
    assert sent["max_tokens"] == 7
    assert len(vllm.chats[-1].images) == 2


def test_repeated_questions_are_sampled(vllm: OpenAIServer) -> None:
    model = model_at(vllm)
    ask(model, TEXT)
    assert vllm.chats[-1].payload["temperature"] == 0
    ask(model, replace(TEXT, repeat=1))
    assert vllm.chats[-1].payload["temperature"] == model.identity["temperature_of_draws"] == 1


def test_reasoning_models_are_asked_in_their_own_way() -> None:
    with OpenAIServer(REASONING) as server:
        model = model_at(server)
        assert ask(model, TEXT).text == "good"
        sent = server.chats[-1].payload
    assert sent.keys() == {"model", "messages", "max_completion_tokens"}
    assert model.identity["temperature"] == model.identity["temperature_of_draws"] == "the server's own"


@pytest.mark.parametrize(
    ("name", "image", "how"),
    [
        ("a.jpg", Image.fromarray(pixels()), {"quality": 90}),
        ("a.png", Image.fromarray(pixels()), {}),
        ("a.webp", Image.fromarray(pixels()), {"lossless": True}),
        ("grey.jpg", Image.fromarray(pixels(6, 8)), {}),
    ],
)
def test_plain_files_are_sent_byte_by_byte(
    vllm: OpenAIServer, tmp_path: Path, name: str, image: Image.Image, how: dict[str, Any]
) -> None:
    photo = saved(tmp_path / name, image, **how)
    ask(model_at(vllm), Prompt("text", (photo,)))
    [(_, _, data)] = vllm.chats[-1].images
    assert data == (tmp_path / name).read_bytes()


def turned() -> Image.Exif:
    exif = Image.Exif()
    exif[0x0112] = 6
    return exif


@pytest.mark.parametrize(
    ("name", "image", "how"),
    [
        ("turned.jpg", Image.fromarray(pixels()), {"exif": turned()}),
        ("cmyk.jpg", Image.fromarray(pixels(6, 8, 4), "CMYK"), {}),
        ("alpha.png", Image.fromarray(pixels(6, 8, 4)), {}),
        ("keyed.png", Image.fromarray(pixels()), {"transparency": tuple(map(int, pixels()[0, 0]))}),
        ("deep.png", Image.fromarray(pixels(6, 8).astype(np.uint16) * 257), {}),
        ("palette.png", Image.fromarray(pixels()).convert("P"), {}),
        ("moving.webp", Image.fromarray(pixels()), {"save_all": True, "append_images": [Image.new("RGB", (8, 6))]}),
        ("a.tiff", Image.fromarray(pixels()), {}),
        ("a.bmp", Image.fromarray(pixels()), {}),
    ],
)
def test_other_files_are_sent_as_the_pixels_every_model_sees(
    vllm: OpenAIServer, tmp_path: Path, name: str, image: Image.Image, how: dict[str, Any]
) -> None:
    photo = saved(tmp_path / name, image, **how)
    ask(model_at(vllm), Prompt("text", (photo,)))
    [(kind, shown, data)] = vllm.chats[-1].images
    assert (kind, shown.mode) == ("PNG", "RGB")
    assert data != (tmp_path / name).read_bytes()
    assert np.array_equal(np.asarray(shown), np.asarray(load_pixels(photo)))


def test_damaged_image_fails_alone(vllm: OpenAIServer, tmp_path: Path) -> None:
    whole = io.BytesIO()
    Image.fromarray(pixels(64, 64, 3)).save(whole, "JPEG")
    (tmp_path / "cut.jpg").write_bytes(whole.getvalue()[:1000])
    model = model_at(vllm)
    first, second = model.respond([Prompt("text", (open_picture(tmp_path / "cut.jpg"),)), TEXT])
    assert first.failure is not None
    assert "cut.jpg" in first.failure
    assert second.text == "good"


# Faults


@pytest.mark.parametrize(
    ("fault", "kind", "wait"),
    [
        ("429", "rate-limit", 7),
        ("429 until a date", "rate-limit", 0),
        ("429 for ever", "rate-limit", 3600),
        ("429 nonsense", "rate-limit", 0),
        ("no credit", "permanent", 0),
        ("408", "transient", 0),
        ("500", "transient", 0),
        ("503", "transient", 3),
        ("page with 502", "transient", 0),
        ("page with 200", "transient", 0),
        ("malformed", "transient", 0),
        ("cut", "transient", 0),
        ("dropped", "transient", 0),
        ("slow", "transient", 0),
        ("trickling", "transient", 0),
        ("endless", "permanent", 0),
        ("400", "permanent", 0),
        ("404", "permanent", 0),
        ("redirect", "permanent", 0),
        ("two choices", "permanent", 0),
        ("no message", "permanent", 0),
        ("a list", "permanent", 0),
    ],
)
def test_faults_are_classified(wronged: Wronged, fault: str, kind: str, wait: float) -> None:
    with pytest.raises(ProviderError) as caught:
        wronged.ask(fault, TEXT)
    assert (caught.value.kind, caught.value.retry_after) == (kind, wait)
    assert ask(Endpoint("tiny/vlm", [wronged.client(fault)]), TEXT).text == "good"


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("400", "answered 400: This model's maximum context length is 4096 tokens."),
        ("plain error", "answered 400: Unauthorized to see images"),
        ("page with 502", "answered 502: 502 Bad Gateway nginx"),
        ("empty error", "answered 400: Bad Request"),
        ("two choices", "answered with an unexpected choices (List should have at most 1 item"),
        ("page with 200", "answered with no JSON: 502 Bad Gateway nginx"),
        ("dropped", "cannot be reached or broke off (Server disconnected"),
    ],
)
def test_errors_say_what_the_server_said(wronged: Wronged, fault: str, said: str) -> None:
    with pytest.raises(ProviderError) as caught:
        wronged.ask(fault, TEXT)
    assert f"{wronged.server.url} {said}" in str(caught.value)


@pytest.mark.parametrize("prompt", [TEXT, words()], ids=["text", "words"])
@pytest.mark.parametrize("fault", FAULTS)
def test_nothing_a_server_does_escapes(wronged: Wronged, fault: str, prompt: Prompt) -> None:
    try:
        response = wronged.ask(fault, prompt)
    except ProviderError as error:
        told = str(error)
        assert len(told) < 400
        assert told.isprintable()
    else:
        told = repr(response)
        assert all(np.isfinite(value) for value in [*response.logits.values(), *response.usage.values()])
        told.encode()
    assert not any(KEY[start : start + 6] in told for start in range(len(KEY) - 5))


@pytest.mark.parametrize("fault", FAULTS)
def test_probing_fails_in_one_sentence_or_not_at_all(wronged: Wronged, fault: str) -> None:
    wronged.server.faults = [fault] * 3
    try:
        assert Endpoint("tiny/vlm", [wronged.client(fault)]).capabilities
    except UserError as error:
        assert str(error).startswith("tiny/vlm cannot be asked: http")
    finally:
        wronged.server.faults = []


def test_probe_tells_a_refusal_from_nonsense(wronged: Wronged) -> None:
    settled = ["nothing", "nothing"]  # the question itself, and continuing an answer; then token ids are tried
    wronged.server.faults = [*settled, "400"]
    assert not Endpoint("tiny/vlm", [wronged.patient]).capabilities.by_id
    wronged.server.faults = [*settled, "page with 200"]
    with pytest.raises(UserError, match="no JSON"):
        assert Endpoint("tiny/vlm", [wronged.patient]).capabilities


@pytest.mark.parametrize(
    ("fault", "prompt", "failure"),
    [
        ("filtered", TEXT, "refused"),
        ("refusal", TEXT, "refused"),
        ("cut off by the filter", TEXT, "refused"),
        ("thought too long", TEXT, "no answer within 64 tokens"),
        ("no logprobs", words(), "the server returned no log-probabilities"),
        ("empty logprobs", words(), "the server returned no log-probabilities"),
    ],
)
def test_one_prompt_without_an_answer_says_why(wronged: Wronged, fault: str, prompt: Prompt, failure: str) -> None:
    assert wronged.ask(fault, prompt).failure == failure


def test_log_probabilities_that_are_no_numbers_are_not_reported(wronged: Wronged) -> None:
    response = wronged.ask("logprobs are NaN", words())
    assert response.logits == {}
    assert response.note == "not reported by the server: good, poor"


# Several servers


def prompts(count: int) -> list[Prompt]:
    return [Prompt("text", (f"Question {number}",)) for number in range(count)]


def test_prompts_are_shared_out_by_their_content() -> None:
    with OpenAIServer() as one, OpenAIServer() as two:

        def shares() -> list[set[str]]:
            model = model_at(one, two)
            assert model.capabilities
            for server in (one, two):
                server.seen.clear()
            model.respond(prompts(40))
            return [{chat.payload["messages"][0]["content"] for chat in server.chats} for server in (one, two)]

        first, second = shares(), shares()
    assert first == second
    assert sum(map(len, first)) == 40
    assert min(map(len, first)) >= 10


def test_others_step_in_for_a_server_that_is_down() -> None:
    with OpenAIServer() as one, OpenAIServer() as two:
        model = model_at(one, two)
        assert model.capabilities
        one.faults = ["503"] * 40
        asked = len(one.chats)
        assert [response.text for response in model.respond(prompts(20))] == ["good"] * 20
        assert len(one.chats) == asked + 1  # then it is left alone for a while


def test_one_prompt_finds_out_whether_a_server_is_back() -> None:
    now = [0.0]
    with OpenAIServer() as one, OpenAIServer() as two, ThreadPoolExecutor(1) as pool:
        model = Endpoint("tiny/vlm", [Server(server.url) for server in (one, two)], clock=lambda: now[0])
        assert model.capabilities
        one.seen.clear()
        model.respond(prompts(20))
        first = Prompt("text", (one.chats[0].payload["messages"][0]["content"],))
        share = len(one.chats)
        one.faults = ["503", "slow"]
        ask(model, first)
        now[0] += 31
        one.seen.clear()
        finding_out = pool.submit(ask, model, first)
        assert one.waiting.wait(10)
        model.respond(prompts(20))
        assert len(one.chats) == 1  # the one that waits; the others went to the other server
        one.release.set()
        assert finding_out.result(10).text == "good"
        model.respond(prompts(20))
        assert len(one.chats) == 1 + share


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
    assert len([one for one in vllm.seen if one.path == "/v1/models"]) == 1  # probed once


def test_as_many_prompts_at_once_as_was_asked_for(vllm: OpenAIServer) -> None:
    assert endpoint("tiny/vlm", ModelOptions(endpoints=(vllm.url,), workers=3)).workers == 3
    with pytest.raises(UserError, match="--workers 0 would ask nothing"):
        endpoint("tiny/vlm", ModelOptions(endpoints=(vllm.url,), workers=0))
    with pytest.raises(UserError, match="--workers is for servers"):
        open_model("scripted", ModelOptions(workers=3))


# The chat template's arguments

THINKING_VLLM = replace(VLLM, thinks=True)


@pytest.mark.parametrize("manner", [THINKING_VLLM, replace(SGLANG, thinks=True)], ids=["prompt shown", "counted"])
def test_template_arguments_go_with_every_chat(manner: Manner, picture: Picture) -> None:
    without = {"enable_thinking": False}
    with OpenAIServer(manner) as server:
        model = endpoint("tiny/vlm", ModelOptions(endpoints=(server.url,), template=without))
        assert model.identity["template"] == without
        probed = len(server.seen)
        ask(model, replace(TEXT, parts=(picture, RATE)))
        ask(model, words())
        later = [one for one in server.seen[probed:] if one.path != "/detokenize"]
        assert later and all(one.payload["chat_template_kwargs"] == without for one in later)


@pytest.mark.parametrize("manner", [VLLM, LENIENT, OPENAI], ids=["template", "ignored", "refused"])
def test_template_arguments_that_do_nothing_are_a_mistake(manner: Manner) -> None:
    with OpenAIServer(manner) as server:
        model = endpoint("tiny/vlm", ModelOptions(endpoints=(server.url,), template={"enable_thinking": False}))
        with pytest.raises(UserError, match="or the model's chat template, does nothing with enable_thinking"):
            assert model.wants


# Identity, keys, prices


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
        }
        assert model.wants == {"text", "words"}
        asked = len(server.seen)
        assert model.identity["model"] == model.name == "tiny/vlm"
        assert len(server.seen) == asked


def test_server_that_does_not_say_what_it_is_goes_by_its_host() -> None:
    with OpenAIServer(OPENAI) as server:
        assert model_at(server).identity["backend"] == "OpenAI-compatible server at 127.0.0.1"


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
        assert KEY not in repr(model) + repr(model.identity) + repr(vars(model)) + repr(model._sites[0].server)


def test_wrong_key_is_told_without_repeating_it() -> None:
    with OpenAIServer(VLLM, key="another") as server, pytest.raises(UserError) as caught:
        assert model_at(server, key=KEY).identity
    assert "answered 401: the key is missing or wrong; set QBENCH_ENDPOINT_KEY" in str(caught.value)
    assert "sk-" not in str(caught.value)


def test_openai_key_is_sent_to_openai_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    options = ModelOptions(endpoints=("https://api.openai.com/v1", "https://api.openai.com.example/v1"))
    model = endpoint("gpt-x", options)
    sent = [site.server._client.headers.get("authorization") for site in model._sites]
    assert sent == [f"Bearer {KEY}", None]


@pytest.mark.parametrize("key", ["sk secret", "sk-secret\r\nX: y", "sk-sécret"])
def test_key_that_cannot_be_sent_is_not_shown(key: str) -> None:
    with pytest.raises(UserError, match="the endpoint's key holds") as caught:
        Server("http://localhost:8000/v1", key)
    assert "secret" not in str(caught.value)
    assert "sécret" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "base"),
    [
        ("http://localhost:8000", "http://localhost:8000/v1"),
        ("http://localhost:8000/", "http://localhost:8000/v1"),
        ("http://localhost:8000/v1/", "http://localhost:8000/v1"),
        ("https://host/openai/v1/chat/completions", "https://host/openai/v1"),
    ],
)
def test_base_urls(given: str, base: str) -> None:
    assert Server(given).url == base


@pytest.mark.parametrize("url", ["", "localhost:8000", "ftp://host/v1", "http://", "http://host/v1?x=1", "http://[::1"])
def test_what_is_no_base_url(url: str) -> None:
    with pytest.raises(UserError, match="is no base URL of a server"):
        endpoint("tiny", ModelOptions(endpoints=(url,)))


def test_password_in_the_url_is_refused_without_repeating_it() -> None:
    with pytest.raises(UserError, match="must not hold a password") as caught:
        endpoint("tiny", ModelOptions(endpoints=("http://me:secret@host/v1",)))
    assert "secret" not in str(caught.value)


def test_endpoint_without_a_url() -> None:
    with pytest.raises(UserError, match="needs the base URL"):
        endpoint("tiny", ModelOptions())


def test_cost_is_computed_from_prices_unless_the_server_tells_it(
    vllm: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QBENCH_PRICE_PER_MTOK_IN", "2.5")
    monkeypatch.setenv("QBENCH_PRICE_PER_MTOK_OUT", "10")
    model = endpoint("tiny/vlm", ModelOptions(endpoints=(vllm.url,)))
    usage = ask(model, TEXT).usage
    assert usage["cost"] == pytest.approx((usage["prompt_tokens"] * 2.5 + 10) / 1e6)
    vllm.faults = ["tells the cost"]
    assert ask(model, TEXT).usage["cost"] == 0.5
    vllm.faults = ["usage is nonsense"]
    assert ask(model, TEXT).usage == {}


@pytest.mark.parametrize("price", ["free", "-1", "nan", "inf"])
def test_price_that_is_none(monkeypatch: pytest.MonkeyPatch, price: str) -> None:
    monkeypatch.setenv("QBENCH_PRICE_PER_MTOK_IN", price)
    with pytest.raises(UserError, match="QBENCH_PRICE_PER_MTOK_IN is"):
        endpoint("tiny", ModelOptions(endpoints=("http://localhost:8000/v1",)))


def test_opening_asks_nothing(vllm: OpenAIServer) -> None:
    model = endpoint("tiny/vlm", ModelOptions(endpoints=(vllm.url, vllm.url)))
    assert (model.workers, model.batch_size) == (8, 1)
    assert vllm.seen == []
