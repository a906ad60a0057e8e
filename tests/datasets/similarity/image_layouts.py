"""Tiny folders in the layouts that publishers of compared images ship."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from PIL import Image

from tests.datasets.similarity.writing import images, pickled, table


def nights(root: Path) -> None:
    header = "id,left_vote,right_vote,votes,ref_path,left_path,right_path,prompt,split,is_imagenet"
    rows = [
        (number, 1 - vote, vote, votes, *(_nights_names(number)), "a dog, running", split, "False")
        for number, (vote, votes, split) in enumerate(
            [(1, 6, "test"), (0, 9, "test"), (1, 5, "test"), (0, 6, "train"), (1.0, 7, "test"), (0, 5, "train")]
        )
    ]
    table(root / "data.csv", header, rows)
    images(root, (name for number in range(6) for name in _nights_names(number)))


def _nights_names(number: int) -> tuple[str, str, str]:
    return f"ref/000/{number:03d}.png", f"distort/000/{number:03d}_0.png", f"distort/000/{number:03d}_1.png"


BAPPS = ("cnn", "color", "deblur", "frameinterp", "superres", "traditional")


def bapps(val: Path) -> None:
    """Votes 0, 0.2, 0.4, 0.5 (a tie), 0.6, 0.8, 1, 0 in each folder."""
    votes = [0, 0.2, 0.4, 0.5, 0.6, 0.8, 1, 0]
    for kind in BAPPS:
        for number, vote in enumerate(votes):
            images(val / kind, (f"{side}/{number:06d}.png" for side in ("ref", "p0", "p1")))
            (val / kind / "judge").mkdir(exist_ok=True)
            np.save(val / kind / "judge" / f"{number:06d}.npy", np.array([vote], dtype=np.float32))


def pieapp(root: Path) -> None:
    """Two references. The header has leading blanks; rows of the reference, of the middle and of no agreement go."""
    (root).mkdir(parents=True, exist_ok=True)
    (root / "test_reference_list.txt").write_text("ref_2.png\nref_10.png\n", encoding="utf-8")
    (root / "train_reference_list.txt").write_text("ref_1.png\n", encoding="utf-8")
    for number in (2, 10):
        names = [f"distort_{number}_blur_inter_{place}.png" for place in range(4)]
        rows = [
            (f"ref_{number}.png", names[0], names[1], 0.9),
            (f"ref_{number}.png", names[1], names[2], 0.6),
            (f"ref_{number}.png", names[1], names[3], 0.4),
            (f"ref_{number}.png", names[2], names[3], 0.125),
            (f"ref_{number}.png", f"ref_{number}.png", names[3], 1.0),
            (f"ref_{number}.png", names[0], f"ref_{number}.png", 0.0),
        ]
        header = "ref. image, distorted image A, distorted image B, preference for A"
        table(root / "labels" / "test" / f"ref_{number}_pairwise_labels.csv", header, rows)
        images(root, [f"reference_images/test/ref_{number}.png"])
        images(root / "distorted_images" / "test" / f"ref_{number}", names)


def kadid(root: Path, first: int = 73, last: int = 81) -> None:
    table(root / "dmos.csv", "dist_img,ref_img,dmos,var", [("I73_01_01.png", "I73.png", 4.5, 0.3)])
    names = (f"I{a:02d}_{b:02d}_{c:02d}.png" for a in range(first, last + 1) for b in range(1, 26) for c in range(1, 6))
    images(root / "images", names)


KONIQ = {"30.jpg": 4.0, "4.jpg": 1.5, "200.jpg": 3.0, "7.jpg": 3.0}


def koniq(root: Path) -> None:
    """Four test images, of which two have equal scores; an attribute runs against the quality."""
    rows = [(name, score, "test") for name, score in KONIQ.items()]
    table(
        root / "koniq10k_distributions_sets.csv",
        "image_name,MOS,set",
        [("1.jpg", 5.0, "training"), *rows, ("2.jpg", 1.0, "validation")],
    )
    measured = [
        (Path(name).stem, -score, score, 2 * score, number) for number, (name, score) in enumerate(KONIQ.items())
    ]
    table(root / "koniq10k_indicators.csv", "image_id,brightness,contrast,colorfulness,sharpness", measured)
    images(root / "1024x768", KONIQ)


def pipal(root: Path) -> None:
    """A1 is the beginning of A10's name; of A1's six good images the reference and four are compared."""
    scores = {
        "A1_00_00.bmp": 1500.0,
        "A1_00_01.bmp": 1499.9,
        "A1_00_02.bmp": 1600,
        "A1_00_03.bmp": 1601,
        "A1_00_04.bmp": 1602,
        "A1_00_05.bmp": 1603,
        "A1_00_06.bmp": 1200,
        "A10_00_00.bmp": 1300,
    }
    root.mkdir(parents=True, exist_ok=True)
    lines = [f"{name},{score}\n" for name, score in reversed(scores.items())]
    (root / "val_label.txt").write_text("".join(lines), encoding="utf-8")
    images(root / "Val_Ref", ["A1.bmp", "A10.bmp"])
    images(root / "Val_Dist", scores)


def sice(root: Path) -> None:
    """Exposures of the first two scenes, 10 before 9 by name but not by number, and `Label` among the scenes."""
    for number in range(1, 361):
        (root / "Dataset_Part1" / str(number)).mkdir(parents=True)
    for number in range(1, 230):
        (root / "Dataset_Part2" / str(number)).mkdir(parents=True)
    grey = {"1": [10, 10.9, 200], "2": [250, 90]}
    for scene in map(str, range(1, 59)):
        for place, level in enumerate(grey.get(scene, [0, 255]), start=9):
            pixels = np.full((2, 5), int(level), dtype=np.uint8)
            pixels[0, :4] += np.uint8(1 if level == 10.9 else 0)
            Image.fromarray(pixels).save(root / "Dataset_Part1" / scene / f"{place}.JPG", "PNG")
    (root / "Dataset_Part1" / "Label").mkdir()
    for name, level in (("1.JPG", 0), ("2.JPG", 255)):
        Image.new("L", (1, 1), level).save(root / "Dataset_Part1" / "Label" / name, "PNG")


def cifar(root: Path) -> None:
    """Twelve images of three coarse classes, n of grey level n but for the first pixel, and the next one's red."""
    data = np.repeat(np.arange(12, dtype=np.uint8)[:, None], 3072, axis=1)
    data[:, 0], data[:, 1], data[:, 1024] = 200, 50, 100
    folder = root / "cifar-100-python"
    pickled(folder / "test", {"data": data, "coarse_labels": [n % 3 for n in range(12)], "fine_labels": [0] * 12})
    pickled(folder / "meta", {"coarse_label_names": ["fish", "flowers", "trees"], "fine_label_names": []})


def imagenet_folders(root: Path, numbers: Iterable[int]) -> None:
    """A folder for each class; four images in those that are used."""
    for number in range(1000):
        (root / "val" / f"n{number:08d}").mkdir(parents=True)
    for number in numbers:
        for place in range(4):
            name = f"val/n{number:08d}/ILSVRC2012_val_{100 * number + place:08d}.JPEG"
            (root / name).touch()


def imagenet_kit(root: Path) -> None:
    """Two images a class in one folder, beside the kit, which numbers classes against the order of their ids."""
    from scipy.io import savemat

    kit = root / "ILSVRC2012_devkit_t12" / "data"
    kit.mkdir(parents=True)
    fields = [("ILSVRC2012_ID", object), ("WNID", object), ("num_children", object)]
    synsets = np.zeros((1001, 1), dtype=fields)
    for place in range(1000):
        synsets[place, 0] = (place + 1, f"n{99999999 - place}", 0)
    synsets[1000, 0] = (1001, "n00000000", 7)
    savemat(kit / "meta.mat", {"synsets": synsets})
    truth = "\n".join(str(1 + place % 1000) for place in range(2000)) + "\n"
    (kit / "ILSVRC2012_validation_ground_truth.txt").write_text(truth, encoding="utf-8")
    (root / "val").mkdir()
    for place in range(1, 2001):
        (root / "val" / f"ILSVRC2012_val_{place:08d}.JPEG").touch()


def revisited(root: Path, alias: str) -> None:
    """Three queries of two landmarks; the second and the third share an image."""
    names = [f"view_{number:06d}" for number in range(8)]
    found = [([5, 0], [2], []), ([3], [4], [0]), ([], [4, 6], [7])]
    truth = [
        {"bbx": [1.0, 2.0, 30.5, 40.5], "easy": _places(easy), "hard": _places(hard), "junk": _places(junk)}
        for easy, hard, junk in found
    ]
    queries = ["hall_000001", "tower_000001", "tower_000002"]
    pickled(root / f"gnd_{alias}.pkl", {"imlist": names, "qimlist": queries, "gnd": truth})
    images(root / "jpg", (f"{name}.jpg" for name in (*names, *queries)))


def _places(numbers: list[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(numbers, dtype=np.int64)
