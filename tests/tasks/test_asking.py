"""A way to ask is chosen from what the model offers; an image that cannot be opened costs one sample."""

from __future__ import annotations

from pathlib import Path

import pytest

from qbench.errors import UserError
from qbench.records import Prompt, Response
from qbench.tasks import Outcome
from qbench.tasks.asking import ask_each
from qbench.tasks.perception import TASK
from tests.tasks.drive import drive, photos


def asked_each(samples, answer):
    """Responses of `ask_each`, and which samples were asked."""
    asked = []

    def plan():
        responses = yield from ask_each(samples, lambda _, pictures: Prompt("score", pictures))
        return Outcome(absent={response.sample: response.failure or f"{response.score}" for response in responses})

    outcome = drive(plan(), lambda ask: (asked.append(ask.sample), answer)[1])
    return outcome.absent, asked


def test_the_first_mode_the_model_can_answer() -> None:
    assert TASK.choose_mode(frozenset({"words", "text"})) == "free"
    assert TASK.choose_mode(frozenset({"words"})) == "letter-logits"
    assert TASK.choose_mode(frozenset({"words", "text"}), "letter-logits") == "letter-logits"


def test_a_model_that_cannot_is_told_which_can() -> None:
    with pytest.raises(UserError) as error:
        TASK.choose_mode(frozenset({"score"}), "free")
    assert str(error.value) == (
        "perception by free asks a model for text, and this one offers only score; "
        "choose among vision-language checkpoints and servers (text)"
    )
    with pytest.raises(UserError, match=r"text or losses or words, and this one, an encoder, offers only emb"):
        TASK.choose_mode(frozenset({"embedding", "words"}))


def test_an_image_that_cannot_be_opened_fails_alone_and_unasked(tmp_path: Path) -> None:
    samples = photos(tmp_path, [1, 2, 3])
    (tmp_path / "1.png").write_bytes(b"no image")
    texts, asked = asked_each(samples, Response(score=0.5))
    assert asked == ["0", "2"]
    # which formats are known depends on what is installed
    assert texts.pop("1").startswith("1.png is not an image in a known format (JPEG, PNG, WEBP, BMP, TIFF, GIF")
    assert texts == {"0": "0.5", "2": "0.5"}
