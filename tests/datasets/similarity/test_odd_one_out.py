"""Sets to find the odd one in, and landmarks to find again, in their publishers' layouts."""

from __future__ import annotations

import os
import pickle
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from qbench.datasets import open_dataset
from qbench.datasets.similarity import odd_one_out
from qbench.datasets.similarity.files import read_pickle
from qbench.datasets.similarity.odd_one_out import CLASS_GROUPS
from qbench.errors import DataError
from qbench.records import Sample
from tests.datasets.similarity import layouts
from tests.datasets.similarity.reading import opened, right

OF_CLASS = {number: name for name, numbers in CLASS_GROUPS.items() for number in numbers}
USED = sorted(OF_CLASS)


def others(sample: Sample) -> list[str]:
    """The two images that belong together."""
    return [image for place, image in enumerate(sample.images) if place != sample.answer]


def test_cifar_triplets_have_two_images_of_one_coarse_class_and_the_published_pixels(root: Path) -> None:
    layouts.cifar(root)
    dataset = opened("cifar-100-ooo")
    assert len(dataset.samples) == 5000
    kinds = [[int(Path(path).stem) % 3 for path in (right(sample), *others(sample))] for sample in dataset.samples]
    assert all(odd != pair == other for odd, pair, other in kinds)
    assert all(len(set(sample.images)) == 3 for sample in dataset.samples)
    assert all(1490 < count < 1840 for count in Counter(sample.answer for sample in dataset.samples).values())
    pairs = Counter((odd, pair) for odd, pair, _ in kinds)
    assert len(pairs) == 6
    assert all(700 < count < 970 for count in pairs.values())  # 833, give or take five times 26
    path = Path(dataset.samples[0].images[0])
    pixels = np.asarray(Image.open(path))
    assert pixels.shape == (32, 32, 3)
    number = int(path.stem)
    assert pixels[0, :2].tolist() == [[200, 100, number], [50, number, number]]  # planes of colour, row by row
    assert (pixels[1:] == number).all()
    made = path.stat().st_mtime_ns
    assert open_dataset("cifar-100-ooo") == dataset
    assert path.stat().st_mtime_ns == made


def test_imagenet_triplets_have_two_images_of_one_group(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layouts.imagenet_folders(root / "imagenet", USED)
    monkeypatch.setattr(odd_one_out, "_IMAGES", 4)  # 50 of each class as published
    dataset = opened("imagenet-ooo")
    kinds = [
        [OF_CLASS[int(Path(path).parent.name[1:])] for path in (right(sample), *others(sample))]
        for sample in dataset.samples
    ]
    assert all(odd != pair == other for odd, pair, other in kinds)
    assert all(690 < count < 980 for count in Counter(odd for odd, _, _ in kinds).values())  # 833 of each group
    assert all(len(set(sample.images)) == 3 for sample in dataset.samples)
    within = [Path(path).parent.name for sample in dataset.samples for path in others(sample)]
    assert within[::2] != within[1::2]  # of one group, not of one class


def test_imagenet_in_one_folder_goes_by_the_development_kit(root: Path) -> None:
    layouts.imagenet_kit(root / "imagenet")
    dataset = opened("imagenet-ooo")

    def group(path: str) -> str:
        """Image n is of class n mod 1000 as the kit counts, which is from the last of the sorted ids."""
        return OF_CLASS[999 - (int(Path(path).stem.rsplit("_", 1)[1]) - 1) % 1000]

    kinds = [[group(path) for path in (right(sample), *others(sample))] for sample in dataset.samples]
    assert all(odd != pair == other for odd, pair, other in kinds)


class Runs:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("touch /tmp/ran",)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (pickle.dumps({"a": Runs()}), "it asks for posix.system"),
        (b"\x80\x02}r\xff\xff\xff\x7f.", "it keeps a value at place 2147483647"),  # for which 16 GB would be taken
        (pickle.dumps([1]), "holds a list, not the dictionary"),
        (pickle.dumps({"a": 1})[:-3], "is not the pickled list"),
        (b"", "is not the pickled list"),
    ],
)
def test_what_is_no_plain_dictionary_is_refused(tmp_path: Path, written: bytes, said: str) -> None:
    (tmp_path / "list.p").write_bytes(written)
    with pytest.raises(DataError, match=said):
        read_pickle(tmp_path / "list.p")


def test_damage_is_a_sentence_whatever_it_is(tmp_path: Path) -> None:
    chance = random.Random(0)
    for number in range(600):
        written = bytearray(pickle.dumps({"a": [1, "x", (2.5, None)], "b": {"c": b"d"}}, protocol=number % 6))
        for _ in range(chance.randrange(1, 4)):
            written[chance.randrange(len(written))] = chance.randrange(256)
        (tmp_path / "list.p").write_bytes(written[: chance.randrange(1, len(written) + 20)])
        try:
            read_pickle(tmp_path / "list.p")
        except DataError as fault:
            assert str(fault).startswith("list.p ")


@pytest.mark.parametrize("protocol", [0, 2, 4])
def test_arrays_are_read_as_they_were(tmp_path: Path, protocol: int) -> None:
    (tmp_path / "list.p").write_bytes(pickle.dumps({"a": np.arange(3), "b": np.float64(0.5)}, protocol))
    found = read_pickle(tmp_path / "list.p")
    assert (found["a"].tolist(), found["b"]) == ([0, 1, 2], 0.5)


@pytest.mark.parametrize(
    ("name", "folder", "alias"),
    [
        ("r-oxford", "roxford5k", "roxford5k"),
        ("r-oxford", "retrieval/revisitop/roxford5k", "roxford5k"),  # the benchmark's bundle
        ("r-paris", "data/datasets/rparis6k", "rparis6k"),  # the publisher's program
        ("rparis6k", "r-paris", "rparis6k"),
    ],
)
def test_queries_and_what_is_relevant_to_them(root: Path, name: str, folder: str, alias: str) -> None:
    layouts.revisited(root / folder, alias)
    dataset = opened(name)
    queries = [sample for sample in dataset.samples if sample.relevance]
    assert [Path(query.images[0]).name for query in queries] == [
        "hall_000001.jpg",
        "tower_000001.jpg",
        "tower_000002.jpg",
    ]
    found = [{level: [name[-5] for name in ids] for level, ids in query.relevance.items()} for query in queries]
    assert found == [
        {"easy": ["5", "0"], "hard": ["2"], "junk": []},
        {"easy": ["3"], "hard": ["4"], "junk": ["0"]},
        {"easy": [], "hard": ["4", "6"], "junk": ["7"]},
    ]
    searched = [sample for sample in dataset.samples if not sample.relevance]
    assert sorted(sample.id for sample in searched) == [f"jpg/view_{number:06d}.jpg" for number in range(8)]
    assert [query.cluster for query in queries] == ["landmark 0", "landmark 1", "landmark 1"]
