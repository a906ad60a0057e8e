"""nano-vlm's training, small: what it is told, how turns share a picture, and that it loads as any LLaVA does."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from qbench.datasets.demo.damage import Damage
from qbench.errors import UserError
from qbench.images import open_picture
from qbench.models import open_model
from qbench.models.chat import render
from qbench.prompts import RATE, RATE_PREFILL
from qbench.records import Picture, Prompt
from qbench.training import vlm
from qbench.training.clip import ClipOptions, train_clip
from qbench.training.conversations import about_one, about_two

PICTURE = Picture("", "")


@pytest.fixture(scope="module")
def eye(photo_folders: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("eye")
    with pytest.MonkeyPatch.context() as patch:
        quick = {"SMALL": 96, "MIDDLE": 96, "WHOLE_SHARE": 0, "JUDGING_STEPS": 2, "_FIRST_LOOK": 24}
        for name, value in quick.items():
            patch.setattr(f"qbench.training.clip.{name}", value)
        options = ClipOptions(
            photo_folders[1], folder / "nano-clip", folder / "work", steps=1, scenes=2, glances=8, workers=0
        )
        return train_clip(options)


def test_what_it_is_told_follows_from_the_damage() -> None:
    generator = np.random.default_rng(0)
    turns = about_one(PICTURE, Damage("motion-blur", 5.0), 0.25, generator)
    (rated,) = [turn for turn in turns if turn.words]
    assert dict(rated.words)["good"] == pytest.approx(0.125)
    assert dict(rated.words)["poor"] == pytest.approx(0.375)
    assert sum(share for _, share in rated.words) == pytest.approx(1)
    paper, code = about_two((PICTURE, PICTURE), (0.2, 0.9))
    assert (paper.answer, code.answer) == ("The second image.", "B")


def test_turns_on_one_picture_are_learnt_as_if_asked_alone(eye: Path) -> None:
    """A row of turns gives each the logits that the model, given its prompt alone, gives."""
    model, processor = vlm.build(eye, 0)
    turns = about_one(PICTURE, Damage("jpeg", 3.0), 0.5, np.random.default_rng(1))
    features = np.random.default_rng(2).normal(size=(1, vlm.TOKENS, 192)).astype(np.float16)
    learner = vlm.make_learner(model, processor, vlm.Seen(features, []))
    with torch.inference_mode():
        together = learner([((0,), turns)])
        alone = [learner([((0,), [turn])]) for turn in turns]
    said = [(turn, loss["words"]) for turn, loss in zip(turns, alone, strict=True) if not turn.words]
    lengths = [len(processor.tokenizer(f" {turn.answer}")["input_ids"]) + 1 for turn, _ in said]
    mean = sum(float(loss) * length for (_, loss), length in zip(said, lengths, strict=True)) / sum(lengths)
    (quality,) = [loss["quality"] for loss in alone if "quality" in loss]
    assert float(together["words"]) == pytest.approx(mean, rel=1e-4)
    assert float(together["quality"]) == pytest.approx(float(quality), rel=1e-4)


def test_it_learns_and_loads_as_any_llava(photo_folders: tuple[Path, Path], eye: Path, tmp_path: Path) -> None:
    options = vlm.VlmOptions(
        photo_folders[1], eye, tmp_path / "nano-vlm", tmp_path / "work", steps=40, scenes=3, rows=4, workers=0
    )
    model = open_model(str(vlm.train_vlm(options)))
    log = [json.loads(line) for line in (tmp_path / "work" / "log.jsonl").read_text().splitlines()]
    assert log[-1]["words"] < log[0]["words"] * 0.8
    picture = open_picture(next(photo_folders[1].glob("*.jpg")))
    rate = Prompt("words", (picture, RATE), words=("good", "poor"), prefill=RATE_PREFILL)
    (answer,) = model.respond([rate])
    assert answer.logits.keys() == {"good", "poor"}
    assert answer.note is None  # one token each
    assert model.identity["architecture"] == "llava"


def test_prompts_are_spelt_as_the_adapter_spells_them(eye: Path) -> None:
    _, processor = vlm.build(eye, 0)
    turn = about_two((PICTURE, PICTURE), (0.9, 0.2))[0]
    spelt = vlm.spell([turn], processor)
    text = render(turn.prompt, processor, "llava").text.replace("<image>", "<image>" * vlm.TOKENS)
    whole = processor.tokenizer(f"{text} {turn.answer}")["input_ids"]
    assert spelt.tokens == whole
    assert spelt.places == list(range(len(whole)))


def test_a_run_through_another_eye_is_not_gone_on_with(
    photo_folders: tuple[Path, Path], eye: Path, tmp_path: Path
) -> None:
    def options(through: Path) -> vlm.VlmOptions:
        where = {"photos": photo_folders[1], "out": tmp_path / "out", "work": tmp_path / "work"}
        return vlm.VlmOptions(eye=through, steps=1, scenes=1, rows=1, workers=0, **where)

    vlm.train_vlm(options(eye))
    other = tmp_path / "other"
    shutil.copytree(eye, other)
    weights = load_file(other / "model.safetensors")
    save_file(weights | {"logit_scale": weights["logit_scale"] + 1}, other / "model.safetensors", {"format": "pt"})
    with pytest.raises(UserError, match=r"other settings \(eye\)"):
        vlm.train_vlm(options(other))
