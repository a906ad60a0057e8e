"""Which of two images is nearer to a reference: NIGHTS, BAPPS and PieAPP (UniSim-Bench, Sec. 3.1 and App. B.1)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.random import Generator

from qbench.datasets.similarity import files
from qbench.datasets.similarity.iqa_2afc import PIEAPP, clear_comparisons

NIGHTS = files.Location(("nights",), "data.csv")
BAPPS = files.Location(
    ("bapps", "PerceptualSimilarity"), "superres", ("val", "2afc/val", "2afc", "dataset/2afc/val", "twoafc_val", "")
)
_DISTORTIONS = ("cnn", "color", "deblur", "frameinterp", "superres", "traditional")
_VOTES = 6
"""Fewest votes of a NIGHTS triplet, as its authors filter it."""


def nights(root: Path, _generator: Generator, *, split: str = "test") -> files.ManifestRows:
    """NIGHTS (Fu et al. 2023): the triplets of a split with six votes or more."""
    rows = files.read_table(root, "data.csv", "votes", "split", "ref_path", "left_path", "right_path", "right_vote")
    return [
        {
            "reference": row.data["ref_path"],
            "images": [row.data["left_path"], row.data["right_path"]],
            "label": files.read_code(row, "right_vote", 0, 1),
            "cluster": row.data["ref_path"],
        }
        for row in rows
        if row.number("votes") >= _VOTES and row.data["split"] == split
    ]


def bapps(root: Path, generator: Generator) -> files.ManifestRows:
    """BAPPS (Zhang et al. 2018): 5,000 patches of the six validation folders."""
    patches = []
    for kind in _DISTORTIONS:
        names = sorted(path.stem for path in files.require(root, f"{kind}/judge").glob("*.npy"))
        if not names:
            raise files.MissingError(f"{kind}/judge/*.npy")
        patches += [(kind, name) for name in names]
    return [
        {
            "reference": f"{kind}/ref/{name}.png",
            "images": [f"{kind}/{side}/{name}.png" for side in ("p0", "p1")],
            "label": _majority(root / kind / "judge" / f"{name}.npy"),
            "groups": {"distortion": kind},
        }
        for kind, name in files.sample_at_most(patches, 5000, generator)
    ]


def _majority(judged: Path) -> int:
    """The place of the patch that more people found nearer; of a tie the first, which is how a half is rounded."""
    share = float(np.load(judged, allow_pickle=False).item())
    if not 0 <= share <= 1:
        raise ValueError(f"{judged.parent.name}/{judged.name} holds {share:g}, no share")
    return round(share)


def pieapp(root: Path, _generator: Generator, *, split: str = "test") -> files.ManifestRows:
    """PieAPP: pairs of distorted images of a split, where more than six in ten prefer one of them."""
    return [
        {
            "reference": reference,
            "images": list(pair),
            "label": 0 if preference > 0.5 else 1,
            "cluster": PurePosixPath(reference).stem,
        }
        for reference, pair, preference in clear_comparisons(root, split)
    ]


LISTS: Mapping[str, files.Loader] = {
    "nights": files.Loader(NIGHTS, nights),
    "bapps": files.Loader(BAPPS, bapps),
    "pieapp": files.Loader(PIEAPP, pieapp),
}
"""Name -> how its list is made."""
