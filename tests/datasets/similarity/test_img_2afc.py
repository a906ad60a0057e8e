"""NIGHTS, BAPPS and PieAPP in their publishers' layouts, with what these have of traps."""

from __future__ import annotations

from pathlib import Path

import pytest

from qbench.datasets import open_dataset
from qbench.errors import UserError
from tests.datasets.similarity import image_layouts as layouts
from tests.datasets.similarity.reading import clusters, names, right
from tests.datasets.similarity.writing import images


def test_nights_is_the_test_split_with_six_votes_or_more(root: Path) -> None:
    layouts.nights(root / "nights")
    dataset = open_dataset("nights")
    assert [names(sample, root / "nights") for sample in dataset.samples] == [
        ["ref/000/000.png", "distort/000/000_0.png", "distort/000/000_1.png"],
        ["ref/000/001.png", "distort/000/001_0.png", "distort/000/001_1.png"],
        ["ref/000/004.png", "distort/000/004_0.png", "distort/000/004_1.png"],
    ]
    assert [sample.answer for sample in dataset.samples] == [1, 0, 1]
    assert all(sample.has_reference for sample in dataset.samples)
    assert dataset.limit == 3  # of the 1,824 that there are


@pytest.mark.parametrize("inner", ["val", "2afc/val", "dataset/2afc/val", ""])
def test_bapps_rounds_a_tie_to_the_first_patch(root: Path, inner: str) -> None:
    val = root / "bapps" / inner
    layouts.bapps(val)
    dataset = open_dataset("bapps")
    assert len(dataset.samples) == 6 * 8
    of_cnn = [sample for sample in dataset.samples if sample.groups == {"distortion": "cnn"}]
    assert names(of_cnn[3], val) == ["cnn/ref/000003.png", "cnn/p0/000003.png", "cnn/p1/000003.png"]
    assert [sample.answer for sample in of_cnn] == [0, 0, 0, 0, 1, 1, 1, 0]


def test_the_training_patches_beside_are_not_taken_for_those_of_validation(root: Path) -> None:
    for kind in ("cnn", "mix", "traditional"):
        images(root / "bapps" / "2afc" / "train" / kind, [f"{side}/000000.png" for side in ("ref", "p0", "p1")])
    with pytest.raises(UserError, match=r"BAPPS is not at .*/train: superres is missing; .*put there: twoafc_val"):
        open_dataset("bapps", images=root / "bapps" / "2afc" / "train")
    layouts.bapps(root / "bapps" / "2afc" / "val")
    assert len(open_dataset("bapps", images=root / "bapps" / "2afc").samples) == 48


def test_a_patch_that_is_missing_is_not_looked_for_among_its_namesakes(root: Path) -> None:
    layouts.bapps(root / "bapps" / "val")
    (root / "bapps" / "val" / "color" / "p1" / "000005.png").unlink()
    with pytest.raises(
        UserError, match=r"1 of 144 images of BAPPS .* the first of them 'color/p1/000005\.png'; get it"
    ):
        open_dataset("bapps")


@pytest.mark.parametrize("folder", ["pieapp", "pie_app", "pie-app", "pieapp/PieAPP_dataset_CVPR_2018"])
def test_pieapp_keeps_what_people_agree_on_without_the_reference_itself(root: Path, folder: str) -> None:
    layouts.pieapp(root / folder)
    dataset = open_dataset("pieapp")
    found = [(names(sample, root / folder), Path(right(sample)).name) for sample in dataset.samples]
    assert found == [
        (
            [f"reference_images/test/ref_{number}.png"]
            + [f"distorted_images/test/ref_{number}/distort_{number}_blur_inter_{place}.png" for place in places],
            f"distort_{number}_blur_inter_{nearer}.png",
        )
        for number in (2, 10)
        for places, nearer in (((0, 1), 0), ((2, 3), 3))
    ]
    assert clusters(dataset) == {"ref_2": 2, "ref_10": 2}


def test_pieapp_without_a_list_of_preferences_says_which(root: Path) -> None:
    layouts.pieapp(root / "pieapp")
    (root / "pieapp" / "labels" / "test" / "ref_10_pairwise_labels.csv").unlink()
    missing = r"PieAPP is not whole at .*: labels/test/ref_10_pairwise_labels\.csv is missing; .*put there: all_data"
    with pytest.raises(UserError, match=missing):
        open_dataset("pieapp")
