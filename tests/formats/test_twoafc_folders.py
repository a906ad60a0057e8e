"""Result folders of the 2AFC study: which list a stage asked, which set a pair is from, what both orders said."""

from __future__ import annotations

import json

import pytest

from qbench.formats import packed
from qbench.formats.reading import Reading
from qbench.records import Presented, Sample
from qbench.rows import File

ROW = {"consistency": True, "winner": "img1", "answer1": "first", "answer2": "second", "img1_mos": "3.5", "img2_mos": 2}


def read(*names: str, **changes: object) -> list[Reading]:
    """The same verdict in files of these names."""
    row = File("row.json", json.dumps({**ROW, **changes}).encode())
    return packed.read_stages(dict.fromkeys(names, row), row)


def test_a_stage_is_named_after_its_list_and_images_after_their_set() -> None:
    [reading] = read("results/me/Coarse_grained_mixed/textual_results/koniq10k_1.jpg_VS_koniq10k_2.jpg.json")
    assert reading.dataset == "2afc-coarse"
    assert reading.presented == (
        Presented("koniq10k_1.jpg", "koniq10k_2.jpg", "first", "koniq-10k"),
        Presented("koniq10k_2.jpg", "koniq10k_1.jpg", "second", "koniq-10k"),
    )
    assert [sample.human for sample in reading.samples.values()] == [3.5, 2.0]


@pytest.mark.parametrize(
    ("stage", "dataset"),
    [
        ("Fine_grained_CSIQ_levels", "2afc-fine-levels"),
        ("Fine_grained_CSIQ_types", "2afc-fine-types"),
        ("Fine_grain_SPAQ", "2afc-fine-intervals"),
        ("Coarse_grain_mixed", "2afc-coarse"),  # as the study's own summary calls it
        ("koniq-10k", ""),  # a dataset, but no list of comparisons
        ("mine", ""),
    ],
)
def test_stages(stage: str, dataset: str) -> None:
    [reading] = read(f"{stage}/textual_results/a_VS_b.json")
    assert reading.dataset == dataset


def test_images_that_do_not_name_their_set_are_from_the_only_one_of_the_summaries() -> None:
    pair, summary = "me/mine/textual_results/1_VS_2.json", "me/mine/performances/{}_Round_0.json"
    assert read(pair, summary.format("KONIQ"))[0].presented[0].dataset == "koniq-10k"
    assert read(pair, *map(summary.format, ("KONIQ", "SPAQ")))[0].presented[0].dataset is None
    assert read(pair, summary.format("photos"))[0].presented[0].dataset is None


@pytest.mark.parametrize(("said", "choice"), [("draw", "tie"), ("N.A.", None), (None, None), (["first"], None)])
def test_what_is_no_choice_is_none(said: object, choice: str | None) -> None:
    [reading] = read("a_VS_b.json", answer1=said)
    assert [shown.choice for shown in reading.presented] == [choice, "second"]


def test_a_list_gives_images_their_names_back() -> None:
    [reading] = read("CSIQ_dst_imgs_a.BLUR.1_VS_CSIQ_dst_imgs_a.BLUR.2.json")
    names = ["CSIQ/dst_imgs/a.BLUR.1.png", "CSIQ/dst_imgs/a.BLUR.2.png"]
    renamed = packed.rename_images(reading, [Sample(name, (name,)) for name in names])
    assert [shown.first for shown in renamed.presented] == names
    assert list(renamed.samples) == names
