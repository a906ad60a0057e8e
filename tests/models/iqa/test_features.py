"""What nano-iqa sees: the network as Transformers has it, statistics of known textures, and photos of any size."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from PIL import Image
from transformers import EfficientNetModel

from qbench.models.builtin import WEIGHTS_FOLDER
from qbench.models.iqa.features import (
    SCENE_STATISTICS,
    STAGES,
    Looked,
    as_batch,
    look,
    open_backbone,
    read_tower,
)

FOLDER = WEIGHTS_FOLDER / "nano-iqa"
CHANNELS = [32, 16, 24, 40, 80, 112, 192, 320, 1280]


def picture(height: int, width: int) -> np.ndarray:
    return np.random.default_rng(3).integers(0, 256, (height, width, 3), dtype=np.uint8)


def test_it_sees_what_the_stock_network_computes() -> None:
    stock = read_tower(FOLDER).eval()
    assert isinstance(stock, EfficientNetModel)
    pixels = picture(97, 131)
    expected = []
    with torch.inference_mode():
        for batch in (as_batch([pixels]), torch.nn.functional.avg_pool2d(as_batch([pixels]), 2)):
            seen = stock(batch, output_hidden_states=True)
            maps = [*(seen.hidden_states[stage] for stage in STAGES), seen.last_hidden_state]
            expected += [stage.mean(dim=(2, 3))[0] for stage in maps]
            expected += [stage.std(dim=(2, 3), correction=0)[0] for stage in maps]
    found = look(open_backbone(FOLDER), Image.fromarray(pixels)).features()[0]
    assert len(found) == 4 * sum(CHANNELS) + SCENE_STATISTICS
    assert found[:-SCENE_STATISTICS] == pytest.approx(torch.cat(expected).numpy(), abs=2e-3)


def test_means_and_deviations_of_a_map_by_hand() -> None:
    stage = torch.tensor([[[[1.0, 3.0], [1.0, 3.0]], [[5.0, 5.0], [5.0, 5.0]]]])
    [found] = Looked(np.zeros((64, 64, 3), np.uint8), [[stage]]).features()
    assert found[:-SCENE_STATISTICS].tolist() == [2.0, 5.0, 1.0, 0.0]


def statistics(pixels: np.ndarray) -> np.ndarray:
    """What is computed of pixels without the network."""
    return Looked(pixels, [[torch.zeros(1, 1, 1, 1)]]).features()[0, -SCENE_STATISTICS:]


def test_statistics_of_known_textures() -> None:
    grey = statistics(np.full((64, 64, 3), 51, np.uint8))
    assert len(grey) == SCENE_STATISTICS
    assert grey[:7] == pytest.approx([0.2] * 6 + [0], abs=1e-6)  # luminance: five percentiles, mean, deviation
    assert np.isfinite(grey).all()
    generator = np.random.default_rng(0)
    noise = (128 + 20 * generator.standard_normal((256, 256, 1))).clip(0, 255).astype(np.uint8).repeat(3, axis=2)
    spikes = np.full((256, 256, 3), 128, np.uint8)
    spikes[generator.random((256, 256)) < 0.02] = 255
    shape_of_noise, shape_of_spikes = statistics(noise)[10], statistics(spikes)[10]
    assert shape_of_noise > 2  # the Gaussian's shape or flatter: the local mean holds a share of each pixel itself
    assert shape_of_spikes < 1  # long tails


def test_a_large_photo_is_looked_at_in_1024_pixels_and_a_small_one_as_it_is() -> None:
    network = open_backbone(FOLDER)
    large, middle, small = (Image.fromarray(picture(*size)) for size in ((90, 1800), (80, 70), (40, 30)))
    assert look(network, large).pixels.shape == (64, 1024, 3)  # 51 rows, and 13 mirrored
    assert large.size == (1800, 90)
    assert (look(network, middle).pixels == np.asarray(middle)).all()
    seen = look(network, small)
    assert seen.pixels.shape == (64, 64, 3)
    assert (seen.pixels[:40, :30] == np.asarray(small)).all()
    assert (seen.pixels[40:, :30] == np.asarray(small)[:15:-1]).all()
    assert np.isfinite(seen.features()).all()
