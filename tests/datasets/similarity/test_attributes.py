"""SICE by brightness and KonIQ-10k by four attributes, in their publishers' layouts."""

from __future__ import annotations

from pathlib import Path

import pytest

from qbench.datasets import open_dataset
from tests.datasets.similarity import image_layouts as layouts
from tests.datasets.similarity.reading import clusters, right, wrong


def test_sice_compares_every_two_exposures_of_a_scene(root: Path) -> None:
    layouts.sice(root / "sice")
    dataset = open_dataset("sice-brightness")
    found = [([Path(image).stem for image in sample.images], sample.answer) for sample in dataset.samples]
    assert found[:4] == [
        (["9", "11"], 1),  # 10 and 10.4 are both 10 as whole numbers, so 9 against 10 says nothing
        (["10", "11"], 1),
        (["9", "10"], 0),
        (["9", "10"], 1),
    ]
    scenes = list(clusters(dataset))
    assert scenes == [f"Dataset_Part1/{number}" for number in range(1, 59)]  # a tenth of 589, by number, without Label
    assert {sample.groups["attribute"] for sample in dataset.samples} == {"brightness"}


@pytest.mark.parametrize(
    ("attribute", "order"),
    [
        ("brightness", ["30.jpg", "200.jpg", "4.jpg"]),  # the lower the quality, the brighter
        ("contrast", ["4.jpg", "200.jpg", "30.jpg"]),
        ("colorfulness", ["4.jpg", "200.jpg", "30.jpg"]),
        ("sharpness", ["30.jpg", "4.jpg", "200.jpg"]),
    ],
)
def test_koniq_goes_by_the_attribute_that_was_measured(root: Path, attribute: str, order: list[str]) -> None:
    layouts.koniq(root / "koniq10k")
    dataset = open_dataset(f"koniq-{attribute}")
    pairs = {(Path(wrong(sample)).name, Path(right(sample)).name) for sample in dataset.samples}
    assert {(order[0], order[1]), (order[1], order[2]), (order[0], order[2])} <= pairs
    assert not {(pair, other) for other, pair in pairs} & pairs
    assert {sample.groups["attribute"] for sample in dataset.samples} == {attribute}
    assert len(dataset.samples) == 5000
