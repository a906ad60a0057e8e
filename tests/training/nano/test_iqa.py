"""nano-iqa's training, small: it learns, goes on where it stopped, and opens as the shipped one does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr

from qbench.errors import UserError
from qbench.models import open_model
from qbench.models.builtin import WEIGHTS_FOLDER
from qbench.models.iqa.backbone import open_backbone
from qbench.models.iqa.heads import FILE, read_heads
from qbench.models.iqa.statistics import SCENE_STATISTICS
from qbench.training.nano import iqa, iqa_rows, iqa_windows
from qbench.training.nano.iqa import IqaOptions, train_iqa
from qbench.training.nano.iqa_basis import Design, make_basis
from qbench.training.nano.iqa_rows import KINDS, VIEWS, make_row
from qbench.training.nano.lite import new_backbone, read_backbone

BACKBONE = WEIGHTS_FOLDER / "nano-iqa"


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(iqa, "CHUNK", 20)
    monkeypatch.setattr(iqa_rows, "SIZES", ((160, 120), (176, 132), (192, 144), (208, 156)))
    monkeypatch.setattr(iqa_windows, "SIZES", ((160, 120), (128, 96)))
    monkeypatch.setattr(iqa_windows, "_HIDDEN", 16)


def test_more_training_is_better_on_photos_it_has_not_seen(photo_folders: tuple[Path, Path], tmp_path: Path) -> None:
    images, _ = iqa.read_whole_photos(photo_folders[1])
    seen = iqa._look(images, open_backbone(BACKBONE), IqaOptions(*[tmp_path] * 4, seed=5), range(60))
    truth = -seen["teachers"][:, 0]  # GMSD: lower is better

    def correlation(count: int) -> float:
        options = IqaOptions(photo_folders[0], tmp_path / f"out-{count}", tmp_path / "work", BACKBONE, count, 10)
        heads = read_heads(train_iqa(options))
        return float(spearmanr([heads.rate(features).score for features in seen["features"]], truth).statistic)

    few, many = correlation(20), correlation(120)
    assert many > max(few, 0.4)


def test_it_goes_on_where_it_stopped_to_the_same_weights(photo_folders: tuple[Path, Path], tmp_path: Path) -> None:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # several share sums out as they come, which changes the last digits
    options = IqaOptions(photo_folders[0], tmp_path / "whole", tmp_path / "work", BACKBONE, 60, 10)
    whole = (train_iqa(options) / FILE).read_bytes()
    (tmp_path / "work" / "rows-000040.npz").unlink()
    again = IqaOptions(photo_folders[0], tmp_path / "again", tmp_path / "work", BACKBONE, 60, 10)
    made = (tmp_path / "work" / "rows-000020.npz").stat().st_mtime_ns
    assert (train_iqa(again) / FILE).read_bytes() == whole
    assert (tmp_path / "work" / "rows-000020.npz").stat().st_mtime_ns == made
    torch.set_num_threads(threads)
    assert open_model(f"nano-iqa:{tmp_path / 'again'}").wants == {"score", "map"}
    with pytest.raises(UserError, match=r"made with other settings \(seed\)"):
        train_iqa(IqaOptions(photo_folders[0], tmp_path / "third", tmp_path / "work", BACKBONE, 60, 10, seed=1))


def test_a_row_follows_from_its_number(photo_folders: tuple[Path, Path]) -> None:
    images, _ = iqa.read_whole_photos(photo_folders[1])
    first, second, other = (make_row(images, 0, number) for number in (7, 7, 8))
    assert (first.pixels == second.pixels).all()
    assert first.pixels.shape != other.pixels.shape or (first.pixels != other.pixels).any()
    clean = next(row for row in (make_row(images, 0, number) for number in range(200)) if not row.levels.any())
    assert clean.teachers == pytest.approx([0, 1, 0, 1], abs=0.03)
    damaged = [make_row(images, 0, number) for number in range(40)]
    assert np.mean([row.levels.astype(bool).sum() > 1 for row in damaged]) > 0.2
    assert all(len(row.levels) == len(KINDS) for row in damaged)


def test_views_of_a_crop_share_it_and_the_second_has_the_types_of_the_first_or_none(
    photo_folders: tuple[Path, Path],
) -> None:
    images, _ = iqa.read_whole_photos(photo_folders[1])
    clean = 0
    for number in range(0, 60, VIEWS):
        first, second, third = (make_row(images, 0, number + place) for place in range(VIEWS))
        assert first.photo == second.photo == third.photo
        assert first.pixels.shape == second.pixels.shape == third.pixels.shape
        assert not second.levels.any() or ((second.levels > 0) == (first.levels > 0)).all()
        clean += not second.levels.any()
    assert 2 <= clean <= 12


def test_the_design_of_training_gives_the_scores_of_the_heads() -> None:
    """Weights fitted to the design's rows, turned back, say the same on what the basis gives."""
    generator = np.random.default_rng(0)
    features = generator.normal(size=(40, 4 * (6 + 3) + SCENE_STATISTICS)).astype(np.float32) ** 2
    features[:, -SCENE_STATISTICS:] = np.sort(generator.uniform(size=(40, SCENE_STATISTICS)), axis=1)
    basis = make_basis(features, [6, 3])
    assert len(basis.kept) == 4 * 6 + SCENE_STATISTICS  # without the last layer
    design = Design.of(basis, features)
    heads = generator.normal(size=(2, design.rows.shape[1]))
    assert np.allclose(design.rows @ heads.T, basis.of(features) @ design.weights(heads).T, atol=2e-3)


def test_the_packages_weights_are_renamed_one_to_one(tmp_path: Path) -> None:
    torch.manual_seed(0)
    stock = new_backbone()
    block = {after: before for before, after in iqa_lite_names().items()}
    package = {}
    for name, value in stock.state_dict().items():
        if "squeeze_excite" not in name:
            package[packaged(name, block)] = torch.rand_like(value.float()).to(value.dtype)
    package |= {"_fc.weight": torch.zeros(1), "_fc.bias": torch.zeros(1)}
    torch.save(package, tmp_path / "lite.pth")
    read = read_backbone(tmp_path / "lite.pth").state_dict()
    for name, value in read.items():
        if "squeeze_excite" not in name:
            assert torch.equal(value, package[packaged(name, block)])
        else:
            assert set(value.flatten().tolist()) == ({20.0} if name.endswith("expand.bias") else {0.0})
    with pytest.raises(UserError, match=r"neither a checkpoint's folder nor a \.pth file"):
        read_backbone(tmp_path / "absent.pth")


def iqa_lite_names() -> dict[str, str]:
    from qbench.training.nano import lite

    return lite._BLOCK


def packaged(name: str, block: dict[str, str]) -> str:
    """The package's name of a weight."""
    top = {
        "embeddings.convolution": "_conv_stem",
        "embeddings.batchnorm": "_bn0",
        "encoder.top_conv": "_conv_head",
        "encoder.top_bn": "_bn1",
    }
    parts = name.split(".")
    if parts[1] == "blocks":
        return ".".join(["_blocks", parts[2], block[".".join(parts[3:5])], *parts[5:]])
    return ".".join([top[".".join(parts[:2])], *parts[2:]])
