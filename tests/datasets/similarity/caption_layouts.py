"""Tiny folders in the layouts that publishers of images with captions ship."""

from __future__ import annotations

from pathlib import Path

from tests.datasets.similarity.writing import images, listed, table


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
