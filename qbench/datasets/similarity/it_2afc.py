"""Which of two or more images fits a caption: ImageReward, HPDv2, AGIQA-3K, MagicBrush and HQ-Edit.

UniSim-Bench, Sec. 3.1 and App. B.1; with more than two images Fig. 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path, PurePosixPath

import numpy as np

from qbench.datasets.similarity import agiqa
from qbench.datasets.similarity.files import Loader, Location, MissingError, require
from qbench.datasets.similarity.image_edits import HQ_EDIT, MAGICBRUSH, hq_edits, magicbrush_edits
from qbench.datasets.similarity.random_pairs import ManifestRows, cycled, in_random_order, sample_at_most
from qbench.errors import DataError
from qbench.rows import Row, finite, read_rows, shorten

HPDV2 = Location(("hpdv2", "HPDv2"), "test.json")
_BROKEN = {"00006811.jpg", "00168743.jpg", "00331911.jpg", "00310087.jpg"}
"""Images of HPDv2 that cannot be read, whose records the authors leave out."""


def imagereward_location(split: str) -> Location:
    """Where a split of ImageRewardDB lies."""
    return Location(("imagereward", "ImageRewardDB", "ImageReward"), f"images/{split}")


def imagereward(root: Path, generator: np.random.Generator, *, split: str) -> ManifestRows:
    """ImageRewardDB (Xu et al. 2023): the images of best and of worst rank of every prompt."""
    prompts: dict[str, list[tuple[float, str, str]]] = {}
    for folder, row in _shards(root, split):
        prompt, image = row.text("prompt"), row.text("image_path")
        if not prompt or not image or "rank" not in row.data:
            raise DataError(f"{row.place}: lacks prompt, image_path or rank; it has {shorten(sorted(row.data))}")
        path = f"{folder}/{PurePosixPath(image).name}"
        prompts.setdefault(row.text("prompt_id") or prompt, []).append((row.number("rank"), path, prompt))
    rows: ManifestRows = []
    for _, images in sorted(prompts.items()):
        best, worst = min(images), max(images)
        if best[0] < worst[0]:
            pair, label = in_random_order(best[1], worst[1], generator)
            rows.append({"texts": [best[2]], "images": pair, "label": label})
    return rows


def _shards(root: Path, split: str) -> Iterator[tuple[str, Row]]:
    """Records of the lists that lie beside the unpacked images, with the folder of both."""
    lists = sorted(require(root, f"images/{split}").glob(f"**/{split}_*.json"))
    if not lists:
        raise MissingError(f"images/{split}/{split}_1/{split}_1.json")
    for path in lists:
        for row in read_rows(path):
            yield path.parent.relative_to(root).as_posix(), Row(row.data, f"{path.name}, {row.place}")


def hpdv2(root: Path, generator: np.random.Generator, *, alternatives: int = 2) -> ManifestRows:
    """HPDv2 (Wu et al. 2023): images of one prompt with different ranks, of which the lowest is the best.

    Args:
        root: The folder of `test.json`.
        generator: Chooses the images and their order.
        alternatives: How many images; two are the dataset of the tables, more those of Fig. 3.
    """
    records: dict[str, tuple[str, dict[float, str]]] = {}
    for row in read_rows(require(root, "test.json")):
        prompt, images, ranks = row.text("prompt"), row.data.get("image_path"), row.data.get("rank")
        if not prompt or not isinstance(images, list) or not isinstance(ranks, list) or len(images) != len(ranks):
            raise DataError(f"test.json, {row.place}: lacks a prompt, or a rank for each image_path")
        names = [PurePosixPath(str(image)).name for image in images]
        of_rank: dict[float, str] = {}
        for name, rank in zip(names, ranks, strict=True):
            of_rank.setdefault(finite(rank, f"test.json, {row.place}: rank"), name)
        if not _BROKEN.intersection(names) and len(of_rank) >= alternatives:
            records[min(names)] = (prompt, of_rank)
    rows: ManifestRows = []
    for prompt, of_rank in cycled([record for _, record in sorted(records.items())], 5000):
        drawn = generator.choice(sorted(of_rank), alternatives, replace=False).tolist()
        images = [f"test/{of_rank[rank]}" for rank in drawn]
        rows.append({"texts": [prompt], "images": images, "label": drawn.index(min(drawn)), "cluster": prompt})
    return rows


def hpdv2_training(root: Path, generator: np.random.Generator) -> ManifestRows:
    """HPDv2's training split: two images of a prompt, one of which a person preferred."""
    rows: ManifestRows = []
    for row in read_rows(require(root, "train.json")):
        place, prompt, chosen = f"train.json, {row.place}", row.text("prompt"), row.data.get("human_preference")
        images = row.data.get("image_path", row.data.get("file_path"))
        if not prompt or not isinstance(images, list) or len(images) != 2 or chosen not in ([1, 0], [0, 1]):
            raise DataError(f"{place}: lacks a prompt, two images in image_path, or which of them people preferred")
        names = [PurePosixPath(str(image)).name for image in images]
        if not _BROKEN.intersection(names):
            right = chosen.index(1)
            pair, label = in_random_order(f"train/{names[right]}", f"train/{names[1 - right]}", generator)
            rows.append({"texts": [prompt], "images": pair, "label": label, "cluster": prompt})
    return rows


def agiqa_alignment(root: Path, generator: np.random.Generator, *, least: tuple[str, float]) -> ManifestRows:
    """AGIQA-3K by how well an image fits its prompt, of images that have the least score that is asked for."""
    return agiqa.pairs_of_prompts(root, generator, by="mos_align", least=least, captioned=True)


def magicbrush(root: Path, generator: np.random.Generator, *, split: str = "test") -> ManifestRows:
    """MagicBrush: the instruction of an edit fits its target."""
    rows: ManifestRows = []
    for edit in magicbrush_edits(root, split):
        images, label = in_random_order(edit.target, edit.source, generator)
        rows.append({"texts": list(edit.texts), "images": images, "label": label, "cluster": edit.source})
    return rows


def hq_edit(root: Path, generator: np.random.Generator, *, split: str = "test", most: int = 1000) -> ManifestRows:
    """HQ-Edit: the description of the source, then that of the target, with both images in this order."""
    return [
        {"texts": [text], "images": [edit.source, edit.target], "label": place, "cluster": edit.source}
        for edit in sample_at_most(list(hq_edits(root, split)), most, generator)
        for place, text in enumerate(edit.texts)
    ]


LISTS: Mapping[str, Loader] = {
    "imagereward": Loader(imagereward_location("validation"), partial(imagereward, split="validation")),
    "imagereward-test": Loader(imagereward_location("test"), partial(imagereward, split="test")),
    "hpdv2": Loader(HPDV2, hpdv2),
    **{f"hpdv2-{count}-way": Loader(HPDV2, partial(hpdv2, alternatives=count)) for count in range(3, 10)},
    "agiqa-3k-alignment": Loader(agiqa.AGIQA, partial(agiqa_alignment, least=("mos_align", 1.0))),
    "agiqa-3k-alignment-paper": Loader(agiqa.AGIQA, partial(agiqa_alignment, least=("mos_quality", 1.0))),
    "magicbrush": Loader(MAGICBRUSH, magicbrush),
    "hq-edit": Loader(HQ_EDIT, hq_edit),
}
"""Name -> how its list is made."""
