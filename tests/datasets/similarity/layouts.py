"""Tiny folders in the layouts that publishers of compared images, and of images with captions, ship."""

from __future__ import annotations

import csv
import io
import json
import pickle
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from PIL import Image


def images(root: Path, names: Iterable[str]) -> None:
    """Image files of one pixel."""
    buffer = io.BytesIO()
    Image.new("RGB", (1, 1)).save(buffer, "PNG")
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(buffer.getvalue())


def table(path: Path, header: str, rows: Iterable[Sequence[object]]) -> None:
    """A CSV; the header is written as it stands, with whatever blanks it has."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(header + "\n")
        csv.writer(file).writerows(rows)


def listed(path: Path, rows: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def pickled(path: Path, content: object) -> None:
    """As Python 2 wrote them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pickle.dumps(content, protocol=2))


# --- images alone


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


# --- images with captions


def imagereward(root: Path, split: str = "validation") -> None:
    """Two shards; ranks not in order, a prompt whose ranks are tied, and two prompts of one text."""
    ranks = {"b-2": [3, 1, 2], "a-1": [2, 2], "c-3": [1, 4, 5, 2], "d-4": [2, 1]}
    for shard, prompts in enumerate((["b-2", "a-1"], ["c-3", "d-4"]), start=1):
        folder = root / "images" / split / f"{split}_{shard}"
        rows = [
            {
                "image_path": f"images/{split}/{split}_{shard}/{prompt}-{rank}-{place}.webp",
                "prompt_id": prompt,
                "prompt": "a tower" if prompt in ("b-2", "d-4") else f"prompt {prompt}",
                "classification": "Arts",
                "rank": rank,
            }
            for prompt in prompts
            for place, rank in enumerate(ranks[prompt])
        ]
        listed(folder / f"{split}_{shard}.json", rows)
        images(folder, (Path(str(row["image_path"])).name for row in rows))


def hpdv2(root: Path) -> None:
    """Two prompts of nine and of four ranked images, and one with an image that cannot be read."""
    names = [[f"{100 * prompt + place:05d}.jpg" for place in range(count)] for prompt, count in enumerate((9, 4, 3))]
    names[2][1] = "00006811.jpg"
    ranks = [[5, 3, 9, 1, 2, 4, 6, 8, 7], [2, 4, 1, 3], [1, 2, 3]]
    rows = [
        {"prompt": f"prompt {number}", "image_path": files, "rank": rank, "raw_annotations": []}
        for number, (files, rank) in enumerate(zip(names, ranks, strict=True))
    ]
    listed(root / "test.json", rows)
    images(root / "test", (name for files in names for name in files))


def agiqa(root: Path) -> None:
    """Prompts of three and two images; of the third only one is left by either threshold, of the fourth none differ."""
    header = "name,prompt,adj1,adj2,style,mos_quality,std_quality,mos_align,std_align"
    scores = {
        "a fox": [(3.0, 4.0), (0.5, 2.0), (2.0, 0.4)],
        "a hat": [(1.0, 1.0), (4.0, 3.0)],
        "a cup": [(0.2, 4.0), (3.0, 0.1)],
        "a mug": [(2.0, 2.0), (2.0, 2.0)],
    }
    rows = [
        (f"{prompt[2:]}_{place}.jpg", prompt, "", "", "", quality, 0.1, align, 0.1)
        for prompt, of_prompt in scores.items()
        for place, (quality, align) in enumerate(of_prompt)
    ]
    table(root / "data.csv", header, rows)
    images(root / "images", (str(row[0]) for row in rows))


def magicbrush(root: Path, folder: str = "test", split: str = "test") -> None:
    """Paths name a folder that is none; one record asks for a difference, and one shows three images."""
    rows = [
        {
            "image": [f"MagicBrush/images_val/{2 * number}.jpg", f"MagicBrush/images_val/{2 * number + 1}.jpg"],
            "conversations": [{"from": "human", "value": "<image>"}, {"from": "gpt", "value": f"edit {number}"}],
            "metadata": {"dataset": "MagicBrush-Diff" if number == 1 else "MagicBrush"},
        }
        for number in range(4)
    ]
    rows[2]["image"] = [*rows[2]["image"], "MagicBrush/images_val/9.jpg"]  # type: ignore[misc]
    listed(root / f"{split}.json", rows)
    images(root / folder, (f"{number}.jpg" for number in range(10)))


def hq_edit(root: Path, split: str = "test", count: int = 3) -> None:
    """One record asks for a difference."""
    rows = [
        {
            "image": [f"HQ-Edit/images/{2 * number}.jpg", f"HQ-Edit/images/{2 * number + 1}.jpg"],
            "input": f"before {number}",
            "output": f"after {number}",
            "metadata": {"dataset": "HQ-Edit-Diff" if number == 1 else "HQ-Edit"},
        }
        for number in range(count)
    ]
    listed(root / f"{split}.json", rows)
    images(root / "images", (f"{number}.jpg" for number in range(2 * count)))


COCO = [f"COCO_val2014_{number:012d}.jpg" for number in (42, 73, 74)]


def cd_coco(root: Path, folder: str = "val2014") -> None:
    """Experts agree on the first image (three to nothing) and the third, and are divided on the second."""
    captions = "OFA_Huge,GIT_Large,Ensemble,ExpansionNet_v2,BLIP_2,ViT_GPT2"
    rows = [(name, *(f"{method} on {name[-6:-4]}" for method in captions.split(","))) for name in COCO]
    table(root / "resources" / "all_captions_extended.csv", f"fname,{captions}", rows)
    votes = [(0, 0, 0, 0, 0, 3), (0, 1, 0, 0, 0, 2), (3, 0, 0, 0, 0, 0)]
    table(
        root / "resources" / "expert_worker_results_extended.csv",
        "Image_URL,BLIP-2,ExpNet-v2,GIT,OFA,ViT-GPT2,Our,max_score",
        [(name, *row, max(row)) for name, row in zip(COCO, votes, strict=True)],
    )
    images(root / folder, COCO)


def polaris(root: Path, header: str = "imgid,refs,mt,score", split: str = "test") -> None:
    """Kept are the first and the last row: others are rated higher, or repeat what a person wrote."""
    rows = [
        ("0a1b2c", "['A cat sits.', \"A cat's nap\"]", "a dog", 0.5),
        ("0a1b2d", "['A cat.']", "a dog", 0.6),
        ("0a1b2e", "['A Cat.\\n', 'A dog.']", "a cat", 0.0),
        ("0a1b2f", "['A boat, at sea.']", "a car", 0.25),
    ]
    table(root / f"polaris_{split}.csv", header, rows)
    images(root / "images", (row[0] for row in rows))
