"""Encoders at servers: vectors of images and texts, and captions weighed by cosine."""

from __future__ import annotations

import json
from math import sqrt
from pathlib import Path

import pytest
from PIL import Image

from qbench.__main__ import main
from qbench.errors import UserError
from qbench.models.openai.endpoint import Endpoint
from qbench.models.openai.server import Server
from qbench.records import Picture, Prompt
from tests.models.openai.clients import ask, saved
from tests.models.openai.clients import model_at as chat_at
from tests.models.openai.encoders import EncoderServer, SglangEncoder


def model_at(server: EncoderServer) -> Endpoint:
    return Endpoint("tiny/clip", [Server(server.url, "", 20.0)])


def colour(folder: Path, *rgb: int) -> Picture:
    return saved(folder / f"{'-'.join(map(str, rgb))}.png", Image.new("RGB", (8, 6), rgb))


@pytest.mark.parametrize("kind", [EncoderServer, SglangEncoder])
def test_vectors_of_images_and_texts_are_of_length_one(kind: type[EncoderServer], tmp_path: Path) -> None:
    with kind() as server:
        model = model_at(server)
        assert model.wants == {"embedding", "words"}
        seen = ask(model, Prompt("embedding", (colour(tmp_path, 0, 30, 40),)))
        read = ask(model, Prompt("embedding", ("red and green , red",)))
    assert seen.embedding == pytest.approx((0, 0.6, 0.8, 0))  # 30 and 40 of 50
    assert read.embedding == pytest.approx((2 / sqrt(5), 1 / sqrt(5), 0, 0))
    assert seen.usage == {"prompt_tokens": 8.0, "completion_tokens": 0.0}


def test_captions_are_weighed_by_a_hundred_times_their_cosine(tmp_path: Path) -> None:
    with EncoderServer() as server:
        model = model_at(server)
        before = len(server.seen)
        for _ in range(2):
            response = ask(model, Prompt("words", (colour(tmp_path, 0, 30, 40),), words=("green", "blue", "red")))
            assert response.logits == pytest.approx({"green": 60, "blue": 80, "red": 0})
        sent = [request.payload.get("input") for request in server.seen[before:] if "embeddings" in request.path]
    assert [text for text in sent if text in ("green", "blue", "red")] == ["green", "blue", "red"]  # each once


def test_identity_of_an_encoder_says_what_can_change_its_vectors() -> None:
    with EncoderServer(weights="/models/clip-vit-base-patch32") as server:
        assert model_at(server).identity == {
            "model": "tiny/clip",
            "backend": "vllm 0.33.0",
            "weights": "clip-vit-base-patch32",
            "scale": 100,
            "form": "messages",
            "padded": False,
            "images": "the file's own bytes where it is upright 8-bit RGB or grey, else its pixels as PNG",
        }


def test_texts_of_a_model_that_reads_64_tokens_are_padded() -> None:
    with EncoderServer(length=64) as server:
        model = model_at(server)
        assert model.identity["padded"] is True
        assert ask(model, Prompt("embedding", ("green",))).embedding == pytest.approx((sqrt(0.5), sqrt(0.5), 0, 0))
    with EncoderServer(length=64, pads=False) as server, pytest.raises(UserError, match="was not seen to pad one"):
        assert model_at(server).wants


def test_server_that_embeds_texts_alone_is_refused_with_the_reason() -> None:
    with EncoderServer(sees=False) as server, pytest.raises(UserError, match="vectors of texts, and none of images"):
        assert model_at(server).wants


def test_model_that_an_encoders_server_does_not_have() -> None:
    with EncoderServer() as server, pytest.raises(UserError, match=r"tiny/vlm cannot be asked.*it serves tiny/clip"):
        assert chat_at(server).wants


def test_question_beside_the_image_is_no_matter_for_an_encoder(tmp_path: Path) -> None:
    with EncoderServer() as server:
        response = ask(model_at(server), Prompt("embedding", (colour(tmp_path, 9, 9, 9), "Which is better?")))
    assert response.failure == "an encoder takes one image or one text at a time, and no question beside it"


def test_a_similarity_task_is_run_at_a_server(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, rgb in {"ref": (9, 0, 1), "near": (9, 1, 0), "far": (0, 0, 9)}.items():
        Image.new("RGB", (8, 6), rgb).save(tmp_path / f"{name}.png")
    rows = [
        {"reference": "ref.png", "images": ["near.png", "far.png"], "label": 0},
        {"reference": "ref.png", "images": ["far.png", "near.png"], "label": 0},
    ]
    manifest = tmp_path / "pairs.jsonl"
    manifest.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    with EncoderServer() as server:
        asked = ["run", "--task", "img-2afc", "--dataset", str(manifest), "--model", "tiny/clip"]
        assert main([*asked, "--endpoint", server.url, "--out", str(tmp_path / "out"), "--json"]) == 0
        sent = sum(request.path == "/v1/embeddings" for request in server.seen)
    [result] = json.loads(capsys.readouterr().out)
    assert result["metrics"]["accuracy"]["value"] == 0.5  # the second row's label is wrong
    assert result["protocol"]["answer"] == "embeddings"
    assert sent == 3 + 3  # a text and two pictures to see what it takes; each image once
