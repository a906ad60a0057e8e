"""What is sent to a server, and how answers are begun; a photo that tells where it was taken goes as pixels alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from qbench.errors import ProviderError, UserError
from qbench.images import load_pixels
from qbench.models import ModelOptions
from qbench.models.openai import open_endpoint
from qbench.records import Picture, Prompt
from tests.models.openai.clients import RATE, TEXT, ask, model_at, pixels, saved, words
from tests.models.openai.server import BEGUN, LENIENT, OPENAI, SGLANG, VLLM, Behaviour, OpenAIServer


@pytest.mark.parametrize("behaviour", [VLLM, SGLANG], ids=lambda behaviour: behaviour.owner)
def test_beginning_is_continued(behaviour: Behaviour) -> None:
    with OpenAIServer(behaviour) as server:
        model = model_at(server)
        response = ask(model, Prompt("text", (RATE,), prefill=BEGUN))
        sent = server.chats[-1].payload
    assert response.text == " good"
    assert model.identity["prefill"] == "continued"
    assert sent["messages"] == [{"role": "user", "content": RATE}, {"role": "assistant", "content": BEGUN}]
    assert (sent["continue_final_message"], sent["add_generation_prompt"]) == (True, False)


@pytest.mark.parametrize("behaviour", [OPENAI, LENIENT, replace(LENIENT, shows_prompt=True)])
def test_beginning_is_refused_where_it_is_not_continued(behaviour: Behaviour) -> None:
    with OpenAIServer(behaviour) as server:
        model = model_at(server)
        with pytest.raises(UserError, match="was not seen to continue the beginning of an answer"):
            ask(model, words())
        assert ask(model, TEXT).text == "good"
        assert model.identity["prefill"] is None


def test_each_shown_prompt_is_checked(vllm: OpenAIServer) -> None:
    model = model_at(vllm)
    ask(model, words())
    vllm.faults = ["another prompt"]
    with pytest.raises(ProviderError, match="did not continue the beginning") as caught:
        ask(model, words())
    assert caught.value.kind == "permanent"


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


def exif(*, turned: bool = False, placed: bool = False) -> Image.Exif:
    made = Image.Exif()
    made[0x010F] = "Maker"
    if turned:
        made[0x0112] = 6
    if placed:
        made[0x8825] = {1: "N", 2: (52.0, 31.0, 0.0)}
    return made


XMP = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><exif:GPSLatitude>52,31N</exif:GPSLatitude></x:xmpmeta>'


@pytest.mark.parametrize(
    ("name", "image", "how"),
    [
        ("plain.jpg", Image.fromarray(pixels()), {"quality": 90}),
        ("plain grey.jpg", Image.fromarray(pixels(6, 8)), {}),
        ("plain made.jpg", Image.fromarray(pixels()), {"exif": exif()}),
        ("turned.jpg", Image.fromarray(pixels()), {"exif": exif(turned=True)}),
        ("placed.jpg", Image.fromarray(pixels()), {"exif": exif(placed=True)}),
        ("described.jpg", Image.fromarray(pixels()), {"exif": exif(), "xmp": XMP}),
        ("alpha.png", Image.fromarray(pixels(6, 8, 4)), {}),
        ("keyed.png", Image.fromarray(pixels()), {"transparency": tuple(map(int, pixels()[0, 0]))}),
        ("deep.png", Image.fromarray(pixels(6, 8).astype(np.uint16) * 257), {}),
        ("moving.webp", Image.fromarray(pixels()), {"save_all": True, "append_images": [Image.new("RGB", (8, 6))]}),
    ],
)
def test_plain_files_are_sent_byte_by_byte_and_others_as_pixels_that_never_tell_where_they_were_taken(
    vllm: OpenAIServer, tmp_path: Path, name: str, image: Image.Image, how: dict[str, Any]
) -> None:
    photo = saved(tmp_path / name, image, **how)
    ask(model_at(vllm), Prompt("text", (photo,)))
    [(kind, shown, data)] = vllm.chats[-1].images
    assert (data == (tmp_path / name).read_bytes()) is name.startswith("plain")
    if not name.startswith("plain"):
        assert (kind, shown.mode, dict(shown.getexif()), "xmp" in shown.info) == ("PNG", "RGB", {}, False)
        assert np.array_equal(np.asarray(shown), np.asarray(load_pixels(photo)))


@pytest.mark.parametrize("behaviour", [VLLM, SGLANG], ids=["prompt shown", "counted"])
def test_template_arguments_go_with_every_chat(behaviour: Behaviour, picture: Picture) -> None:
    without = {"enable_thinking": False}
    with OpenAIServer(replace(behaviour, thinks=True)) as server:
        model = open_endpoint("tiny/vlm", ModelOptions(endpoints=(server.url,), template=without))
        assert model.identity["template"] == without
        probed = len(server.seen)
        ask(model, replace(TEXT, parts=(picture, RATE)))
        ask(model, words())
        later = [request for request in server.seen[probed:] if request.path != "/detokenize"]
        assert later and all(request.payload["chat_template_kwargs"] == without for request in later)


@pytest.mark.parametrize("behaviour", [VLLM, LENIENT, OPENAI], ids=["template", "ignored", "refused"])
def test_template_arguments_that_do_nothing_are_a_mistake(behaviour: Behaviour) -> None:
    with OpenAIServer(behaviour) as server:
        model = open_endpoint("tiny/vlm", ModelOptions(endpoints=(server.url,), template={"enable_thinking": False}))
        with pytest.raises(UserError, match="or the model's chat template, does nothing with enable_thinking"):
            assert model.wants


@pytest.mark.parametrize(
    ("behaviour", "taken"), [(VLLM, True), (SGLANG, True), (replace(VLLM, penalty=False), False), (OPENAI, False)]
)
def test_the_checkpoints_own_repetition_penalty_is_put_off(behaviour: Behaviour, taken: bool) -> None:
    """vLLM and SGLang would apply it to greedy answers; it is sent to nobody who ignores or refuses it."""
    with OpenAIServer(behaviour) as server:
        model = model_at(server)
        assert model.identity.get("repetition_penalty") == (1.0 if taken else None)
        ask(model, TEXT)
        assert server.chats[-1].payload.get("repetition_penalty") == (1.0 if taken else None)
