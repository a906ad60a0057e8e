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
        *((name, "is no model that could be asked; choose a model") for name in ("human-senior", "random-guess")),
    ],
)
def test_a_model_that_does_not_open_by_name_says_how_it_is_run(name: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        open_model(name)
    assert said in str(caught.value)
    assert "did you mean" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "said"),
    [("niq", "did you mean niqe"), ("idefics-instrukt", "idefics-instruct"), ("", "model is called ''")],
)
def test_near_misses_are_suggested(name: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        open_model(name)
