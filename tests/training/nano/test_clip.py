"""nano-clip's training, small: it learns, goes on where it stopped, and loads as any encoder does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from transformers import CLIPModel, CLIPTokenizer

from qbench.images import open_picture
from qbench.models import open_model
from qbench.prompts import CLIP_GOOD, CLIP_POOR
from qbench.records import Prompt
from qbench.training.loop import Recipe
from qbench.training.nano import vision
from qbench.training.nano.clip import ClipOptions, SceneBatch, clip_learner, train_clip
from qbench.training.nano.photos import read_photos
from qbench.training.nano.scenes import calibrate, make_scene
from qbench.training.nano.texture import STATISTICS
from tests.training.interruption import interrupt

SMALL = 96
"""Crops of this size, to be quick."""


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("qbench.training.nano.clip.SMALL", SMALL)
    monkeypatch.setattr("qbench.training.nano.clip.MIDDLE", SMALL)
    monkeypatch.setattr("qbench.training.nano.clip.WHOLE_SHARE", 0)
    monkeypatch.setattr("qbench.training.nano.clip.SUMMARY_STEPS", 2)
    monkeypatch.setattr("qbench.training.nano.clip._FIRST_LOOK", 24)
    monkeypatch.setattr("qbench.training.nano.scenes.CALIBRATION_DAMAGES", 40)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # several share sums out as they come, which changes the last digits
    yield
    torch.set_num_threads(threads)


def losses_on(photos: Path, out: Path, work: Path) -> dict[str, float]:
    """Each loss of what was trained, on scenes of other photos."""
    model, tokenizer = CLIPModel.from_pretrained(out, dtype=torch.float32), CLIPTokenizer.from_pretrained(out)
    nothing = vision.TextureReadout(torch.zeros(STATISTICS, 192), torch.zeros(STATISTICS), torch.ones(STATISTICS))
    learner = clip_learner(model, tokenizer, nothing)
    learner.load_state_dict(torch.load(work / "checkpoint.pt", weights_only=True)["states"][0])
    read = read_photos(photos)
    scale = calibrate(read, SMALL / vision.SIDE, 9)
    scenes = [make_scene(read, scale, SMALL, vision.SIDE, 9, index) for index in range(30)]
    with torch.inference_mode():
        return {name: float(loss) for name, loss in learner(SceneBatch.of(scenes)).items()}


def test_some_training_beats_none_on_photos_it_has_not_seen(photo_folders: tuple[Path, Path], tmp_path: Path) -> None:
    def trained(steps: int) -> dict[str, float]:
        out, work = tmp_path / f"after-{steps}", tmp_path / f"work-{steps}"
        train_clip(ClipOptions(photo_folders[0], out, work, steps, scenes=3, glances=8, workers=0))
        return losses_on(photo_folders[1], out, work)

    before, after = trained(1), trained(200)
    log = [json.loads(line) for line in (tmp_path / "work-200" / "log.jsonl").read_text().splitlines()]
    for name in ("attribute", "kind"):
        assert np.mean([row[name] for row in log[-3:]]) < np.mean([row[name] for row in log[:2]])
    assert after["attribute"] < 0.8 * before["attribute"]
    assert after["kind"] < before["kind"]
    assert sum(after.values()) < 0.95 * sum(before.values())


def test_it_loads_as_any_encoder(photo_folders: tuple[Path, Path], tmp_path: Path) -> None:
    options = ClipOptions(
        photo_folders[1], tmp_path / "out", tmp_path / "work", steps=1, scenes=2, glances=8, workers=0
    )
    model = open_model(str(train_clip(options)))
    picture = open_picture(next(photo_folders[1].glob("*.jpg")))
    (answer,) = model.respond([Prompt("words", (picture,), words=(CLIP_GOOD, CLIP_POOR))])
    assert answer.logits.keys() == {CLIP_GOOD, CLIP_POOR}
    assert model.identity["architecture"] == "clip"


def test_a_resumed_run_equals_an_uninterrupted_one(
    photo_folders: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("qbench.training.nano.clip.Recipe", partial(Recipe, save_every=2))

    def options(name: str) -> ClipOptions:
        return ClipOptions(
            photo_folders[1], tmp_path / name, tmp_path / f"{name}-work", steps=6, scenes=2, glances=8, workers=0
        )

    whole = load_file(train_clip(options("whole")) / "model.safetensors")
    with monkeypatch.context() as patch:
        interrupt(patch, step=2 + 5)
        with pytest.raises(KeyboardInterrupt):
            train_clip(options("parts"))
    assert torch.load(tmp_path / "parts-work" / "checkpoint.pt", weights_only=True)["step"] == 4
    parts = load_file(train_clip(options("parts")) / "model.safetensors")
    assert all(torch.equal(weight, parts[name]) for name, weight in whole.items())
