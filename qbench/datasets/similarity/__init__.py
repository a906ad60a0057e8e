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
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from qbench.atomic import write_whole
from qbench.datasets.known import DatasetFacts
from qbench.datasets.manifest import read_manifest, read_sample
from qbench.datasets.similarity import (
    attributes,
    img_2afc,
    iqa_2afc,
    it_2afc,
    odd_one_out,
    retrieval,
    text_2afc,
)
from qbench.datasets.similarity.files import Loader, MissingError
from qbench.datasets.similarity.random_pairs import LIST_SEED
from qbench.errors import DataError, UserError
from qbench.records import Sample
from qbench.rows import Row

LOADERS: Mapping[str, Loader] = {
    **img_2afc.LISTS,
    **it_2afc.LISTS,
    **text_2afc.LISTS,
    **iqa_2afc.LISTS,
    **attributes.LISTS,
    **odd_one_out.LISTS,
    **retrieval.LISTS,
}
"""Name -> how its list is made: the twenty-five of the published tables, and lists of the same data by another rule."""


@dataclass(frozen=True)
class FrozenList:
    """Samples whose images are paths below a folder."""

    samples: tuple[Sample, ...]
    revision: str
    """SHA-256 of the list."""
    folder: Path


def has_files(facts: DatasetFacts, root: Path) -> bool:
    """Whether the dataset's files have been put below the data root."""
    return LOADERS[facts.name].location.find(None, root) is not None


def read_frozen_list(facts: DatasetFacts, root: Path, given: Path | None = None) -> FrozenList:
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
    folder = loader.location.find(given, root)
    if folder is None:
        wanted = given or root / loader.location.folders[0]
        raise UserError(f"{facts.title} is not at {wanted}: {loader.location.marker} is missing; {_how_to_get(facts)}")
    try:
        if loader.unpack:
            loader.unpack(folder)
        frozen = frozen_path(facts, root)
        if frozen.is_file():
            return FrozenList(tuple(read_manifest(frozen)), _digest(frozen.read_bytes()), folder)
        rows = loader.make(folder, np.random.default_rng(LIST_SEED))
        samples = [read_sample(Row(row, f"sample {number}"), str(number)) for number, row in enumerate(rows)]
    except MissingError as missing:
        raise UserError(f"{facts.title} is not whole at {folder}: {missing} is missing; {_how_to_get(facts)}") from None
    if not samples:
        raise DataError(f"{facts.title} at {folder} makes no comparison; {_how_to_get(facts)}")
    content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    if len(rows) >= (facts.items or 0):
        write_whole(frozen, content)
    return FrozenList(tuple(samples), _digest(content), folder)


def frozen_path(facts: DatasetFacts, root: Path) -> Path:
    """Where the dataset's list is kept once it is whole."""
    return root / "frozen" / f"{facts.name}-seed-{LIST_SEED}.jsonl"


def with_image_paths(
    samples: Iterable[Sample], folder: Path, facts: DatasetFacts, *, allow_missing: bool = False
) -> list[Sample]:
    """Samples with the paths of their images, each exactly where the list says: others may go by the same name.

    Args:
        samples: Of the dataset's list.
        folder: What their paths start from.
        facts: Of the dataset.
        allow_missing: Leave out samples whose images are not there. Not where images are searched: fewer of them
            would make another search.

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
    if allow_missing and not any(sample.relevance for sample in samples) and len(missing) < len(paths):
        gone = set(missing)
        samples = [sample for sample in samples if gone.isdisjoint(sample.images)]
    elif missing:
        count = f"{len(missing):,} of {len(paths):,} images of {facts.title} are not below {folder}"
        raise UserError(f"{count}, the first of them {missing[0]!r}; {_how_to_get(facts)}")
    return [
        replace(
            sample,
            images=tuple(str(paths[image]) for image in sample.images),
            reference=None if sample.reference is None else str(paths[sample.reference]),
        )
        for sample in samples
    ]


def _how_to_get(facts: DatasetFacts) -> str:
    fetched = f"get it: python -m qbench datasets get {facts.name}, or " if facts.fetch else ""
    return f"{fetched}put there: {facts.get} (licence: {facts.licence})"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
