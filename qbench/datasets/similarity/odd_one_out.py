"""Which of three images does not belong: CIFAR-100's coarse classes and six groups of ImageNet's classes.

UniSim-Bench, Sec. 3.1 and App. B.1. Two different images of one class and one of another, in random order; in the
authors' code the two may be the same image, which tells nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.random import Generator
from PIL import Image

from qbench.atomic import written_aside
from qbench.datasets.similarity import files

IMAGENET = files.Location(("imagenet-ooo", "imagenet", "ILSVRC2012", "ILSVRC/Data/CLS-LOC"), "val")
CIFAR = files.Location(("cifar-100-ooo", "cifar-100", "cifar100", ""), "cifar-100-python")
_SIDE = 32
_GroupT = TypeVar("_GroupT")
_CLASSES, _IMAGES = 1000, 50
_KIT = "ILSVRC2012_devkit_t12/data"


def _listed(ranges: str) -> list[int]:
    """ "3, 7-9" -> 3, 7, 8, 9; what stands twice counts twice."""
    ends = (part.partition("-") for part in ranges.replace(" ", "").split(","))
    return [number for first, _, last in ends for number in range(int(first), int(last or first) + 1)]


CLASS_GROUPS: Mapping[str, list[int]] = {
    "aquatic animals": _listed("0-6, 33-34, 147-150, 390-397"),
    "terrestrial animals": _listed(
        "7-24, 7-24, 30-32, 38-43, 45-48, 51-57, 59-64, 66-68, 70-72, 73-79, 73-79, 80-100, 102, 104-106, 127-143, "
        "269-274, 275-326, 275-326, 344, 344, 348-388, 348-388"
    ),
    "clothes": _listed(
        "399, 400, 411, 434, 443, 474, 501, 529, 568, 578, 608, 614, 617, 638, 655, 697, 775, 808, 824, 834"
    ),
    "transportations": _listed(
        "403-405, 407, 408, 436, 450, 472, 476, 511, 547, 555, 565, 573, 576, 595, 612, 627, 654, 656, 665, 671, 717, "
        "779, 780, 802, 814, 817, 829, 833, 866, 870, 874, 880"
    ),
    "places": _listed("415, 424, 425, 467, 483, 497, 500, 580, 624, 663, 668, 698, 978"),
    "musical instruments": _listed(
        "401, 402, 420, 432, 486, 513, 541, 542, 546, 558, 577, 579, 593, 594, 641, 642, 683, 684, 776, 875, 889"
    ),
}
"""Group -> classes by their place among the sorted class ids. As in the authors' code, some count twice."""


def cifar(root: Path, generator: Generator) -> files.ManifestRows:
    """CIFAR-100 (Krizhevsky 2009), test: the odd one is of another of the 20 coarse classes."""
    classes: dict[int, list[str]] = {}
    for number, label in enumerate(files.read_pickle(files.require(root, "cifar-100-python/test"))["coarse_labels"]):
        classes.setdefault(int(label), []).append(_unpacked_name(number))
    members = [images for _, images in sorted(classes.items())]
    return _triplets(members, generator, lambda images: files.two_different(images, generator))


def unpack_cifar(root: Path) -> None:
    """Write the test images as files, once."""
    pixels = np.asarray(files.read_pickle(files.require(root, "cifar-100-python/test"))["data"], dtype=np.uint8)
    for number, image in enumerate(pixels.reshape(-1, 3, _SIDE, _SIDE)):
        path = root / _unpacked_name(number)
        if not path.exists():
            with written_aside(path) as part:
                Image.fromarray(image.transpose(1, 2, 0)).save(part, "PNG")


def _unpacked_name(number: int) -> str:
    return f"cifar-100-test/{number:05d}.png"


def imagenet_groups(root: Path, generator: Generator) -> files.ManifestRows:
    """ImageNet's validation images: the odd one is of another of six groups of classes, such as clothes and places."""
    images = _validation_images(root)

    def draw(classes: list[int]) -> tuple[str, str]:
        while True:
            first, second = (
                images[place][generator.integers(len(images[place]))] for place in generator.choice(classes, 2)
            )
            if first != second:
                return first, second

    return _triplets(list(CLASS_GROUPS.values()), generator, draw)


def _validation_images(root: Path) -> dict[int, list[str]]:
    """Class -> paths of its images: in a folder for each class, as most programs want them, or all in one as published.

    The classes of these are in the development kit (ILSVRC2012_devkit_t12).
    """
    folders = sorted(
        path.name for path in files.require(root, "val").iterdir() if path.is_dir() and path.name.startswith("n")
    )
    if not folders:
        return _of_kit(root)
    if len(folders) != _CLASSES:
        raise files.MissingError(f"{_CLASSES - len(folders):,} of the {_CLASSES:,} folders of classes in val")
    used = {number for numbers in CLASS_GROUPS.values() for number in numbers}
    images = {place: sorted(path.name for path in (root / "val" / folders[place]).iterdir()) for place in sorted(used)}
    for place, names in images.items():
        if len(names) != _IMAGES:
            raise files.MissingError(f"{_IMAGES - len(names)} of the {_IMAGES} images in val/{folders[place]}")
    return {place: [f"val/{folders[place]}/{name}" for name in names] for place, names in images.items()}


def _of_kit(root: Path) -> dict[int, list[str]]:
    """By the list of the development kit, which numbers classes in its own way."""
    from scipy.io import loadmat

    truth = files.require(root, f"{_KIT}/ILSVRC2012_validation_ground_truth.txt").read_text(encoding="utf-8").split()
    synsets = loadmat(str(files.require(root, f"{_KIT}/meta.mat")), squeeze_me=True)["synsets"]
    classes = [synset for synset in synsets if int(synset["num_children"]) == 0]
    ordered = sorted(classes, key=lambda synset: str(synset["WNID"]))
    place_of = {int(synset["ILSVRC2012_ID"]): place for place, synset in enumerate(ordered)}
    images: dict[int, list[str]] = {place: [] for place in place_of.values()}
    for image, number in enumerate(map(int, truth), start=1):
        images[place_of[number]].append(f"val/ILSVRC2012_val_{image:08d}.JPEG")
    if len(images) != _CLASSES or not all(images.values()):
        raise ValueError(f"{_KIT} lists images of {len(images):,} classes, not of all {_CLASSES:,}")
    return images


def _triplets(
    groups: list[list[_GroupT]], generator: Generator, draw_two: Callable[[list[_GroupT]], tuple[str, str]]
) -> files.ManifestRows:
    rows: files.ManifestRows = []
    for _ in range(5000):
        alike, different = files.two_different(groups, generator)
        images = [*draw_two(alike)]
        place = int(generator.integers(3))
        images.insert(place, draw_two(different)[0])
        rows.append({"images": images, "label": place})
    return rows


LISTS: Mapping[str, files.Loader] = {
    "imagenet-ooo": files.Loader(IMAGENET, imagenet_groups),
    "cifar-100-ooo": files.Loader(CIFAR, cifar, unpack_cifar),
}
"""Name -> how its list is made."""
