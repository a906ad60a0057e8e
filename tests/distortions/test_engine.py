"""What every type promises: sizes, modes, seeds, regions, messages."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from qbench.distortions import LEVELS, TYPES, distort, distort_array
from qbench.errors import UserError
from tests.distortions.test_damage import made_photo

DRAWN = {
    "motion-blur",
    "zoom-blur",
    "glass-blur",
    "colour-shift",
    "transmission-error",
    "white-noise",
    "ycbcr-noise",
    "impulse-noise",
    "multiplicative-noise",
    "denoised",
    "jitter",
    "displaced-patches",
    "colour-blocks",
}
"""Types that depend on the seed."""


@pytest.fixture(scope="module")
def photo() -> np.ndarray:
    return made_photo(7, side=96)


def test_every_type_of_kadid_is_there_and_named() -> None:
    assert {kind.kadid for kind in TYPES.values()} - {None} == set(range(1, 26))
    assert all(key == kind.key and key.replace("-", "").isalnum() for key, kind in TYPES.items())
    assert all(len(kind.strengths) == 1 + len(LEVELS) for kind in TYPES.values())


@pytest.mark.parametrize("kind", TYPES)
def test_sizes_are_kept_the_input_is_left_alone_the_seed_decides_and_a_region_confines(
    kind: str, photo: np.ndarray
) -> None:
    for size in ((1, 1), (3, 500), (500, 3), (37, 41)):
        pixels = np.random.default_rng(0).integers(0, 256, (*size, 3), dtype=np.uint8)
        before = pixels.copy()
        for level in (0.01, 2.5, 5):
            damaged = distort_array(pixels, kind, level, np.random.default_rng(1))
            assert (damaged.shape, damaged.dtype) == (pixels.shape, np.uint8)
            damaged[:] = 0
        assert np.array_equal(pixels, before)
    picture = Image.fromarray(photo)
    first, again, other = (distort(picture, kind, 4, seed=seed).tobytes() for seed in (3, 3, 4))
    assert first == again
    assert (first != other) == (kind in DRAWN)
    damaged = distort_array(photo, kind, 5, np.random.default_rng(5), (0.25, 0.5, 0.75, 1))
    changed = (damaged != photo).any(axis=-1)
    assert changed[48:, 24:72].any()
    changed[48:, 24:72] = False
    assert not changed.any()


@pytest.mark.parametrize(
    ("kind", "mean", "weighted"),
    [
        ("impulse-noise", 125.17, 0.34),
        ("displaced-patches", 125.05, 0.64),
        ("colour-blocks", 126.24, 0.37),
        ("transmission-error", 122.36, 0.43),
        ("pixelate", 124.86, 0.55),
        ("underexposure", 62.08, 0.18),
        ("contrast-up", 124.98, 0.31),
        ("gaussian-blur", 125.01, 0.47),
        ("white-noise", 125.30, 0.49),
        ("oversaturation", 114.34, 1.23),
        ("denoised", 125.81, 0.32),
        ("jitter", 124.56, 0.69),
    ],
)
def test_a_seed_means_the_same_everywhere(kind: str, mean: float, weighted: float) -> None:
    """Up to the last digit of a pixel, which the processor's own sums may turn."""
    ramp = np.arange(64 * 48 * 3, dtype=np.int64).reshape(48, 64, 3)
    pixels = (ramp * 7919 % 251).astype(np.uint8)
    signs = np.random.default_rng(5).choice((-1, 1), pixels.shape)
    damaged = distort_array(pixels, kind, 3, np.random.default_rng(11)).astype(float)
    assert damaged.mean() == pytest.approx(mean, abs=0.05)
    assert (damaged * signs).mean() == pytest.approx(weighted, abs=0.05)


@pytest.mark.parametrize("mode", ["RGB", "L", "RGBA", "LA", "CMYK", "YCbCr"])
def test_modes_and_transparency_are_kept(mode: str, photo: np.ndarray) -> None:
    picture = Image.fromarray(photo).convert(mode)
    if "A" in mode:
        picture.putalpha(Image.linear_gradient("L").resize(picture.size))
    before = picture.tobytes()
    damaged = distort(picture, "gaussian-blur", 4)
    assert (damaged.mode, damaged.size) == (mode, picture.size)
    assert damaged.tobytes() != before == picture.tobytes()
    if "A" in mode:
        assert damaged.getchannel("A").tobytes() == picture.getchannel("A").tobytes()


def test_a_region_has_a_soft_edge(photo: np.ndarray) -> None:
    grey = np.full_like(photo, 100)
    damaged = distort_array(grey, "mean-shift-up", 5, np.random.default_rng(0), (0, 0, 1, 0.5))[..., 0].astype(int)
    assert damaged[24, 48] == 177  # 100 + 0.3 × 255 = 176.5
    assert (np.diff(damaged[:8, 48]) >= 0).all()
    assert 100 <= damaged[0, 48] < 105 < damaged[2, 48] < 177
    assert (damaged[48:] == 100).all()


def test_a_region_smaller_than_a_pixel_still_holds_one(photo: np.ndarray) -> None:
    damaged = distort_array(photo, "mean-shift-up", 5, np.random.default_rng(0), (0.999, 0.999, 1, 1))
    assert np.argwhere((damaged != photo).any(axis=-1)).tolist() == [[95, 95]]


@pytest.mark.parametrize("level", [0, -1, 5.01, float("nan"), float("inf")])
def test_levels_out_of_range_are_refused(level: float, photo: np.ndarray) -> None:
    with pytest.raises(UserError, match=r"^level .* is out of range: levels run from 1 \(slight\) to 5 \(severe\)$"):
        distort(Image.fromarray(photo), "jpeg", level)


def test_an_unknown_type_is_answered_with_its_neighbours(photo: np.ndarray) -> None:
    with pytest.raises(UserError, match="no distortion is called 'gausian blur': did you mean gaussian-blur"):
        distort(Image.fromarray(photo), "gausian blur", 1)
    with pytest.raises(UserError, match=r"did you mean gaussian-blur or lens-blur or .* or contrast-down"):
        distort(Image.fromarray(photo), "@", 1)


@pytest.mark.parametrize(
    "region", [(0, 0, 0, 1), (0.5, 0, 0.4, 1), (-0.1, 0, 1, 1), (0, 0, 1, 20), (0, float("nan"), 1, 1)]
)
def test_a_box_that_is_none_is_refused(region: tuple[float, float, float, float], photo: np.ndarray) -> None:
    with pytest.raises(UserError, match="give left, top, right and bottom between 0 and 1, in order"):
        distort(Image.fromarray(photo), "jpeg", 1, region=region)


@pytest.mark.parametrize("mode", ["P", "1", "I;16", "F"])
def test_a_mode_that_would_lose_the_damage_is_refused(mode: str) -> None:
    with pytest.raises(UserError, match=f"a picture of mode {mode} cannot be distorted: convert it to RGB first"):
        distort(Image.new(mode, (8, 8)), "jpeg", 1)
