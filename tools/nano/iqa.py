"""nano-iqa: views of photos are looked at once, what is seen of them is kept, and heads are fitted to it.

How much people mind each damage is taken from KADID-10k's mean ratings by type and level: Lin, Hosu and Saupe,
"KADID-10k: A Large-scale Artificially Distorted IQA Database", QoMEX 2019. Its images are named
I<photo>_<type>_<level>.png, and its types are those of `qbench.distortions`.
"""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from qbench.datasets import open_dataset
from qbench.datasets.manifest import read_manifest
from qbench.distortions import TYPES
from qbench.errors import UserError
from qbench.images import open_picture
from qbench.models import ModelOptions, open_model
from qbench.models.iqa.features import open_backbone
from qbench.models.iqa.scorer import FACTS, FAULTS, FILE, Heads
from qbench.records import Prompt
from tools.demo.damage import Damage
from tools.nano.eye import look_at_whole_photos
from tools.nano.heads import FOLDS, fit_heads, fit_parts, look_at_parts, make_basis
from tools.nano.options import NanoOptions
from tools.nano.photos import Photos
from tools.nano.scenes import VIEWS, View

REFERENCE = "demo-assessment"
_SHOWN = 1.2
"""From this level on a damage counts as seen."""
_BEST, _WORST = 4.8, 1.0
"""Rating of a photo that nothing was done to, and the lowest one."""
_TWO_SIDED = (18, 25)
"""Types that run from one side through zero to the other; here each side is a type of its own."""

Kept = Mapping[str, NDArray[np.float64]]
"""Type of damage -> what levels 0 to 5 leave of a photo's quality, from 1 to 0."""


def make_iqa(photos: Photos, options: NanoOptions, folder: Path) -> None:
    """Fit the heads, and write them beside the network that they look through."""
    network, kept = open_backbone(options.out / "eye", options.device), read_ratings(options.ratings)
    seen = look_at_whole_photos(photos, options)
    whole = [number for number, view in enumerate(seen.views) if not (view.damage and view.damage.place)]
    views, features = [seen.views[number] for number in whole], seen.features[whole]
    people = [what_is_left(kept, view.damages) for view in views]
    folds = np.array(whole) // VIEWS % len(photos.images) % FOLDS
    basis = make_basis(features, network)
    parts = fit_parts([*look_at_parts(photos, network, basis, options)], basis, options)
    heads, figures = fit_heads(features, qualities(people, views), faults_of(views), folds, basis, parts)
    facts = {"photos": len(photos.images), "photos_digest": photos.digest, "seed": options.seed, "held_out": figures}
    shutil.copytree(options.out / "eye", folder, dirs_exist_ok=True)
    save_heads(heads, folder, facts)
    write_reference(folder, options.device)


def read_ratings(path: Path) -> Kept:
    """What each type and level leaves; of types that people did not rate, the mean over those that they did.

    Raises:
        UserError: The list is not KADID-10k's.
    """
    rated: dict[tuple[int, int], list[float]] = defaultdict(list)
    for sample in read_manifest(path):
        parts = Path(sample.id).stem.split("_")
        if len(parts) == 3 and parts[1].isdigit() and parts[2].isdigit() and sample.human is not None:
            rated[int(parts[1]), int(parts[2])].append(sample.human)
    numbers = {key: kind.kadid for key, kind in TYPES.items() if kind.kadid and kind.kadid not in _TWO_SIDED}
    if any((number, level) not in rated for number in numbers.values() for level in range(1, 6)):
        raise UserError(
            f"{path} is not KADID-10k's list of scores: some of its 25 types or 5 levels are not rated there"
        )

    def left(number: int) -> NDArray[np.float64]:
        means = [float(np.mean(rated[number, level])) for level in range(1, 6)]
        return (np.array([_BEST, *means]) - _WORST) / (_BEST - _WORST)

    known = {key: left(number) for key, number in numbers.items()}
    usual: NDArray[np.float64] = np.mean([*known.values()], axis=0)
    return dict.fromkeys(TYPES, usual) | known


def what_is_left(kept: Kept, damages: Sequence[Damage]) -> float:
    """Of a photo's quality: every damage takes its share of what others leave."""
    return float(np.prod([np.interp(damage.level, range(6), kept[damage.kind]) for damage in damages]))


def qualities(people: list[float], views: list[View]) -> NDArray[np.float64]:
    """From 0 (worst) to 100: two thirds the rank by what people leave of the damages, a third that by their level."""
    by_level = rankdata([view.by_level for view in views])
    quality: NDArray[np.float64] = (2 * rankdata(people) + by_level) / 3
    return 100 * quality / len(views)


def faults_of(views: list[View]) -> NDArray[np.float64]:
    """View × kind of damage: 1 where it is plain to see."""
    plain = [{damage.kind for damage in view.damages if damage.level >= _SHOWN} for view in views]
    return np.array([[not kinds.isdisjoint(types) for types in FAULTS.values()] for kinds in plain], np.float64)


def save_heads(heads: Heads, folder: Path, facts: Mapping[str, object]) -> None:
    """Write the weights, and what is known of them beside."""
    from safetensors.numpy import save_file

    parts = {"basis.": vars(heads.basis), "parts.": vars(heads.parts)}
    parts[""] = {name: value for name, value in vars(heads).items() if name not in ("basis", "parts")}
    arrays = {f"{below}{name}": value for below, own in parts.items() for name, value in own.items()}
    save_file({name: np.ascontiguousarray(value) for name, value in arrays.items()}, folder / FILE)
    (folder / FACTS).write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def write_reference(folder: Path, device: str) -> None:
    """Score the pictures of the demo set of assessment, so that a photo's score can be placed among theirs."""
    model = open_model(f"nano-iqa:{folder}", ModelOptions(device=device))
    pictures = [open_picture(Path(sample.images[0])) for sample in open_dataset(REFERENCE).samples]
    said = model.respond([Prompt("score", (picture,)) for picture in pictures])
    scores = sorted(round(answer.score, 2) for answer in said if answer.score is not None)
    reference = {"title": f"photos and damaged copies ({REFERENCE})", "scores": scores}
    (folder / "reference.json").write_text(json.dumps(reference) + "\n", encoding="utf-8")
