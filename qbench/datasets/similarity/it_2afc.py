"""Which of two or more images fits a caption: ImageReward, HPDv2, AGIQA-3K, MagicBrush and HQ-Edit.

UniSim-Bench, Sec. 3.1 and App. B.1; with more than two images Fig. 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from numpy.random import Generator

from qbench.datasets.similarity import files
from qbench.datasets.similarity.iqa_2afc import AGIQA, agiqa
from qbench.rows import Row, finite, read_rows

IMAGEREWARD = files.Location(("imagereward", "ImageRewardDB", "ImageReward"), "images/validation")
MAGICBRUSH = files.Location(("magicbrush", "MagicBrush"), "test.json")
HQ_EDIT = files.Location(("hq-edit", "HQ-Edit"), "test.json")
_MAGICBRUSH_IMAGES = {"test": ("test", "images_val", "images"), "train": ("train", "images_train", "images")}
"""Split -> names that the folder of MagicBrush's images has had."""
HPDV2 = files.Location(("hpdv2", "HPDv2"), "test.json")
_BROKEN = {"00006811.jpg", "00168743.jpg", "00331911.jpg", "00310087.jpg"}
"""Images of HPDv2 that cannot be read, whose records the authors leave out."""


def imagereward(root: Path, generator: Generator) -> files.ManifestRows:
    """ImageRewardDB (Xu et al. 2023): the images of best and of worst rank of every prompt."""
    prompts: dict[str, list[tuple[float, str, str]]] = {}
    for folder, row in _shards(root):
        prompt, path = row.data["prompt"], f"{folder}/{PurePosixPath(row.data['image_path']).name}"
        prompts.setdefault(row.text("prompt_id") or prompt, []).append((row.number("rank"), path, prompt))
    ranked = ((min(images), max(images)) for _, images in sorted(prompts.items()))
    return [
        files.row_of((best[1], worst[1]), generator, of={"texts": [best[2]]})
        for best, worst in ranked
        if best[0] < worst[0]
    ]


def _shards(root: Path) -> Iterator[tuple[str, Row]]:
    """Records of the lists that lie beside the unpacked images, with the folder of both."""
    lists = sorted(files.require(root, IMAGEREWARD.marker).glob("**/validation_*.json"))
    if not lists:
        raise files.MissingError(f"{IMAGEREWARD.marker}/validation_1/validation_1.json")
    for path in lists:
        for row in read_rows(path):
            yield path.parent.relative_to(root).as_posix(), row


def hpdv2(root: Path, generator: Generator, *, alternatives: int = 2) -> files.ManifestRows:
    """HPDv2 (Wu et al. 2023): so many images of one prompt with different ranks, of which the lowest is the best.

    Two are the dataset of the tables, more those of Fig. 3.
    """
    records: dict[str, tuple[str, dict[float, str]]] = {}
    for row in read_rows(files.require(root, "test.json")):
        prompt, names = row.data["prompt"], [PurePosixPath(image).name for image in row.data["image_path"]]
        of_rank: dict[float, str] = {}
        for name, rank in zip(names, row.data["rank"], strict=True):
            of_rank.setdefault(finite(rank, f"test.json, {row.place}: rank"), name)
        if not _BROKEN.intersection(names) and len(of_rank) >= alternatives:
            records[min(names)] = (prompt, of_rank)
    rows: files.ManifestRows = []
    for prompt, of_rank in files.cycled([record for _, record in sorted(records.items())], 5000):
        drawn = generator.choice(sorted(of_rank), alternatives, replace=False).tolist()
        images = [f"test/{of_rank[rank]}" for rank in drawn]
        rows.append({"texts": [prompt], "images": images, "label": drawn.index(min(drawn)), "cluster": prompt})
    return rows


def hpdv2_training(root: Path, generator: Generator) -> files.ManifestRows:
    """HPDv2's training split: two images of a prompt, one of which a person preferred."""
    rows: files.ManifestRows = []
    for row in read_rows(files.require(root, "train.json")):
        prompt, right = row.data["prompt"], row.data["human_preference"].index(1)
        names = [PurePosixPath(image).name for image in row.data.get("image_path") or row.data["file_path"]]
        if not _BROKEN.intersection(names):
            pair = f"train/{names[right]}", f"train/{names[1 - right]}"
            rows.append(files.row_of(pair, generator, of={"texts": [prompt]}, cluster=prompt))
    return rows


class Edit(NamedTuple):
    """Two images, by their paths below the dataset's folder, and a description of each."""

    source: str
    target: str
    texts: tuple[str, str]


def hq_edits(root: Path, split: str) -> Iterator[Edit]:
    """HQ-Edit (Hui et al. 2024): edits with a description of each image; what asks for a difference is left out."""
    for row in _records(root, split, "HQ-Edit-Diff"):
        source, target = (str(PurePosixPath(*PurePosixPath(image).parts[1:])) for image in row.data["image"])
        yield Edit(source, target, (row.data["input"], row.data["output"]))


def _records(root: Path, split: str, left_out: str) -> Iterator[Row]:
    """Rows of a list, which lies in the bundle alone and has the layout of M4-Instruct.

    Image paths begin with the dataset's folder; those of MagicBrush then name a folder that has had several names.
    """
    for row in read_rows(files.require(root, f"{split}.json")):
        metadata = row.data.get("metadata")
        if not isinstance(metadata, dict) or metadata.get("dataset") != left_out:
            yield row


def magicbrush(root: Path, generator: Generator, *, split: str = "test") -> files.ManifestRows:
    """MagicBrush (Zhang et al. 2023): an edit's instruction fits its target; what asks for a difference is left out."""
    rows: files.ManifestRows = []
    folder = None
    for row in _records(root, split, "MagicBrush-Diff"):
        if len(row.data["image"]) > 2:
            continue
        names = [PurePosixPath(image).name for image in row.data["image"]]
        folder = folder or files.folder_of(root, names[0], _MAGICBRUSH_IMAGES[split])
        source, target = (f"{folder}/{name}" for name in names)
        told = {"texts": [str(row.data["conversations"][1]["value"])]}
        rows.append(files.row_of((target, source), generator, of=told, cluster=source))
    return rows


def hq_edit(root: Path, generator: Generator, *, split: str = "test", most: int = 1000) -> files.ManifestRows:
    """HQ-Edit: the description of the source, then that of the target, with both images in this order."""
    return [
        {"texts": [text], "images": [edit.source, edit.target], "label": place, "cluster": edit.source}
        for edit in files.sample_at_most(list(hq_edits(root, split)), most, generator)
        for place, text in enumerate(edit.texts)
    ]


LISTS: Mapping[str, files.Loader] = {
    "imagereward": files.Loader(IMAGEREWARD, imagereward),
    "hpdv2": files.Loader(HPDV2, hpdv2),
    **{f"hpdv2-{count}-way": files.Loader(HPDV2, partial(hpdv2, alternatives=count)) for count in range(3, 10)},
    "agiqa-3k-alignment": files.Loader(AGIQA, partial(agiqa, by="mos_align", least=1.0, captioned=True)),
    "magicbrush": files.Loader(MAGICBRUSH, magicbrush),
    "hq-edit": files.Loader(HQ_EDIT, hq_edit),
}
"""Name -> how its list is made."""
