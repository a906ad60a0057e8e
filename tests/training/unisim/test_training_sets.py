"""Training splits of UniSim's datasets, in their publishers' layouts; what tests is never trained on."""

from __future__ import annotations

from pathlib import Path

import pytest

from qbench.datasets.similarity import LOADERS
from qbench.errors import DataError, UserError
from qbench.tasks import TASKS
from qbench.training.unisim.training_sets import SETS, check_names, read_comparisons
from tests.datasets.similarity import layouts
from tests.datasets.similarity.layouts import images, listed, table
from tests.datasets.similarity.reading import names, preferred, right


@pytest.fixture(autouse=True)
def below(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QBENCH_DATA", str(tmp_path))


def nights(root: Path) -> None:
    layouts.nights(root / "nights")


def pieapp(root: Path) -> None:
    """The preference that counts has another name than in the test split."""
    folder = root / "pieapp"
    folder.mkdir()
    (folder / "train_reference_list.txt").write_text("ref_1.png\n", encoding="utf-8")
    header = "ref. image, distorted image A, distorted image B, raw preference for A, processed preference for A"
    rows = [
        ("ref_1.png", "a.png", "b.png", 0.1, 0.9),
        ("ref_1.png", "b.png", "c.png", 0.9, 0.5),
        ("ref_1.png", "a.png", "ref_1.png", 0.0, 0.0),
        ("ref_1.png", "a.png", "c.png", 0.9, 0.2),
    ]
    table(folder / "labels" / "train" / "ref_1_pairwise_labels.csv", header, rows)
    images(folder, ["reference_images/train/ref_1.png"])
    images(folder / "distorted_images" / "train" / "ref_1", ["a.png", "b.png", "c.png"])


def hpdv2(root: Path) -> None:
    """Newer lists call the images by another name; one image cannot be read."""
    rows = [
        {"prompt": "a cat", "image_path": ["0.jpg", "1.jpg"], "human_preference": [0, 1]},
        {"prompt": "a dog", "file_path": ["x/2.jpg", "x/3.jpg"], "human_preference": [1, 0]},
        {"prompt": "a cow", "file_path": ["00006811.jpg", "3.jpg"], "human_preference": [1, 0]},
    ]
    listed(root / "HPDv2" / "train.json", rows)
    images(root / "HPDv2" / "train", [f"{number}.jpg" for number in range(4)])


def edits(root: Path) -> None:
    """More than the 1,000 that a test split takes."""
    layouts.magicbrush(root / "MagicBrush", "train", "train")
    layouts.hq_edit(root / "HQ-Edit", "train", 1003)


def pipal(root: Path) -> None:
    scores = {"A1_00.bmp": 1600, "A1_01.bmp": 1400.5, "A1_02.bmp": 1200}
    folder = root / "PIPAL"
    images(folder / "Train_Ref", ["A1.bmp"])
    images(folder / "Dist_Imgs", scores)
    (folder / "Train_Label").mkdir()
    (folder / "Train_Label" / "A1.txt").write_text("".join(f"{first},{second}\n" for first, second in scores.items()))


PREFERRED = {
    "nights-train": (nights, [("003_0", "003_1")]),
    "pieapp-train": (pieapp, [("a", "b"), ("c", "a")]),  # by the processed preference
    "hpdv2-train": (hpdv2, [("1", "0"), ("2", "3")]),
    "magicbrush-train": (edits, [("1", "0"), ("7", "6")]),
    "polaris-train": (
        lambda root: layouts.polaris(root / "polaris", split="train"),
        [("A cat sits.", "a dog"), ("A cat's nap", "a dog"), ("A boat, at sea.", "a car")],
    ),
    "pipal-train": (pipal, [("A1", "A1_01"), ("A1", "A1_02"), ("A1_00", "A1_01"), ("A1_00", "A1_02")]),
}


@pytest.mark.parametrize("name", PREFERRED)
def test_a_set_holds_what_its_training_split_prefers(name: str, tmp_path: Path) -> None:
    write, expected = PREFERRED[name]
    write(tmp_path)
    ((task, samples),) = read_comparisons([name]).items()
    TASKS[task].check(samples)
    assert sorted(preferred(samples)) == sorted(expected)


def test_what_is_compared_and_where_it_lies(tmp_path: Path) -> None:
    nights(tmp_path)
    hpdv2(tmp_path)
    found = read_comparisons(["nights-train", "hpdv2-train"])
    compared = ["ref/000/003.png", "distort/000/003_0.png", "distort/000/003_1.png"]
    assert [names(sample, tmp_path / "nights") for sample in found["img-2afc"]] == [compared]
    assert [sample.texts for sample in found["it-2afc"]] == [("a cat",), ("a dog",)]
    assert {Path(sample.images[0]).parent for sample in found["it-2afc"]} == {tmp_path / "HPDv2" / "train"}


def test_sets_of_quality_and_of_captions_train_on_all_that_there_is(tmp_path: Path) -> None:
    pieapp(tmp_path)
    edits(tmp_path)
    layouts.kadid(tmp_path / "kadid10k", 1, 72)
    found = read_comparisons(["pieapp-quality-train", "hq-edit-train", "hq-edit-text-train"])
    assert sorted(preferred(found["iqa-2afc"])) == [("ref_1", "a"), ("ref_1", "a"), ("ref_1", "b"), ("ref_1", "c")]
    assert len(found["it-2afc"]) == len(found["text-2afc"]) == 2 * 1002
    [samples] = read_comparisons(["kadid-10k-pairs-train"]).values()
    assert len(samples) == 9000
    assert {int(str(sample.cluster)[1:]) for sample in samples} == set(range(1, 73)), "photos that do not test"


def test_lists_of_ones_own_are_taken_by_what_they_hold(tmp_path: Path) -> None:
    images(tmp_path, ["a.png", "b.png", "ref.png"])
    rows = [
        {"images": ["a.png", "b.png"], "label": 1},
        {"images": ["a.png", "b.png"], "label": 0, "reference": "ref.png"},
        {"images": ["a.png", "b.png"], "label": 0, "texts": ["a cat"]},
        {"texts": ["a cat", "a dog"], "label": 1, "reference": "ref.png"},
    ]
    listed(tmp_path / "mine.json", rows)
    found = read_comparisons([str(tmp_path / "mine.json")])
    assert {task: [right(sample) for sample in samples] for task, samples in found.items()} == {
        "iqa-2afc": [str(tmp_path / "b.png")],
        "img-2afc": [str(tmp_path / "a.png")],
        "it-2afc": [str(tmp_path / "a.png")],
        "text-2afc": ["a dog"],
    }
    pair = {"images": ["a.png", "b.png"]}
    for wrong_row in (pair, {**pair, "attribute": "contrast", "label": 0}):
        listed(tmp_path / "mine.json", [wrong_row])
        with pytest.raises(DataError, match="is no comparison of two with a label, of one of img-2afc"):
            read_comparisons([str(tmp_path / "mine.json")])


def test_what_tests_is_refused_and_what_is_unknown_with_the_sets_there_are() -> None:
    check_names([*SETS])
    for name in (*LOADERS, "demo-img-2afc", "demo-iqa-2afc", "koniq-10k", "imagereward-train"):
        with pytest.raises(UserError, match=r"is held out of training|is no training set"):
            check_names([*SETS, name])
    with pytest.raises(UserError, match=r"nightz is no training set; train on any of nights-train"):
        check_names(["nightz"])


def test_a_set_that_is_not_there_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"nights-train is not at .*data\.csv is missing; it comes from"):
        read_comparisons(["nights-train"])
    pipal(tmp_path)
    (tmp_path / "PIPAL" / "Train_Label" / "A1.txt").unlink()
    with pytest.raises(UserError, match=r"pipal-train is not whole at .*Train_Label/A1\.txt is missing"):
        read_comparisons(["pipal-train"])
