"""Revisited Oxford and Paris: photos of a landmark searched for among many (UniSim-Bench, Sec. 3.1 and App. B.1).

Radenovic et al. 2018, http://cmp.felk.cvut.cz/revisitop/. Each query is followed by the images it is judged by, all
others come last: the first rows make sense by themselves. Queries that share an image are of one landmark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from qbench.datasets.similarity.draws import Rows
from qbench.datasets.similarity.files import Source, need
from qbench.datasets.similarity.pickles import read_pickle
from qbench.errors import DataError

LEVELS = ("easy", "hard", "junk")


def source(name: str, alias: str) -> Source:
    """Where one of the two lies."""
    folders = (name, alias, f"retrieval/revisitop/{alias}", f"revisitop/{alias}", f"data/datasets/{alias}")
    return Source(folders, f"gnd_{alias}.pkl")


def revisited(root: Path, _generator: np.random.Generator, *, alias: str) -> Rows:
    """All queries, whole, and all images to search; the million distractors are not part of the benchmark."""
    content = read_pickle(need(root, f"gnd_{alias}.pkl"))
    try:
        images = [f"jpg/{name}.jpg" for name in content["imlist"]]
        queries = [f"jpg/{name}.jpg" for name in content["qimlist"]]
        truth = [{level: _paths(one, level, images) for level in LEVELS} for one in content["gnd"]]
    except (KeyError, TypeError, IndexError, ValueError) as error:
        raise DataError(
            f"gnd_{alias}.pkl lacks imlist, qimlist or gnd as its publisher ships them ({error!r})"
        ) from None
    if len(truth) != len(queries):
        raise DataError(f"gnd_{alias}.pkl has {len(queries):,} queries, but the truth of {len(truth):,}")
    rows: Rows = []
    listed: dict[str, None] = {}
    for query, found, landmark in zip(queries, truth, _landmarks(truth), strict=True):
        rows.append({"query": query, **found, "cluster": landmark})
        new = [image for level in LEVELS for image in found[level] if image not in listed]
        listed.update(dict.fromkeys(new))
        rows += [{"img_path": image} for image in new]
    return rows + [{"img_path": image} for image in images if image not in listed]


def _paths(truth: Mapping[str, Any], level: str, images: Sequence[str]) -> list[str]:
    return [images[int(place)] for place in np.asarray(truth[level], dtype=int).ravel()]


def _landmarks(truth: Sequence[Mapping[str, Sequence[str]]]) -> list[str]:
    """For each query the number of the first that shares an image with it, or with one that does."""
    groups: list[set[str]] = []
    for one in truth:
        mine = {*one["easy"], *one["hard"]}
        for group in [group for group in groups if group & mine]:
            groups.remove(group)
            mine |= group
        groups.append(mine)
    of_image = {image: number for number, group in enumerate(groups) for image in group}
    return [
        f"landmark {next((of_image[image] for image in (*one['easy'], *one['hard'])), f'of query {place}')}"
        for place, one in enumerate(truth)
    ]
