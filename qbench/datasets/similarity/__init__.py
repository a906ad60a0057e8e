"""UniSim-Bench's twenty-five datasets, read from their publishers' files or from the benchmark's own bundle.

UniSim, Sec. 3.1, App. B.1 and Table 4, https://arxiv.org/abs/2412.10594; its code at
https://github.com/SaraGhazanfari/UniSim/tree/e8b06e0 and the bundle at
https://huggingface.co/datasets/saraghznfri/unisim_data. Where paper and code differ a list goes by each name, and
docs/unisim-datasets.md says which is the default.

Pairs are drawn once, with a seed, and frozen: a list that is whole is written as a manifest below the data root and
read from there ever after, whatever becomes of a random generator in later versions of NumPy.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from uuid import uuid4

import numpy as np

from qbench.datasets.known import DatasetFacts
from qbench.datasets.manifest import read_manifest, read_sample
from qbench.datasets.similarity import (
    agiqa,
    attributes,
    edits,
    imagenet,
    img_2afc,
    iqa_2afc,
    it_2afc,
    koniq,
    odd_one_out,
    pieapp,
    retrieval,
    text_2afc,
)
from qbench.datasets.similarity.draws import SEED, Rows
from qbench.datasets.similarity.files import MissingError, Source
from qbench.errors import DataError, UserError
from qbench.records import Sample
from qbench.rows import Row

Make = Callable[[Path, np.random.Generator], Rows]


@dataclass(frozen=True)
class Loader:
    """How one dataset's comparisons are made from its folder."""

    source: Source
    make: Make
    unpack: Callable[[Path], None] | None = None
    """Makes files of images that are published as one array."""


_KONIQ = {
    f"koniq-{attribute}": Loader(koniq.SOURCE, partial(attributes.koniq_attribute, attribute=attribute))
    for attribute in ("brightness", "colorfulness", "contrast", "sharpness")
}
_MORE_WAYS = {
    f"hpdv2-{count}-way": Loader(it_2afc.HPDV2, partial(it_2afc.hpdv2, alternatives=count)) for count in range(3, 10)
}
_ALIGNED = partial(it_2afc.agiqa_alignment, least=("mos_align", 1.0))
_ALIGNED_GOOD = partial(it_2afc.agiqa_alignment, least=("mos_quality", 1.0))

LOADERS: Mapping[str, Loader] = {
    "nights": Loader(img_2afc.NIGHTS, img_2afc.nights),
    "bapps": Loader(img_2afc.BAPPS, img_2afc.bapps),
    "bapps-first-15-percent": Loader(img_2afc.BAPPS, partial(img_2afc.bapps, share=0.15)),
    "pieapp": Loader(pieapp.SOURCE, img_2afc.pieapp),
    "imagereward": Loader(it_2afc.imagereward_source("validation"), partial(it_2afc.imagereward, split="validation")),
    "imagereward-test": Loader(it_2afc.imagereward_source("test"), partial(it_2afc.imagereward, split="test")),
    "hpdv2": Loader(it_2afc.HPDV2, it_2afc.hpdv2),
    **_MORE_WAYS,
    "agiqa-3k-alignment": Loader(agiqa.SOURCE, _ALIGNED),
    "agiqa-3k-alignment-paper": Loader(agiqa.SOURCE, _ALIGNED_GOOD),
    "magicbrush": Loader(edits.MAGICBRUSH, it_2afc.magicbrush),
    "hq-edit": Loader(edits.HQ_EDIT, it_2afc.hq_edit),
    "cd-coco": Loader(text_2afc.CD_COCO, text_2afc.cd_coco),
    "cd-coco-paper": Loader(text_2afc.CD_COCO, text_2afc.cd_coco_originals),
    "polaris": Loader(text_2afc.POLARIS, text_2afc.polaris),
    "hq-edit-text": Loader(edits.HQ_EDIT, text_2afc.hq_edit_text),
    "kadid-10k-pairs": Loader(iqa_2afc.KADID, iqa_2afc.kadid),
    "kadid-10k-pairs-paper": Loader(iqa_2afc.KADID, partial(iqa_2afc.kadid, next_level=True)),
    "koniq-10k-pairs": Loader(koniq.SOURCE, iqa_2afc.koniq_quality),
    "pieapp-quality": Loader(pieapp.SOURCE, iqa_2afc.pieapp_quality),
    "agiqa-3k-pairs": Loader(agiqa.SOURCE, iqa_2afc.agiqa_quality),
    "pipal": Loader(iqa_2afc.PIPAL, iqa_2afc.pipal),
    "sice-brightness": Loader(attributes.SICE, attributes.sice),
    "sice-brightness-paper": Loader(attributes.SICE, partial(attributes.sice, within=False)),
    **_KONIQ,
    "cifar-100-ooo": Loader(odd_one_out.CIFAR, odd_one_out.cifar, odd_one_out.unpack_cifar),
    "imagenet-ooo": Loader(imagenet.SOURCE, odd_one_out.imagenet_groups),
    "r-oxford": Loader(retrieval.source("r-oxford", "roxford5k"), partial(retrieval.revisited, alias="roxford5k")),
    "r-paris": Loader(retrieval.source("r-paris", "rparis6k"), partial(retrieval.revisited, alias="rparis6k")),
}
"""Name -> loader: the twenty-five of the published tables, each followed by its lists by another rule."""


@dataclass(frozen=True)
class FrozenList:
    """Samples whose images are paths below a folder."""

    samples: tuple[Sample, ...]
    revision: str
    """SHA-256 of the list."""
    folder: Path


def is_here(facts: DatasetFacts, root: Path) -> bool:
    """Whether the dataset's files have been put below the data root."""
    return LOADERS[facts.name].source.find(None, root) is not None


def read_list(facts: DatasetFacts, root: Path, given: Path | None = None) -> FrozenList:
    """The dataset's list: the frozen one, or one made now, which is frozen if it is whole.

    Args:
        facts: Of the dataset, one of LOADERS.
        root: Where downloaded datasets are, and frozen lists.
        given: The dataset's folder, or one that holds it, where it is not below `root`.

    Raises:
        UserError: Files that are not there: which, what to download and where to put it.
        DataError: Files that are not as their publisher ships them.
    """
    loader = LOADERS[facts.name]
    folder = loader.source.find(given, root)
    if folder is None:
        wanted = given or root / loader.source.folders[0]
        raise UserError(f"{facts.title} is not at {wanted}: {loader.source.marker} is missing; {_how_to_get(facts)}")
    try:
        if loader.unpack:
            loader.unpack(folder)
        frozen = frozen_path(facts, root)
        if frozen.is_file():
            return FrozenList(tuple(read_manifest(frozen)), _digest(frozen.read_bytes()), folder)
        rows = loader.make(folder, np.random.default_rng(SEED))
        samples = [read_sample(Row(row, f"sample {number}"), str(number)) for number, row in enumerate(rows)]
    except MissingError as missing:
        raise UserError(f"{facts.title} is not whole at {folder}: {missing} is missing; {_how_to_get(facts)}") from None
    if not samples:
        raise DataError(f"{facts.title} at {folder} makes no comparison; {_how_to_get(facts)}")
    content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    if len(rows) >= (facts.items or 0):
        _freeze(content, frozen)
    return FrozenList(tuple(samples), _digest(content), folder)


def frozen_path(facts: DatasetFacts, root: Path) -> Path:
    """Where the dataset's list is kept once it is whole."""
    return root / "frozen" / f"{facts.name}-seed-{SEED}.jsonl"


def located(samples: Iterable[Sample], folder: Path, facts: DatasetFacts) -> list[Sample]:
    """Samples with the paths of their images, each exactly where the list says: others may go by the same name.

    Raises:
        UserError: Images that are not there.
    """
    samples = list(samples)
    names = dict.fromkeys(image for sample in samples for image in sample.images)
    paths = {image: folder / image for image in names}
    inside = folder.resolve()
    missing = [image for image, path in paths.items() if not path.is_file()]
    strays = [image for image in paths if not Path(os.path.normpath(inside / image)).is_relative_to(inside)]
    if strays:
        raise DataError(f"the image path {strays[0]!r} of {facts.title} leads out of {folder}")
    if missing:
        count = f"{len(missing):,} of {len(paths):,} images of {facts.title} are not below {folder}"
        raise UserError(f"{count}, the first of them {missing[0]!r}; {_how_to_get(facts)}")
    return [
        replace(
            one,
            images=tuple(str(paths[image]) for image in one.images),
            reference=None if one.reference is None else str(paths[one.reference]),
        )
        for one in samples
    ]


def _how_to_get(facts: DatasetFacts) -> str:
    return f"put there: {facts.get} (licence: {facts.licence})"


def _freeze(content: bytes, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{uuid4().hex}")
    part.write_bytes(content)
    part.replace(path)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
