"""The training of nano-vlm's eye, small: it learns to see damage, and goes on where it stopped."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from qbench.datasets.demo.damage import Damage
from qbench.models.builtin import WEIGHTS_FOLDER
from qbench.models.iqa.backbone import as_batch, faster, open_backbone, write_back
from qbench.training.nano import eye
from qbench.training.nano.eye import EyeOptions, train_eye
from qbench.training.nano.lite import read_backbone
from qbench.training.nano.photos import read_photos
from qbench.training.nano.scenes import Scene, Scenes, SceneView, calibrate
from tests.training.interruption import interrupt

BACKBONE = WEIGHTS_FOLDER / "nano-iqa"
CROP = 96


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(eye, "CROP", CROP)
    monkeypatch.setattr("qbench.training.nano.scenes.CALIBRATION_DAMAGES", 40)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # several share sums out as they come, which changes the last digits
    yield
    torch.set_num_threads(threads)


def options(photos: Path, folder: Path, name: str, steps: int, scenes: int) -> EyeOptions:
    return EyeOptions(photos, BACKBONE, folder / name, folder / f"{name}-work", steps, scenes, workers=0)


def separation(network: Path, photos: Path) -> float:
    """How far apart clean and damaged views of photos are in the last layer, in deviations of one."""
    read = read_photos(photos)
    chosen = EyeOptions(photos, BACKBONE, photos, photos, 1, 20, workers=0)
    scenes = Scenes(read, calibrate(read, CROP / eye.SIDE, 9), eye.SIDE, 9)
    tower = open_backbone(network)
    early = eye.cache_early_maps(tower, scenes, chosen)
    with torch.inference_mode():
        whole = eye.late_maps(tower, torch.from_numpy(early.maps[:80]).float()).mean(dim=(2, 3)).numpy()
    hurt = np.array([view.damage is not None for view in early.views])
    direction = whole[hurt].mean(axis=0) - whole[~hurt].mean(axis=0)
    along = whole @ (direction / np.linalg.norm(direction))
    return float((along[hurt].mean() - along[~hurt].mean()) / along[~hurt].std())


def test_it_learns_to_see_damage_on_photos_it_has_not_seen(photo_folders: tuple[Path, Path], tmp_path: Path) -> None:
    trained = train_eye(options(photo_folders[0], tmp_path, "eye", 40, 30))
    log = [json.loads(line) for line in (tmp_path / "eye-work" / "log.jsonl").read_text().splitlines()]
    for name in ("quality", "attributes", "kind"):
        assert log[-1][name] < log[0][name]
    assert separation(trained, photo_folders[1]) > separation(BACKBONE, photo_folders[1])


def test_a_resumed_run_equals_an_uninterrupted_one(
    photo_folders: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(eye, "SAVE_EVERY", 2)
    whole = load_file(train_eye(options(photo_folders[1], tmp_path, "whole", 5, 3)) / "model.safetensors")
    with monkeypatch.context() as patch:
        interrupt(patch, step=5)
        with pytest.raises(KeyboardInterrupt):
            train_eye(options(photo_folders[1], tmp_path, "parts", 5, 3))
    assert torch.load(tmp_path / "parts-work" / "checkpoint.pt", weights_only=True)["step"] == 4
    parts = load_file(train_eye(options(photo_folders[1], tmp_path, "parts", 5, 3)) / "model.safetensors")
    assert all(torch.equal(weight, parts[name]) for name, weight in whole.items())


def test_a_faster_network_is_written_back_as_a_stock_one() -> None:
    """Equal to the network that was made faster, as Transformers runs it."""
    stock = read_backbone(BACKBONE).eval()
    written = write_back(faster(read_backbone(BACKBONE)), read_backbone(BACKBONE)).eval()
    pixels = as_batch([np.random.default_rng(0).integers(0, 256, (96, 96, 3), np.uint8)])
    with torch.inference_mode():
        expected, found = (network(pixels).last_hidden_state for network in (stock, written))
        early = eye.late_maps(faster(read_backbone(BACKBONE)), eye.early_maps(faster(read_backbone(BACKBONE)), pixels))
    assert torch.allclose(found, expected, atol=1e-3)
    assert torch.allclose(early, expected, atol=1e-3)


def test_the_map_of_damage_covers_its_place() -> None:
    pixels = np.zeros((128, 128, 3), np.uint8)
    views = (SceneView(pixels, None, 1, ()), SceneView(pixels, Damage("jpeg", 5, None), 0, ()))
    local = SceneView(pixels, Damage("jpeg", 2.5, "bottom right"), 0, ())
    maps = eye.damage_maps([Scene(0, (*views, local))]).reshape(3, 4, 4)
    assert maps[0].sum() == 0
    assert (maps[1] == 1).all()
    expected = torch.zeros(4, 4)
    expected[2:, 2:] = 0.5
    assert torch.equal(maps[2], expected)
