"""Which of two captions fits an image: CD-Coco, Polaris and HQ-Edit (UniSim-Bench, Sec. 3.1 and App. B.1)."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from numpy.random import Generator

from qbench.datasets.similarity import files
from qbench.datasets.similarity.it_2afc import HQ_EDIT, hq_edits

CD_COCO = files.Location(("cd-coco", "coco-triplets"), "resources")
POLARIS = files.Location(("polaris", "Polaris"), "polaris_test.csv")
_CAPTION_OF: Mapping[str, str] = {
    "OFA": "OFA_Huge",
    "GIT": "GIT_Large",
    "Our": "Ensemble",
    "ExpNet-v2": "ExpansionNet_v2",
    "BLIP-2": "BLIP_2",
    "ViT-GPT2": "ViT_GPT2",
}
"""Column of votes -> column of captions."""
_VOTES = "resources/expert_worker_results_extended.csv"
_CAPTIONS = "resources/all_captions_extended.csv"
_IMAGES = ("images", "val2014", "images/val2014", "coco/images/val2014")
_UNANIMOUS = 3
_COLUMNS = (("imgid", "img"), ("refs",), ("mt", "cand"), ("score", "human_score"))
"""What Polaris' columns of image, captions, candidate and score have been called."""


def cd_coco(root: Path, generator: Generator) -> files.ManifestRows:
    """Captions that experts chose unanimously against each model's that nobody chose (Bianco et al. 2023)."""
    return _captioned(_chosen(root, generator), generator)


def _chosen(root: Path, generator: Generator) -> Iterator[tuple[str, str, str]]:
    """Images with the caption that all experts chose, and in turn each of a model that nobody chose."""
    rows = files.read_table(root, _CAPTIONS, "fname", *_CAPTION_OF.values())
    captions_of = {row.data["fname"]: row.data for row in rows}
    folder = None
    for row in files.read_table(root, _VOTES, "Image_URL", "max_score", *_CAPTION_OF):
        if row.number("max_score") < _UNANIMOUS:
            continue
        name = PurePosixPath(row.data["Image_URL"]).name
        folder = folder or files.folder_of(root, name, _IMAGES)
        votes = {method: row.number(method) for method in _CAPTION_OF}
        winners = [method for method, count in votes.items() if count == max(votes.values())]
        captions = {method: captions_of[name][column] for method, column in _CAPTION_OF.items()}
        best = captions[winners[generator.integers(len(winners))]]
        for loser in (method for method, count in votes.items() if count == 0):
            yield f"{folder}/{name}", best, captions[loser]


def _captioned(compared: Iterable[tuple[str, str, str]], generator: Generator) -> files.ManifestRows:
    """Rows of images, each with the better caption and the worse one."""
    return [
        files.row_of((better, worse), generator, key="texts", of={"reference": image}, cluster=image)
        for image, better, worse in compared
    ]


def polaris(root: Path, generator: Generator, *, split: str = "test", most: int = 5000) -> files.ManifestRows:
    """Polaris (Wada et al. 2024): people's captions against a model's that was given half a point or less."""
    pairs: list[tuple[str, str, str]] = []
    for row in files.read_table(root, f"polaris_{split}.csv"):
        image, captions, candidate, score = (next(filter(row.data.__contains__, names), names[0]) for names in _COLUMNS)
        written, said = ast.literal_eval(row.data[captions]), row.data[candidate]
        if row.number(score) <= 0.5 and _plain(said) not in map(_plain, written):
            pairs += [(f"images/{row.data[image]}", caption, said) for caption in written]
    return _captioned(files.sample_at_most(pairs, most, generator), generator)


def _plain(caption: str) -> str:
    """As the authors compare captions."""
    return caption.lower().replace(".", "").replace("\n", "")


def hq_edit_text(root: Path, generator: Generator, *, split: str = "test", most: int = 1000) -> files.ManifestRows:
    """HQ-Edit: the source, then the target, with both descriptions in this order."""
    return [
        {"reference": image, "texts": list(edit.texts), "label": place, "cluster": edit.source}
        for edit in files.sample_at_most(list(hq_edits(root, split)), most, generator)
        for place, image in enumerate((edit.source, edit.target))
    ]


LISTS: Mapping[str, files.Loader] = {
    "cd-coco": files.Loader(CD_COCO, cd_coco),
    "polaris": files.Loader(POLARIS, polaris),
    "hq-edit-text": files.Loader(HQ_EDIT, hq_edit_text),
}
"""Name -> how its list is made."""
