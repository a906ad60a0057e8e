"""Training splits of UniSim's datasets, in their publishers' layouts; what tests is never trained on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from qbench.datasets.similarity import LOADERS
from qbench.errors import DataError, UserError
from qbench.records import Sample
from qbench.tasks import TASKS
from qbench.training.unisim.training_sets import SETS, check_names, read_comparisons
from tests.datasets.similarity import caption_layouts, image_layouts
from tests.datasets.similarity.reading import names, right, wrong
from tests.datasets.similarity.writing import images, listed, table


@pytest.fixture(autouse=True)
def below(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QBENCH_DATA", str(tmp_path))


def nights(root: Path) -> None:
    image_layouts.nights(root / "nights")


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
    caption_layouts.magicbrush(root / "MagicBrush", "train")
    (root / "MagicBrush" / "test.json").rename(root / "MagicBrush" / "train.json")
    rows = [
        {
            "image": [f"HQ-Edit/images/{number}.jpg", f"HQ-Edit/images/{number + 1}.jpg"],
            "input": "before",
            "output": "after",
            "metadata": {"dataset": "HQ-Edit"},
        }
        for number in range(0, 2004, 2)
    ]
    listed(root / "HQ-Edit" / "train.json", rows)
    images(root / "HQ-Edit" / "images", [f"{number}.jpg" for number in range(2004)])


def polaris(root: Path) -> None:
    caption_layouts.polaris(root / "polaris")
    (root / "polaris" / "polaris_test.csv").rename(root / "polaris" / "polaris_train.csv")


def kadid(root: Path) -> None:
    image_layouts.kadid(root / "kadid10k", 1, 72)


def pipal(root: Path) -> None:
    scores = {"A1_00.bmp": 1600, "A1_01.bmp": 1400.5, "A1_02.bmp": 1200}
    folder = root / "PIPAL"
    images(folder / "Train_Ref", ["A1.bmp"])
    images(folder / "Dist_Imgs", scores)
    (folder / "Train_Label").mkdir()
    (folder / "Train_Label" / "A1.txt").write_text("".join(f"{first},{second}\n" for first, second in scores.items()))


def read(name: str, root: Path, write: Callable[[Path], None]) -> list[Sample]:
    """The one task's samples of a set."""
    write(root)
    ((task, samples),) = read_comparisons([name]).items()
    TASKS[task].check(samples)
    return samples


def test_nights_trains_on_its_own_split(tmp_path: Path) -> None:
    samples = read("nights-train", tmp_path, nights)
    found = [(names(sample, tmp_path / "nights"), sample.answer) for sample in samples]
    assert found == [(["ref/000/003.png", "distort/000/003_0.png", "distort/000/003_1.png"], 0)]


def test_pieapp_goes_by_the_processed_preference(tmp_path: Path) -> None:
    samples = read("pieapp-train", tmp_path, pieapp)
    assert [(Path(right(sample)).name, Path(wrong(sample)).name) for sample in samples] == [
        ("a.png", "b.png"),
        ("c.png", "a.png"),
    ]
    quality = read_comparisons(["pieapp-quality-train"])["iqa-2afc"]
    assert {Path(right(sample)).name for sample in quality} == {"ref_1.png"}
    assert sorted(Path(wrong(sample)).name for sample in quality) == ["a.png", "a.png", "b.png", "c.png"]


def test_hpdv2_goes_by_what_a_person_preferred(tmp_path: Path) -> None:
    samples = read("hpdv2-train", tmp_path, hpdv2)
    assert [(*sample.texts, Path(right(sample)).name) for sample in samples] == [("a cat", "1.jpg"), ("a dog", "2.jpg")]
    assert {Path(sample.images[0]).parent for sample in samples} == {tmp_path / "HPDv2" / "train"}


def test_all_edits_are_trained_on(tmp_path: Path) -> None:
    found = [(*sample.texts, Path(right(sample)).name) for sample in read("magicbrush-train", tmp_path, edits)]
    assert found == [("edit 0", "1.jpg"), ("edit 3", "7.jpg")]
    assert len(read_comparisons(["hq-edit-train"])["it-2afc"]) == 2 * 1002
    assert len(read_comparisons(["hq-edit-text-train"])["text-2afc"]) == 2 * 1002


def test_polaris_prefers_what_a_person_wrote(tmp_path: Path) -> None:
    found = {(right(sample), wrong(sample)) for sample in read("polaris-train", tmp_path, polaris)}
    assert found == {("A cat sits.", "a dog"), ("A cat's nap", "a dog"), ("A boat, at sea.", "a car")}


def test_kadid_trains_on_the_photos_that_do_not_test(tmp_path: Path) -> None:
    samples = read("kadid-10k-pairs-train", tmp_path, kadid)
    assert len(samples) == 9000
    assert {int(str(sample.cluster)[1:]) for sample in samples} == set(range(1, 73))


def test_pipal_has_a_list_of_scores_for_each_reference(tmp_path: Path) -> None:
    samples = read("pipal-train", tmp_path, pipal)
    assert sorted((Path(right(sample)).name, Path(wrong(sample)).name) for sample in samples) == [
        ("A1.bmp", "A1_01.bmp"),
        ("A1.bmp", "A1_02.bmp"),
        ("A1_00.bmp", "A1_01.bmp"),
        ("A1_00.bmp", "A1_02.bmp"),
    ]


def test_sets_of_one_task_are_drawn_from_together(tmp_path: Path) -> None:
    for write in (nights, pieapp, polaris):
        write(tmp_path)
    found = read_comparisons(["nights-train", "pieapp-train", "polaris-train"])
    assert {task: len(samples) for task, samples in found.items()} == {"img-2afc": 3, "text-2afc": 3}


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
