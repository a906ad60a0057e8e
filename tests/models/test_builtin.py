"""The table of short names: what it says is all that the rest of the project knows of a model before it is opened."""

from __future__ import annotations

import pytest

from qbench.errors import UserError
from qbench.models import builtin, open_model


@pytest.fixture(autouse=True)
def as_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(builtin.BUILTIN, "scripted")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("q-align-trained-on-koniq", "known by its published figures alone. Ask a server that has it (--endpoint URL)"),
        ("blueimage-gpt", "Its weights are closed. Ask a server that has it (--endpoint URL)"),
        ("gpt-4v", "unless it was withdrawn since, with --endpoint https://api.openai.com/v1 --model gpt-4-vision-p"),
        ("brisque", "(its licence is non-commercial): --model pyiqa:brisque"),
        ("timm/ViT-SO400M-14-SigLIP", "google/siglip-so400m-patch14-224 is the same model"),
        ("one-align", "Read that code and allow it with --remote-code, or ask a server that has it"),
    ],
)
def test_a_model_that_does_not_open_by_name_says_how_it_is_run(name: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        open_model(name)
    assert said in str(caught.value)
    assert "did you mean" not in str(caught.value)


def test_people_and_chance_are_said_to_be_no_models() -> None:
    for name in ("human-senior", "random-guess"):
        with pytest.raises(UserError, match="is no model that could be asked; choose a model"):
            open_model(name)


def test_near_misses_are_suggested() -> None:
    for name, said in {
        "niq": "did you mean niqe",
        "idefics-instrukt": "idefics-instruct",
        "": "model is called ''",
    }.items():
        with pytest.raises(UserError, match=said):
            open_model(name)
