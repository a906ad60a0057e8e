"""CD-Coco, Polaris and HQ-Edit's captions in their publishers' layouts."""

from __future__ import annotations

from pathlib import Path

import pytest

from qbench.datasets import open_dataset
from tests.datasets.similarity import caption_layouts as layouts
from tests.datasets.similarity.reading import clusters, names, right, wrong

MODELS = ["OFA_Huge", "GIT_Large", "Ensemble", "ExpansionNet_v2", "BLIP_2", "ViT_GPT2"]


@pytest.mark.parametrize("folder", ["val2014", "coco/images/val2014"])
def test_cd_coco_sets_the_unanimous_choice_against_each_that_nobody_chose(root: Path, folder: str) -> None:
    layouts.cd_coco(root / "coco-triplets", folder)
    dataset = open_dataset("cd-coco")
    found = [(Path(sample.images[0]).name, right(sample), wrong(sample)) for sample in dataset.samples]
    assert found == [
        (layouts.COCO[place], f"{best} on {number}", f"{model} on {number}")
        for place, number, best in ((0, 42, "Ensemble"), (2, 74, "BLIP_2"))  # the columns Our and BLIP-2
        for model in MODELS
        if model != best
    ]
    assert names(dataset.samples[0], root / "coco-triplets") == [f"{folder}/{layouts.COCO[0]}"]
    assert all(sample.has_reference for sample in dataset.samples)


@pytest.mark.parametrize("header", ["imgid,refs,mt,score", "img,refs,cand,human_score"])
def test_polaris_sets_people_against_a_model_that_did_badly(root: Path, header: str) -> None:
    layouts.polaris(root / "polaris", header)
    dataset = open_dataset("polaris")
    assert [(names(sample, root / "polaris")[0], right(sample), wrong(sample)) for sample in dataset.samples] == [
        ("images/0a1b2c", "A cat sits.", "a dog"),
        ("images/0a1b2c", "A cat's nap", "a dog"),
        ("images/0a1b2f", "A boat, at sea.", "a car"),
    ]
    assert clusters(dataset) == {"images/0a1b2c": 2, "images/0a1b2f": 1}


def test_hq_edit_asks_for_both_captions_in_one_order(root: Path) -> None:
    layouts.hq_edit(root / "hq-edit")
    dataset = open_dataset("hq-edit-text")
    assert [(names(sample, root / "hq-edit")[0], sample.texts, sample.answer) for sample in dataset.samples] == [
        ("images/0.jpg", ("before 0", "after 0"), 0),
        ("images/1.jpg", ("before 0", "after 0"), 1),
        ("images/4.jpg", ("before 2", "after 2"), 0),
        ("images/5.jpg", ("before 2", "after 2"), 1),
    ]
    assert clusters(dataset) == {"images/0.jpg": 2, "images/4.jpg": 2}
