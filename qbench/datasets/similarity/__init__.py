"""UniSim-Bench's twenty-five datasets, read from their publishers' files or from the benchmark's own bundle.

UniSim, Sec. 3.1, App. B.1 and Table 4, https://arxiv.org/abs/2412.10594; its code at
https://github.com/SaraGhazanfari/UniSim/tree/e8b06e0 and the bundle at
https://huggingface.co/datasets/saraghznfri/unisim_data. Where paper and code differ the list is the code's;
docs/unisim.md says where.

Pairs are drawn once, with a seed, and frozen: a list that is whole is written as a manifest below the data root and
read from there ever after, whatever becomes of a random generator in later versions of NumPy.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from qbench.atomic import write_whole
from qbench.datasets.known import DatasetFacts
from qbench.datasets.manifest import read_manifest
from qbench.datasets.similarity import attributes, img_2afc, iqa_2afc, it_2afc, landmarks, odd_one_out, text_2afc
from qbench.datasets.similarity.files import LIST_SEED, Loader, samples_of
from qbench.records import Sample
from qbench.rows import digest

LOADERS: Mapping[str, Loader] = {
    name: loader
    for module in (img_2afc, it_2afc, text_2afc, iqa_2afc, attributes, odd_one_out, landmarks)
    for name, loader in module.LISTS.items()
}
"""Name -> how its list is made: the twenty-five of the published tables, and those of more images."""


def read_frozen_list(facts: DatasetFacts, root: Path, given: Path | None = None) -> tuple[list[Sample], str, Path]:
    """The dataset's list, the frozen one, or one made now, which is frozen if it is whole; its digest; its folder.

    Raises:
        UserError: Files that are not there: which, what to download and where to put it.
        DataError: Files that are not as their publisher ships them.
    """
    loader, get = LOADERS[facts.name], how_to_get(facts)
    folder = loader.open(given, root, facts.title, get)
    frozen = frozen_path(facts, root)
    if frozen.is_file():
        return read_manifest(frozen), digest(frozen), folder
    rows = loader.draw(folder, facts.title, get)
    samples = samples_of(rows)
    content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    if len(rows) >= (facts.items or 0):
        write_whole(frozen, content)
    return samples, hashlib.sha256(content).hexdigest(), folder


def frozen_path(facts: DatasetFacts, root: Path) -> Path:
    """Where the dataset's list is kept once it is whole."""
    return root / "frozen" / f"{facts.name}-seed-{LIST_SEED}.jsonl"


def how_to_get(facts: DatasetFacts) -> str:
    """What to do where files of the dataset are missing."""
    fetched = f"get it: python -m qbench datasets get {facts.name}, or " if facts.fetch else ""
    return f"{fetched}put there: {facts.get} (licence: {facts.licence})"
