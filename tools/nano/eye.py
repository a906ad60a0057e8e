"""The vision tower of all three models: EfficientNet-Lite0 whose late blocks learn to say how a photo was damaged.

ImageNet has taught its last layer to overlook noise, compression and exposure. The early blocks, where damage shows,
stay as they are; the others say, patch by patch, which damage is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from qbench.models.checkpoint.weights import stop_between_layers
from qbench.models.iqa.features import MIDDLE, RANGE, as_batch, faster, read_tower
from qbench.training.loop import Recipe, train
from tools.nano.lite import read_backbone
from tools.nano.options import NanoOptions
from tools.nano.photos import Photos, Pixels, middle
from tools.nano.scenes import KINDS, VIEWS, View, in_files, make_pictures, measure, plan_scene

PATCH = 32
EARLY = 5
"""Blocks that stay as they are."""
_SCENES = 8
"""Of a step."""
_GAIN = 10.0
"""What the heads' outputs are multiplied by, so that they learn faster than the network."""
_UNSAID = -100
_SEEN = 0.3
"""From this share of the highest level on, a patch has its damage as a target."""
WEIGHTS = {"quality": 10.0, "attributes": 0.5, "patch": 1.0}


def make_eye(photos: Photos, options: NanoOptions, folder: Path) -> None:
    """Train on parts of photos, half as large as what will be seen of whole ones, and write the network."""
    side = options.side // 2

    def look(number: int) -> dict[str, NDArray[Any]]:
        views = plan_scene(options.seed, number)
        made = make_pictures(photos, views, options.seed, number, share=0.5)
        shown = [middle(Image.fromarray(pixels), side) for pixels in made]
        patches = [patches_of(view, pixels, side) for view, pixels in zip(views, made, strict=True)]
        return {
            "pixels": np.array([*map(np.asarray, shown)]),
            "patches": np.stack(patches),
            "attributes": np.array([*map(measure, shown)]),
        }

    network = read_backbone(options.backbone).to(options.device)
    views = [view for number in range(options.scenes) for view in plan_scene(options.seed, number)]
    seen = in_files(options.work / "parts of photos", options.scenes, look)
    learner = eye_learner(network, seen, views).to(options.device)
    recipe = Recipe(options.eye_steps, rate=2e-4, warm_up=min(50, options.eye_steps // 5), save_every=50)
    train(learner, partial(_batches, options), recipe, options.work / "eye", {})
    network.half().save_pretrained(folder)


def patches_of(view: View, pixels: Pixels, side: int) -> NDArray[np.int64]:
    """Of each patch the number of its damage, of none if it is untouched; unsaid where that is slight or in part."""
    grid = side // PATCH
    if not view.has_words:
        return np.full(grid**2, _UNSAID)
    if not view.damage:
        return np.full(grid**2, len(KINDS))
    inside = middle(view.where(*pixels.shape[:2]), side).resize((grid, grid), Image.Resampling.BOX)
    strength = np.asarray(inside).ravel() / 255 * view.damage.level / 5
    return np.where(strength >= _SEEN, KINDS.index(view.damage.kind), np.where(strength > 0, _UNSAID, len(KINDS)))


def _batches(options: NanoOptions, start: int) -> Iterator[NDArray[np.int64]]:
    """Numbers of the views of some scenes."""
    for step in range(start, options.eye_steps):
        scenes = np.random.default_rng([options.seed, 6, step]).integers(options.scenes, size=_SCENES)
        yield (scenes[:, None] * VIEWS + np.arange(VIEWS)).ravel()


def eye_learner(network: Any, seen: dict[str, NDArray[Any]], views: list[View]) -> Any:
    """The late blocks, with heads that only help them learn; called with numbers of views, it gives its losses."""
    import torch
    from torch.nn import functional as f

    measures = np.log(seen["attributes"] + 1)
    measures = (measures - measures.mean(axis=0)) / measures.std(axis=0)
    quality = np.array([view.by_level for view in views])
    network.requires_grad_(False)

    class Learner(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.late = torch.nn.ModuleList(
                [*network.encoder.blocks[EARLY:], network.encoder.top_conv, network.encoder.top_bn]
            ).requires_grad_()
            width, outputs = network.config.hidden_dim, {"quality": 1, "attributes": 4, "patch": len(KINDS) + 1}
            self.level = torch.nn.BatchNorm1d(width, affine=False)
            self.heads = torch.nn.ModuleDict({name: torch.nn.Linear(width, size) for name, size in outputs.items()})
            for weight in self.heads.parameters():
                torch.nn.init.zeros_(weight)

        def forward(self, numbers: NDArray[np.int64]) -> dict[str, torch.Tensor]:
            device = network.device
            maps = network(as_batch(seen["pixels"][numbers], str(device))).last_hidden_state
            patches = self.level(maps.flatten(2)).transpose(1, 2)
            whole = patches.mean(dim=1)
            said = {name: _GAIN * head(patches if name == "patch" else whole) for name, head in self.heads.items()}
            known = [torch.from_numpy(truth[numbers]).to(device) for truth in (quality, measures, seen["patches"])]
            losses = {
                "quality": f.mse_loss(said["quality"][:, 0].sigmoid(), known[0].float()),
                "attributes": f.mse_loss(said["attributes"], known[1].float()),
                "patch": f.cross_entropy(said["patch"].flatten(0, 1), known[2].flatten(), ignore_index=_UNSAID),
            }
            return {name: WEIGHTS[name] * loss for name, loss in losses.items()}

    return Learner()


def read_eye(folder: Path) -> Any:
    """The network as larger models hold it."""
    network = read_tower(folder)
    network.config.hidden_size = network.config.hidden_dim
    network.config.name_or_path = ""
    return network


def open_eye(folder: Path, device: str) -> Any:
    """The same network, ready to look."""
    return stop_between_layers(faster(read_eye(folder)).to(device))


def image_processor(side: int) -> Any:
    """The middle of a photo whose shorter side is brought to a size, as EfficientNet-Lite takes it."""
    from transformers import CLIPImageProcessor

    square = {"height": side, "width": side}
    mean, spread = [MIDDLE / 255] * 3, [RANGE / 255] * 3
    return CLIPImageProcessor(size={"shortest_edge": side}, crop_size=square, image_mean=mean, image_std=spread)
