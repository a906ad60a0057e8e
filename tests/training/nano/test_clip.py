"""nano-clip's training, small: it learns, goes on where it stopped, and loads as any encoder does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from qbench.images import open_picture
from qbench.models import open_model
from qbench.models.builtin import WEIGHTS_FOLDER
from qbench.prompts import CLIP_GOOD, CLIP_POOR
from qbench.records import Prompt
from qbench.stats.correlation import srcc
from qbench.training.nano import clip, eye
from qbench.training.nano.clip import ClipOptions, fit_basis, train_clip
from qbench.training.nano.photos import read_photos
from tests.training.interruption import interrupt

SCORER = WEIGHTS_FOLDER / "nano-iqa"


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(eye, "CROP", 96)
    monkeypatch.setattr(eye, "SIDE", 192)
    monkeypatch.setattr("qbench.training.nano.scenes.CALIBRATION_DAMAGES", 40)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # several share sums out as they come, which changes the last digits
    yield
    torch.set_num_threads(threads)


def options(photos: Path, folder: Path, name: str, steps: int, scenes: int) -> ClipOptions:
    work = folder / f"{name}-work"
    return ClipOptions(photos, SCORER, SCORER, folder / name, work, steps, scenes, workers=0)


def agreement(model: Path, photos: Path) -> float:
    """Rank correlation of its scores with the quality of views of photos, by the stock network."""
    from transformers import AutoModel, AutoTokenizer

    seen = clip.look(read_photos(photos), options(photos, photos, "unused", 1, 24))
    network, tokenizer = AutoModel.from_pretrained(model, dtype=torch.float32), AutoTokenizer.from_pretrained(model)
    with torch.inference_mode():
        good, poor = network.get_text_features(
            **tokenizer([CLIP_GOOD, CLIP_POOR], return_tensors="pt", padding=True)
        ).pooler_output
        images = torch.nn.functional.normalize(network.visual_projection(torch.from_numpy(seen.vectors)), dim=-1)
    lead = images @ (good / good.norm() - poor / poor.norm())
    return float(srcc(lead.numpy(), np.array([view.quality for scene in seen.scenes for view in scene.views])))


def test_some_training_beats_none_on_photos_it_has_not_seen(photo_folders: tuple[Path, Path], tmp_path: Path) -> None:
    after = train_clip(options(photo_folders[0], tmp_path, "after", 60, 40))
    before = train_clip(options(photo_folders[0], tmp_path, "before", 1, 8))
    log = [json.loads(line) for line in (tmp_path / "after-work" / "log.jsonl").read_text().splitlines()]
    for name in ("quality", "attribute", "caption", "phone quality"):
        assert log[-1][name] < log[0][name]
    assert agreement(after, photo_folders[1]) > agreement(before, photo_folders[1]) + 0.1


def test_it_loads_as_any_encoder(photo_folders: tuple[Path, Path], tmp_path: Path) -> None:
    model = open_model(str(train_clip(options(photo_folders[1], tmp_path, "out", 1, 8))))
    picture = open_picture(next(photo_folders[1].glob("*.jpg")))
    (answer,) = model.respond([Prompt("words", (picture,), words=(CLIP_GOOD, CLIP_POOR))])
    assert answer.logits.keys() == {CLIP_GOOD, CLIP_POOR}
    assert model.identity["architecture"] == "vision-text-dual-encoder"


def test_a_resumed_run_equals_an_uninterrupted_one(
    photo_folders: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clip, "SAVE_EVERY", 2)
    whole = load_file(train_clip(options(photo_folders[1], tmp_path, "whole", 5, 8)) / "model.safetensors")
    with monkeypatch.context() as patch:
        interrupt(patch, step=5)
        with pytest.raises(KeyboardInterrupt):
            train_clip(options(photo_folders[1], tmp_path, "parts", 5, 8))
    assert torch.load(tmp_path / "parts-work" / "checkpoint.pt", weights_only=True)["step"] == 4
    parts = load_file(train_clip(options(photo_folders[1], tmp_path, "parts", 5, 8)) / "model.safetensors")
    assert all(torch.equal(weight, parts[name]) for name, weight in whole.items())


def test_the_basis_frees_vectors_of_their_mean_and_spread(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is linear, so what takes the mean away is a direction in which all vectors are alike."""
    monkeypatch.setattr(clip, "_RIDGE", 0.0)
    generator = np.random.default_rng(0)
    vectors = (3 + generator.normal(size=(4000, 8)) @ generator.normal(size=(8, 40))).astype(np.float32)
    *differing, constant = fit_basis(vectors + generator.normal(0, 0.01, vectors.shape).astype(np.float32)) @ vectors.T
    assert constant == pytest.approx(np.ones(4000), abs=0.05)
    strongest = np.array(differing[-8:])
    assert strongest.mean(axis=1) == pytest.approx(np.zeros(8), abs=0.05)
    assert np.cov(strongest) == pytest.approx(np.eye(8), abs=0.05)
