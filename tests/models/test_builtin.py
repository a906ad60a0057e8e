"""The table of short names: what it says is all that the rest of the project knows of a model before it is opened."""

from __future__ import annotations

import pytest

from qbench.errors import UserError
from qbench.models import builtin, open_model
from qbench.models.builtin import find_builtin, models_offering, uses_device


@pytest.fixture(autouse=True)
def as_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(builtin.BUILTIN, "scripted")  # type: ignore[arg-type]


def test_the_kinds_of_model_that_can_be_asked_are_named() -> None:
    assert models_offering("losses") == "vision-language checkpoints and vLLM servers"
    assert models_offering("text") == "vision-language checkpoints and servers"
    assert models_offering("score") == "nano-iqa, niqe, sharpness, colourfulness, contrast, brightness and pyiqa:NAME"


def test_a_name_with_an_argument_is_the_same_model() -> None:
    assert find_builtin("pyiqa:brisque") is find_builtin("pyiqa:other") is not None
    assert find_builtin("owner/niqe") is None
    assert [name for name in ("niqe", "sharpness", "pyiqa:brisque", "owner/model") if uses_device(name)] == [
        "pyiqa:brisque",
        "owner/model",
    ]


@pytest.mark.parametrize("source", ["sharpness:much", "nano-vlm:large"])
def test_nothing_follows_a_name_that_takes_no_argument(source: str) -> None:
    name, _, argument = source.partition(":")
    with pytest.raises(UserError, match=f"^{name} takes nothing after its name, so '{argument}' has no meaning"):
        open_model(source)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "q-align-trained-on-koniq",
            "is known by its published figures alone and cannot be opened by name: ask it at a",
        ),
        ("gpt-4v", "--endpoint https://api.openai.com/v1 --model gpt-4-vision-preview"),
        ("Gemini-3-Pro", "generativelanguage.googleapis.com/v1beta/openai --model gemini-3-pro-preview"),
        ("blueimage-gpt", "are closed: ask it at its maker's server (--endpoint URL --model NAME)"),
        ("brisque", "runs through the package pyiqa (its licence is non-commercial): --model pyiqa:brisque"),
        ("lpips", "Compares an image with its undistorted original"),
        ("dreamsim-ensemble", "only with the authors' package, dreamsim"),
        ("hpsv2", "A CLIP in OpenCLIP's form"),
        ("xswu/HPSv2", "A CLIP in OpenCLIP's form"),
        ("THUDM/ImageReward", "only with the authors' package, github.com/THUDM/ImageReward"),
        ("timm/ViT-SO400M-14-SigLIP", "google/siglip-so400m-patch14-224 is the same model"),
        ("lmms-lab/llava-next-interleave-qwen-7b", "llava-hf/llava-interleave-qwen-7b-hf is the same model"),
        ("q-future/Compare2Score", "github.com/Q-Future/Compare2Score. Ask a server that has it (--endpoint URL)"),
        ("one-align", "Read that code and allow it with --remote-code, or ask a server that has it"),
        ("q-align", "qalign of the package pyiqa is OneAlign (--model pyiqa:qalign)"),
        ("qalign_4bit", "runs through the package pyiqa (its licence is non-commercial): --model pyiqa:qalign_4bit"),
        ("unisim-vit-b-32", "drive.google.com/file/d/1z8fQ3KSrih-diYqm9O_NazotlFTo8fN3 (linked in the authors' README"),
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


def test_only_models_that_open_are_suggested() -> None:
    with pytest.raises(
        UserError, match="no model is called 'gpt-4vv': known short names are nano-iqa, nano-vlm, nano-clip"
    ):
        open_model("gpt-4vv")
    with pytest.raises(UserError, match="no model is called 'NIQE': did you mean niqe"):
        open_model("NIQE")


def test_near_misses_are_suggested() -> None:
    for name, said in {
        "niq": "did you mean niqe",
        "idefics-instrukt": "idefics-instruct",
        "": "model is called ''",
    }.items():
        with pytest.raises(UserError, match=said):
            open_model(name)
