"""ImageNet's validation images by class, and the six groups of classes that UniSim-Bench makes of it.

Images lie in a folder for each class, as most programs want them, or all in one as they are published; their classes
are then in the development kit (ILSVRC2012_devkit_t12).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from qbench.datasets.similarity.files import Location, MissingError, require
from qbench.errors import DataError

IMAGENET = Location(("imagenet-ooo", "imagenet", "ILSVRC2012", "ILSVRC/Data/CLS-LOC"), "val")
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


def validation_images(root: Path) -> dict[int, list[str]]:
    """Class -> paths of its images."""
    folders = sorted(
        path.name for path in require(root, "val").iterdir() if path.is_dir() and path.name.startswith("n")
    )
    if not folders:
        return _of_kit(root)
    if len(folders) != _CLASSES:
        raise MissingError(f"{_CLASSES - len(folders):,} of the {_CLASSES:,} folders of classes in val")
    used = {number for numbers in CLASS_GROUPS.values() for number in numbers}
    images = {place: sorted(path.name for path in (root / "val" / folders[place]).iterdir()) for place in sorted(used)}
    for place, names in images.items():
        if len(names) != _IMAGES:
            raise MissingError(f"{_IMAGES - len(names)} of the {_IMAGES} images in val/{folders[place]}")
    return {place: [f"val/{folders[place]}/{name}" for name in names] for place, names in images.items()}


def _of_kit(root: Path) -> dict[int, list[str]]:
    """By the list of the development kit, which numbers classes in its own way."""
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    truth = require(root, f"{_KIT}/ILSVRC2012_validation_ground_truth.txt").read_text(encoding="utf-8").split()
    try:
        synsets = loadmat(str(require(root, f"{_KIT}/meta.mat")), squeeze_me=True)["synsets"]
        id_of = {
            int(synset["ILSVRC2012_ID"]): str(synset["WNID"]) for synset in synsets if int(synset["num_children"]) == 0
        }
        numbers = [int(number) for number in truth]
        place_of = {number: place for place, number in enumerate(sorted(id_of, key=id_of.__getitem__))}
        images: dict[int, list[str]] = {place: [] for place in place_of.values()}
        for image, number in enumerate(numbers, start=1):
            images[place_of[number]].append(f"val/ILSVRC2012_val_{image:08d}.JPEG")
    except (KeyError, ValueError, TypeError, MatReadError) as error:
        raise DataError(f"{_KIT} is not the development kit of ILSVRC2012 ({error!r})") from None
    if len(images) != _CLASSES or not all(images.values()):
        raise DataError(f"{_KIT} lists images of {len(images):,} classes, not of all {_CLASSES:,}")
    return images
