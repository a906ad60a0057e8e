"""CD-Coco, Polaris and HQ-Edit's captions in their publishers' layouts."""

from __future__ import annotations

from pathlib import Path

import pytest

from qbench.datasets import open_dataset
from qbench.errors import DataError, UserError
from tests.datasets.similarity import caption_layouts as layouts
from tests.datasets.similarity.reading import clusters, names, right, wrong

MODELS = ["OFA_Huge", "GIT_Large", "Ensemble", "ExpansionNet_v2", "BLIP_2", "ViT_GPT2"]


@pytest.mark.parametrize("folder", ["val2014", "images", "coco/images/val2014"])
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
    assert {sample.reference for sample in dataset.samples} == {sample.images[0] for sample in dataset.samples}


def test_cd_coco_as_the_paper_has_it_takes_the_first_five_that_people_wrote(root: Path) -> None:
    layouts.cd_coco(root / "coco-triplets")
    with pytest.raises(
        UserError, match=r"annotations/captions_val2014\.json is missing; .*put there: .*annotations_tr"
    ):
        open_dataset("cd-coco-paper")
    layouts.coco_annotations(root / "coco-triplets")
    dataset = open_dataset("cd-coco-paper")
    assert [wrong(sample) for sample in dataset.samples] == [
        *(f"person {place} on 42" for place in (5, 4, 3, 2, 1)),  # by their ids
        *(f"person {place} on 74" for place in range(5)),
    ]
    assert {right(sample) for sample in dataset.samples} == {"Ensemble on 42", "BLIP_2 on 74"}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[", "is not valid JSON"),
        ("[]", "is \\[\\], not an object"),
        ('{"images": []}', "lacks images or annotations as MS-COCO has them"),
        ('{"images": [], "annotations": [{"id": 1, "image_id": 2, "caption": "x"}]}', "lacks images or annotations"),
    ],
)
def test_annotations_that_are_none(root: Path, text: str, sentence: str) -> None:
    layouts.cd_coco(root / "coco-triplets")
    (root / "coco-triplets" / "annotations").mkdir()
    (root / "coco-triplets" / "annotations" / "captions_val2014.json").write_text(text)
    with pytest.raises(DataError, match=rf"annotations/captions_val2014\.json {sentence}"):
        open_dataset("cd-coco-paper")


def test_cd_coco_lists_that_do_not_fit_each_other(root: Path) -> None:
    layouts.cd_coco(root / "cd-coco")
    path = root / "cd-coco" / "resources" / "all_captions_extended.csv"
    text = path.read_text()
    path.write_text(text.replace(layouts.COCO[2], "other.jpg"))
    with pytest.raises(DataError, match=rf"record 3 .*: {layouts.COCO[2]} is not in resources/all_captions"):
        open_dataset("cd-coco")
    path.write_text(text.replace(",BLIP_2,", ",BLIP2,"))
    with pytest.raises(DataError, match=r"all_captions_extended\.csv, record 1 .*has no 'BLIP_2'"):
        open_dataset("cd-coco")


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


def test_polaris_lists_that_are_none(root: Path) -> None:
    layouts.polaris(root / "polaris", "imgid,refs,caption,score")
    with pytest.raises(DataError, match=r"polaris_test\.csv, record 1 .*has no mt or cand; its fields are"):
        open_dataset("polaris")
    layouts.polaris(root / "polaris")
    path = root / "polaris" / "polaris_test.csv"
    path.write_text(path.read_text().replace("['A boat, at sea.']", "__import__('os')"))
    with pytest.raises(DataError, match=r"record 4 .*refs is .*, not a list of captions"):
        open_dataset("polaris")


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
