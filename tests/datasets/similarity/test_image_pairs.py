"""Pairs of better and worse images, and of images nearer to and further from a third, in their publishers' layouts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from qbench.datasets import open_dataset
from qbench.errors import UserError
from tests.datasets.similarity import layouts
from tests.datasets.similarity.reading import are_balanced, clusters, names, opened, preferred, right, wrong


def parts(path: str) -> tuple[int, int, int]:
    """Photo, distortion and level of one of KADID's images."""
    photo, kind, level = Path(path).stem[1:].split("_")
    return int(photo), int(kind), int(level)


def test_kadid_compares_levels_of_one_distortion(root: Path) -> None:
    layouts.kadid(root / "kadid10k")
    dataset = opened("kadid-10k-pairs")
    better, worse = ([parts(side(sample)) for sample in dataset.samples] for side in (right, wrong))
    assert [pair[:2] for pair in better] == [pair[:2] for pair in worse]
    assert {first[2] - second[2] for first, second in zip(worse, better, strict=True)} == {1, 2, 3, 4}
    assert {photo for photo, _, _ in better} == set(range(73, 82))
    assert {kind for _, kind, _ in better} == set(range(1, 26))
    assert are_balanced(dataset.samples)
    assert all(420 < count < 690 for count in clusters(dataset).values())  # 5,000 / 9 = 556, give or take five times 22
    assert (len(dataset.samples), dataset.limit) == (5000, None)
    assert dataset.name == "kadid-10k"  # as the paper's tables call it
    assert open_dataset("kadid-10k", task="iqa-2afc") == dataset  # the rated set, opened to compare its images
    with pytest.raises(UserError, match=r"KADID-10k is not at .*kadid\.json"):
        open_dataset("kadid-10k", task="assessment")


def test_koniq_compares_each_test_image_with_a_random_other(root: Path) -> None:
    layouts.koniq(root / "koniq10k")
    dataset = opened("koniq-10k-pairs")
    scores = {str(root / "koniq10k" / "1024x768" / name): score for name, score in layouts.KONIQ.items()}
    ahead = [scores[right(sample)] - scores[wrong(sample)] for sample in dataset.samples]
    assert min(ahead) > 0  # equal ones are never a pair
    assert clusters(dataset) == dict.fromkeys(layouts.KONIQ, 1250)
    assert are_balanced(dataset.samples)
    others = Counter(
        Path(path).name for sample in dataset.samples if sample.cluster == "30.jpg" for path in sample.images
    )
    assert all(320 < others[name] < 510 for name in ("4.jpg", "200.jpg", "7.jpg"))  # 417, give or take five times 17


def test_pieapp_sets_the_reference_against_what_was_made_of_it(root: Path) -> None:
    layouts.pieapp(root / "pieapp")
    dataset = opened("pieapp-quality")
    assert preferred(dataset.samples) == [
        (f"ref_{number}", f"distort_{number}_blur_inter_{place}") for number in (2, 10) for place in range(4)
    ]
    assert clusters(dataset) == {"ref_2": 4, "ref_10": 4}


def test_agiqa_quality_compares_all_images_of_a_prompt(root: Path) -> None:
    layouts.agiqa(root / "agiqa-3k")
    dataset = opened("agiqa-3k-pairs")
    pairs = set(preferred(dataset.samples))
    assert pairs == {("fox_0", "fox_1"), ("fox_0", "fox_2"), ("fox_2", "fox_1"), ("hat_1", "hat_0"), ("cup_1", "cup_0")}
    assert set(clusters(dataset).values()) == {1666, 1667}  # the prompt whose images are rated alike makes none
    assert dataset.samples[0].texts == ()
    assert dataset.name == "agiqa-3k"


def test_pipal_compares_the_bad_with_the_reference_and_the_first_good_ones(root: Path) -> None:
    layouts.pipal(root / "PIPAL")
    good = ["A1", "A1_00_00", "A1_00_02", "A1_00_03", "A1_00_04"]  # 1500 is good; A1_00_05 would be the sixth
    assert preferred(opened("pipal").samples) == [
        *((better, worse) for better in good for worse in ("A1_00_01", "A1_00_06")),
        ("A10", "A10_00_00"),
    ]


def test_sice_compares_every_two_exposures_of_a_scene(root: Path) -> None:
    layouts.sice(root / "sice")
    dataset = opened("sice-brightness")
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
        ("brightness", "30 200 4"),  # the lower the quality, the brighter
        ("colorfulness", "4 200 30"),
        ("sharpness", "30 4 200"),
    ],
)
def test_koniq_goes_by_the_attribute_that_was_measured(root: Path, attribute: str, order: str) -> None:
    layouts.koniq(root / "koniq10k")
    dataset = opened(f"koniq-{attribute}")
    pairs = set(preferred(dataset.samples))
    least, middle, most = order.split()
    assert {(middle, least), (most, middle), (most, least)} <= pairs
    assert not {(worse, better) for better, worse in pairs} & pairs
    assert {sample.groups["attribute"] for sample in dataset.samples} == {attribute}
    assert len(dataset.samples) == 5000


# --- which of two images is nearer to a third


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
