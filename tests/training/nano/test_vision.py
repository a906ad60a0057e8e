"""The eye's first weights: patches know their texture before any training."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from transformers import CLIPConfig, CLIPModel

from qbench.training.nano import vision
from qbench.training.nano.photos import read_photos
from qbench.training.nano.scenes import Scenes, calibrate, stack_pixels
from qbench.training.nano.texture import texture

SIDE = 96


def test_texture_is_read_off_patches_of_photos_it_was_not_fitted_on(photo_folders: tuple[Path, Path]) -> None:
    def pictures(folder: Path, scenes: int) -> np.ndarray:  # type: ignore[type-arg]
        photos = read_photos(folder)
        drawn = Scenes(photos, calibrate(photos, SIDE / vision.SIDE, 0), vision.SIDE, 0)
        return stack_pixels(drawn[SIDE, index] for index in range(scenes))

    torch.manual_seed(0)
    tower = CLIPModel(CLIPConfig(vision_config=vision.CONFIG)).vision_model
    readout = vision.initialise(tower, pictures(photo_folders[0], 120), 0)
    unseen = pictures(photo_folders[1], 30)
    told = vision.standardise_texture(texture(unseen, vision.PATCH), readout.mean, readout.spread)
    with torch.no_grad():
        shown = vision.to_pixel_values(unseen, "cpu")
        states = tower(shown, interpolate_pos_encoding=True, output_hidden_states=True).hidden_states

        def unexplained(layer: int) -> float:
            """Mean square of what the readout gets wrong, in that of guessing each statistic's mean."""
            wrong = (states[layer][:, 1:] @ readout.weight.T - told).square().mean(dim=(0, 1))
            return float((wrong / told.var(dim=(0, 1))).median())

        before, first, second = (unexplained(layer) for layer in range(3))
        whole = vision.vectors_from_summaries(tower, vision.gather_summaries(tower, shown))
        full = tower(shown, interpolate_pos_encoding=True).pooler_output
    assert before > 1
    assert first < 0.6
    assert second < first
    assert torch.allclose(whole, full, atol=1e-4)  # as long as the fourth layer's attention adds nothing
