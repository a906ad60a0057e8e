"""Revisited Oxford and Paris: photos of a landmark searched for among many (UniSim-Bench, Sec. 3.1 and App. B.1).

Radenovic et al. 2018, http://cmp.felk.cvut.cz/revisitop/. Each query is followed by the images it is judged by, all
others come last: the first rows make sense by themselves. Queries that share an image are of one landmark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator

from qbench.datasets.manifest import RELEVANCE
from qbench.datasets.similarity.files import Loader, Location, ManifestRows, read_pickle, require


def revisited(root: Path, _generator: Generator, *, alias: str) -> ManifestRows:
    """All queries, whole, and all images to search; the million distractors are not part of the benchmark."""
    content = read_pickle(require(root, f"gnd_{alias}.pkl"))
    images = [f"jpg/{name}.jpg" for name in content["imlist"]]
    queries = [f"jpg/{name}.jpg" for name in content["qimlist"]]
    truth = [{level: _paths(judged, level, images) for level in RELEVANCE} for judged in content["gnd"]]
    rows: ManifestRows = []
    listed: dict[str, None] = {}
    for query, found, landmark in zip(queries, truth, _landmarks(truth), strict=True):
        rows.append({"query": query, **found, "cluster": landmark})
        new = [image for level in RELEVANCE for image in found[level] if image not in listed]
        listed.update(dict.fromkeys(new))
        rows += [{"img_path": image} for image in new]
    return rows + [{"img_path": image} for image in images if image not in listed]


def _paths(truth: Mapping[str, Any], level: str, images: Sequence[str]) -> list[str]:
    return [images[int(place)] for place in np.asarray(truth[level], dtype=int).ravel()]


def _landmarks(truth: Sequence[Mapping[str, Sequence[str]]]) -> list[str]:
    """For each query the number of the first that shares an image with it, or with one that does."""
    groups: list[set[str]] = []
    for found in truth:
        mine = {*found["easy"], *found["hard"]}
        for group in [group for group in groups if group & mine]:
            groups.remove(group)
            mine |= group
        groups.append(mine)
    of_image = {image: number for number, group in enumerate(groups) for image in group}
    return [
        f"landmark {next((of_image[image] for image in (*found['easy'], *found['hard'])), f'of query {place}')}"
        for place, found in enumerate(truth)
    ]


def _loader(name: str, alias: str) -> Loader:
    folders = (name, alias, f"retrieval/revisitop/{alias}", f"revisitop/{alias}", f"data/datasets/{alias}")
    return Loader(Location(folders, f"gnd_{alias}.pkl"), partial(revisited, alias=alias))


LISTS: Mapping[str, Loader] = {
    "r-oxford": _loader("r-oxford", "roxford5k"),
    "r-paris": _loader("r-paris", "rparis6k"),
}
"""Name -> how its list is made."""
