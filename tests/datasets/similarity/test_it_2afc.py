"""ImageReward, HPDv2, AGIQA-3K alignment, MagicBrush, HQ-Edit, CD-Coco and Polaris in their publishers' layouts."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from qbench.datasets import open_dataset
from qbench.errors import UserError
from tests.datasets.similarity import layouts
from tests.datasets.similarity.reading import are_balanced, clusters, names, opened, preferred, right, wrong


def test_imagereward_takes_the_best_and_the_worst_of_each_prompt(root: Path) -> None:
    layouts.imagereward(root / "ImageRewardDB")
    dataset = opened("imagereward")
    assert [sample.texts for sample in dataset.samples] == [("a tower",), ("prompt c-3",), ("a tower",)]
    assert preferred(dataset.samples) == [("b-2-1-1", "b-2-3-0"), ("c-3-1-0", "c-3-5-2"), ("d-4-1-1", "d-4-2-0")]
    assert names(dataset.samples[1], root / "ImageRewardDB")[0].startswith("images/validation/validation_2/c-3")


def test_hpdv2_draws_pairs_of_ranks_of_which_the_lower_is_better(root: Path) -> None:
    layouts.hpdv2(root / "hpdv2")
    ranks = {
        name: rank
        for row in json.loads((root / "hpdv2" / "test.json").read_text())
        for name, rank in zip(row["image_path"], row["rank"], strict=True)
    }
    dataset = opened("hpdv2")
    assert len(dataset.samples) == 5000
    assert dataset.limit is None
    assert clusters(dataset) == {"prompt 0": 2500, "prompt 1": 2500}  # not that of the image that cannot be read
    assert all(ranks[Path(right(sample)).name] < ranks[Path(wrong(sample)).name] for sample in dataset.samples)
    assert all(sample.texts == (sample.cluster,) for sample in dataset.samples)
    assert are_balanced(dataset.samples)
    pairs = Counter(frozenset(names(sample, root)) for sample in dataset.samples if sample.cluster == "prompt 1")
    assert len(pairs) == 6  # every pair of four, each about as often: 417, five standard deviations are 93
    assert all(320 < count < 510 for count in pairs.values())


def test_hpdv2_with_more_than_two_images(root: Path) -> None:
    layouts.hpdv2(root / "hpdv2")
    dataset = opened("hpdv2-4-way")
    assert {len(sample.images) for sample in dataset.samples} == {4}
    of_rank_1 = {Path(right(sample)).name for sample in dataset.samples if sample.cluster == "prompt 1"}
    assert of_rank_1 == {"00102.jpg"}
    assert clusters(open_dataset("hpdv2-9-way")) == {"prompt 0": 5000}  # the other prompt has four images only
    with pytest.raises(UserError, match="did you mean"):
        opened("hpdv2-10-way")


def test_agiqa_alignment_leaves_out_images_that_hardly_fit_their_prompt(root: Path) -> None:
    layouts.agiqa(root / "agiqa-3k")
    dataset = opened("agiqa-3k-alignment")
    assert set(preferred(dataset.samples)) == {("fox_0", "fox_1"), ("hat_1", "hat_0")}
    assert clusters(dataset) == {"a fox": 2500, "a hat": 2500}
    assert are_balanced(dataset.samples)


@pytest.mark.parametrize("folder", ["test", "images_val"])
def test_magicbrush_looks_where_its_images_have_been_put(root: Path, folder: str) -> None:
    layouts.magicbrush(root / "MagicBrush", folder)
    dataset = opened("magicbrush")
    assert [sample.texts for sample in dataset.samples] == [("edit 0",), ("edit 3",)]
    assert preferred(dataset.samples) == [("1", "0"), ("7", "6")]
    assert names(dataset.samples[0], root / "MagicBrush")[0].startswith(f"{folder}/")


@pytest.mark.parametrize("folder", ["HQ-Edit", "hq-edit"])
def test_hq_edit_asks_about_both_images_and_both_captions_in_one_order(root: Path, folder: str) -> None:
    layouts.hq_edit(root / folder)
    dataset = opened("hq-edit")
    found = [(sample.texts[0], names(sample, root / folder), sample.answer) for sample in dataset.samples]
    assert found == [
        ("before 0", ["images/0.jpg", "images/1.jpg"], 0),
        ("after 0", ["images/0.jpg", "images/1.jpg"], 1),
        ("before 2", ["images/4.jpg", "images/5.jpg"], 0),
        ("after 2", ["images/4.jpg", "images/5.jpg"], 1),
    ]
    assert clusters(dataset) == {"images/0.jpg": 2, "images/4.jpg": 2}
    captions = opened("hq-edit-text")
    assert [(names(sample, root / folder), sample.texts, sample.answer) for sample in captions.samples] == [
        (["images/0.jpg"], ("before 0", "after 0"), 0),
        (["images/1.jpg"], ("before 0", "after 0"), 1),
        (["images/4.jpg"], ("before 2", "after 2"), 0),
        (["images/5.jpg"], ("before 2", "after 2"), 1),
    ]
    assert clusters(captions) == {"images/0.jpg": 2, "images/4.jpg": 2}


@pytest.mark.parametrize("folder", ["val2014", "coco/images/val2014"])
def test_cd_coco_sets_the_unanimous_choice_against_each_that_nobody_chose(root: Path, folder: str) -> None:
    layouts.cd_coco(root / "coco-triplets", folder)
    dataset = opened("cd-coco")
    models = ["OFA_Huge", "GIT_Large", "Ensemble", "ExpansionNet_v2", "BLIP_2", "ViT_GPT2"]
    assert preferred(dataset.samples) == [
        (f"{best} on {number}", f"{model} on {number}")
        for number, best in ((42, "Ensemble"), (74, "BLIP_2"))  # the columns Our and BLIP-2
        for model in models
        if model != best
    ]
    shown = [name for sample in dataset.samples for name in names(sample, root / "coco-triplets")]
    assert shown == [f"{folder}/{layouts.COCO[place]}" for place in (0, 2) for _ in models[1:]]
    assert all(sample.has_reference for sample in dataset.samples)


@pytest.mark.parametrize("header", ["imgid,refs,mt,score", "img,refs,cand,human_score"])
def test_polaris_sets_people_against_a_model_that_did_badly(root: Path, header: str) -> None:
    layouts.polaris(root / "polaris", header)
    dataset = opened("polaris")
    assert preferred(dataset.samples) == [
        ("A cat sits.", "a dog"),
        ("A cat's nap", "a dog"),
        ("A boat, at sea.", "a car"),
    ]
    shown = [names(sample, root / "polaris")[0] for sample in dataset.samples]
    assert shown == [sample.cluster for sample in dataset.samples] == ["images/0a1b2c"] * 2 + ["images/0a1b2f"]
