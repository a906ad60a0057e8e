"""NIQE and the simple measures: known shapes recovered, hand-worked values, and the right direction on real damage."""

from __future__ import annotations

import json
import sys
import tracemalloc
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image, ImageFilter

from qbench.__main__ import main
from qbench.errors import DataError
from qbench.images import open_picture
from qbench.models import classical, open_model
from qbench.models.classical import MEASURES
from qbench.models.niqe import NEIGHBOURS, PATCH, fit_asymmetric, niqe_distance, normalised, patch_features
from qbench.records import Prompt, Response
from tests.tasks.drive import photos
from tools.nano.niqe import fit_pristine


def textured(seed: int = 0, side: int = 384) -> Image.Image:
    """Noise with a natural image's spectrum (amplitude falling as 1/f), in colour."""
    rng = np.random.default_rng(seed)
    frequency = np.hypot(np.fft.fftfreq(side)[:, None], np.fft.fftfreq(side)[None, :])
    frequency[0, 0] = 1
    channels = []
    for _ in range(3):
        spectrum = np.fft.fft2(rng.normal(size=(side, side))) / frequency
        plane = np.real(np.fft.ifft2(spectrum))
        channels.append(np.clip(128 + 40 * (plane - plane.mean()) / plane.std(), 0, 255))
    return Image.fromarray(np.stack(channels, axis=2).astype(np.uint8))


def asked(name: str, image: Image.Image, tmp_path: Path) -> Response:
    image.save(tmp_path / "image.png")
    [response] = open_model(name).respond([Prompt("score", (open_picture(tmp_path / "image.png"),))])
    return response


def test_an_image_of_the_pristine_kind_is_near_and_damage_moves_away() -> None:
    pristine = fit_pristine([textured(seed) for seed in range(6)])
    clean = textured(99)
    noise = np.random.default_rng(0).normal(0, 40, (384, 384, 3))
    noisy = Image.fromarray(np.clip(np.asarray(clean) + noise, 0, 255).astype(np.uint8))
    for damaged in (clean.filter(ImageFilter.GaussianBlur(3)), noisy):
        assert niqe_distance(damaged, pristine) > 2 * niqe_distance(clean, pristine)


def test_niqe_reads_strips_as_it_would_the_whole_image() -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (2 * PATCH, 3 * PATCH), dtype=np.uint8)
    features, sharpness = patch_features(Image.fromarray(pixels))
    normal, deviation = normalised(pixels.astype(np.float64))
    for number, (row, column) in enumerate((row, column) for row in range(2) for column in range(3)):
        patch = np.s_[row * PATCH : (row + 1) * PATCH, column * PATCH : (column + 1) * PATCH]
        expected = [fit_asymmetric(normal[patch].reshape(1, -1))[0]]
        for shift in NEIGHBOURS:
            product = normal * np.roll(normal, shift, axis=(0, 1))
            expected.append(fit_asymmetric(product[patch].reshape(1, -1))[0])
        assert np.array_equal(features[number, [0, 2, 6, 10, 14]], np.concatenate(expected))
        assert sharpness[number] == pytest.approx(deviation[patch].mean())


HALVES = np.zeros((64, 64, 3), dtype=np.uint8)
HALVES[:, 32:] = 200


@pytest.mark.parametrize(
    ("name", "image", "value"),
    [
        ("brightness", Image.fromarray(HALVES), 100),
        ("contrast", Image.fromarray(HALVES), 100),
        # Sobel across the edge gives 4 * 200 in two of 64 columns, 0 elsewhere.
        ("sharpness", Image.fromarray(HALVES), 800 * np.sqrt(2 / 64)),
        ("colourfulness", Image.new("RGB", (8, 8), (90, 90, 90)), 0),
        # Pure red everywhere: no spread, rg = 255, yb = 127.5.
        ("colourfulness", Image.new("RGB", (8, 8), (255, 0, 0)), 0.3 * np.hypot(255, 127.5)),
    ],
)
def test_measures_by_hand(name: str, image: Image.Image, value: float, tmp_path: Path) -> None:
    assert asked(name, image, tmp_path).score == pytest.approx(value)


@pytest.mark.parametrize(
    ("image", "reason"),
    [
        (Image.new("RGB", (95, 400)), "at least 96 × 96 pixels, not 95 × 400"),
        (Image.new("RGB", (200, 200), "grey"), "every patch is flat"),
    ],
)
def test_niqe_says_what_it_cannot_measure(image, reason, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=reason):
        niqe_distance(image)
    assert reason in asked("niqe", image, tmp_path).failure


class Corner:
    """A metric as pyiqa makes them: how bright the first pixel is, which is to be low."""

    lower_better = True

    def __call__(self, image: Image.Image) -> SimpleNamespace:
        return SimpleNamespace(item=lambda: image.getpixel((0, 0))[0])


def test_pyiqa_s_version_tells_its_scores_from_those_of_another(tmp_path: Path, monkeypatch, capsys) -> None:
    double = SimpleNamespace(list_models=lambda: ["corner"], create_metric=lambda *_name, **_device: Corner())
    monkeypatch.setitem(sys.modules, "pyiqa", double)
    installed = tmp_path / "pyiqa-0.1.13.dist-info"
    installed.mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    rows = [{"img_path": f"{each.id}.png", "gt_score": -each.human} for each in photos(tmp_path, (10, 20, 30, 40))]
    (tmp_path / "mine.json").write_text(json.dumps(rows))
    command = f"run --task assessment --model pyiqa:corner --dataset {tmp_path / 'mine.json'} --out {tmp_path} --json"
    kept, records = [], []
    for number in ("0.1.13", "0.1.13", "0.1.14"):
        (installed / "METADATA").write_text(f"Metadata-Version: 2.1\nName: pyiqa\nVersion: {number}\n")
        assert main(command.split()) == 0
        records += json.loads(capsys.readouterr().out)
        kept.append(len((tmp_path / "responses.jsonl").read_text().splitlines()))
    packages = [record["protocol"]["model"]["package"] for record in records]
    assert packages == ["pyiqa 0.1.13", "pyiqa 0.1.13", "pyiqa 0.1.14"]
    assert kept == [4, 4, 8]
    assert [record["metrics"]["srcc"]["value"] for record in records] == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("name", sorted(MEASURES))
def test_a_large_photo_takes_memory_in_strips(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same figure however many strips, and no array of the whole photo: 6 million pixels took 280 MB."""
    pixels = np.random.default_rng(0).integers(0, 256, (2000, 3000, 3), dtype=np.uint8)
    image = Image.fromarray(pixels)
    whole = MEASURES[name](image.crop((0, 0, 1024, 1024)))  # one strip
    monkeypatch.setattr(classical, "_strips", lambda image: [(0, 1), (1, 700), (700, image.height)])
    assert MEASURES[name](image.crop((0, 0, 1024, 1024))) == whole
    monkeypatch.undo()
    tracemalloc.start()
    try:
        MEASURES[name](image)
        assert tracemalloc.get_traced_memory()[1] < 100e6
    finally:
        tracemalloc.stop()
