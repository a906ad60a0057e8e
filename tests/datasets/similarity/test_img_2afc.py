"""NIGHTS, BAPPS and PieAPP in their publishers' layouts, with what these have of traps."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.datasets.similarity import image_layouts as layouts
from tests.datasets.similarity.reading import clusters, names, opened, right


def test_nights_is_the_test_split_with_six_votes_or_more(root: Path) -> None:
    layouts.nights(root / "nights")
    dataset = opened("nights")
    assert [names(sample, root / "nights") for sample in dataset.samples] == [
        ["ref/000/000.png", "distort/000/000_0.png", "distort/000/000_1.png"],
        ["ref/000/001.png", "distort/000/001_0.png", "distort/000/001_1.png"],
        ["ref/000/004.png", "distort/000/004_0.png", "distort/000/004_1.png"],
    ]
    assert [sample.answer for sample in dataset.samples] == [1, 0, 1]
    assert all(sample.has_reference for sample in dataset.samples)
    assert dataset.limit == 3  # of the 1,824 that there are


@pytest.mark.parametrize("inner", ["val", "dataset/2afc/val"])
def test_bapps_rounds_a_tie_to_the_first_patch(root: Path, inner: str) -> None:
    val = root / "bapps" / inner
    layouts.bapps(val)
    dataset = opened("bapps")
    assert len(dataset.samples) == 6 * 8
    of_cnn = [sample for sample in dataset.samples if sample.groups == {"distortion": "cnn"}]
    assert names(of_cnn[3], val) == ["cnn/ref/000003.png", "cnn/p0/000003.png", "cnn/p1/000003.png"]
    assert [sample.answer for sample in of_cnn] == [0, 0, 0, 0, 1, 1, 1, 0]


@pytest.mark.parametrize("folder", ["pie-app", "pieapp/PieAPP_dataset_CVPR_2018"])
def test_pieapp_keeps_what_people_agree_on_without_the_reference_itself(root: Path, folder: str) -> None:
    layouts.pieapp(root / folder)
    dataset = opened("pieapp")
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
