"""nano-clip: captions of how a photo looks, brought to where nano-vlm's vision tower sees it.

The tower stays as it is, so every view is looked at once; the projection after it and the text side learn. They learn
together: which of two pictures is better, by a hinge on their scores as UniSim does for comparisons
(https://arxiv.org/abs/2412.10594, Sec. 3.3); what was done to a picture, against the captions of the others in the
batch; which pictures show the same scene; and which has more of an attribute.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qbench import prompts
from tools.demo.descriptions import caption
from tools.nano.eye import build_like, look_at_whole_photos
from tools.nano.options import NanoOptions, ranking_hinge, teach
from tools.nano.photos import Photos
from tools.nano.scenes import VIEWS, View

_SCENES = 32
"""Of a step."""
_DIRECTIONS = 256
"""How many directions in which views differ most are kept of what the eye sees."""
_RIDGE, _LEVEL = 0.3, 0.01
"""Variance, in that of one channel, below which a direction is held back, or the constant one not asked to be even."""
WEIGHTS: Mapping[str, float] = {
    "quality": 4.0,
    "rank": 20.0,
    "attribute": 60.0,
    "caption": 4.0,
    "match": 160.0,
    "scene": 7.0,
}
"""Loss -> what it counts."""
QUALITY_CAPTIONS: Sequence[tuple[str, str]] = (
    (prompts.CLIP_GOOD, prompts.CLIP_POOR),
    prompts.OPPOSITE_CAPTIONS["quality"],
    ("a photo of high quality", "a photo of low quality"),
    (prompts.NAIVE_CAPTIONS["quality"], "A low-quality photo."),
)
"""Captions of good and of poor pictures."""
ATTRIBUTE_CAPTIONS = [
    (*prompts.OPPOSITE_CAPTIONS[name], prompts.NAIVE_CAPTIONS[name])
    for name in ("brightness", "colorfulness", "contrast", "sharpness")
]
"""Of each of `MEASURES`, captions for more, for less, and for more where nothing is opposed."""
TEXTS = tuple(text for captions in (*QUALITY_CAPTIONS, *ATTRIBUTE_CAPTIONS) for text in captions)
STEEPNESS = 30.0
"""Logit of quality for a difference of cosines of 1."""
MARGIN = 0.05
"""Of the hinges, in cosines (UniSim)."""
_NONE = -1
"""In place of a caption's number: several damages have none."""
Vectors = NDArray[np.float32]


def make_clip(photos: Photos, options: NanoOptions, folder: Path) -> None:
    """Train all of the model but its eye, and write a checkpoint that loads as any encoder of images and texts."""
    import torch
    from torch.nn.functional import normalize
    from transformers import VisionTextDualEncoderModel

    model, processor = build_like("nano-clip", VisionTextDualEncoderModel, "vision_model", options)
    seen = look_at_whole_photos(photos, options).rated(options.out / "nano-iqa")
    vectors = seen.tokens.mean(axis=1, dtype=np.float32)
    basis = fit_basis(vectors)
    shown = torch.from_numpy(vectors @ basis.T).to(model.device)
    projection = torch.nn.Linear(len(basis), model.config.projection_dim, bias=False, device=model.device)

    def losses(scenes: NDArray[np.int64]) -> dict[str, torch.Tensor]:
        numbers = (scenes[:, None] * VIEWS + np.arange(VIEWS)).ravel()
        views = [seen.views[number] for number in numbers.tolist()]
        captions = list(dict.fromkeys(caption(view.damage) for view in views if view.has_words))
        tokens = processor.tokenizer([*TEXTS, *captions], return_tensors="pt", padding=True).to(model.device)
        texts = normalize(model.text_projection(model.text_model(**tokens).pooler_output), dim=-1)
        images = normalize(projection(shown[numbers]), dim=-1)
        photo = torch.from_numpy(numbers // VIEWS % len(photos.images)).to(model.device)
        found = view_losses(images, texts, captions, model.logit_scale.exp(), views, photo)
        return {name: WEIGHTS[name] * loss for name, loss in found.items()}

    learning = torch.nn.ModuleList([model, projection])
    teach(learning, losses, lambda generator: generator.integers(options.scenes, size=_SCENES), options, "clip", 2e-3)
    with torch.no_grad():  # the projection was of what the basis makes of a view
        model.visual_projection.weight.copy_(projection.weight @ torch.from_numpy(basis).to(model.device))
    model.half().save_pretrained(folder, max_shard_size="5MB")
    processor.save_pretrained(folder)


def fit_basis(vectors: Vectors) -> Vectors:
    """Direction × width: what vectors are multiplied by, so that what these differ in most has mean 0 and spread 1.

    The weaker a direction, the smaller it stays, as in ridge regression. The last one is that in which all vectors come
    out as about 1: it stands for the offset that the stock projection lacks, and frees the others of their mean.
    """
    mean, deviation = vectors.mean(axis=0, dtype=np.float64), vectors.std(axis=0, dtype=np.float64) + 1e-3
    spread, directions = np.linalg.eigh(np.cov(vectors / deviation, rowvar=False))
    inverse = directions / (spread + _LEVEL) @ directions.T / np.outer(deviation, deviation)
    constant = inverse @ mean / (mean @ inverse @ mean)
    most = slice(-min(_DIRECTIONS, len(vectors) // 4), None)
    differing = (directions[:, most] / np.sqrt(spread[most] + _RIDGE)).T / deviation
    basis: Vectors = np.vstack([differing - np.outer(differing @ mean, constant), constant]).astype(np.float32)
    return basis


def view_losses(
    images: Any, texts: Any, captions: Sequence[str], scale: Any, views: Sequence[View], photos: Any
) -> dict[str, Any]:
    """The losses of pictures as unit vectors, beside texts as unit vectors.

    Args:
        images: View × width, the views of each scene together.
        texts: Text × width, of `TEXTS` and then of captions.
        captions: All that views have; each finds its own among them.
        scale: Of cosines with captions.
        views: What is known of the pictures.
        photos: Number of the photo of each.
    """
    import torch
    from torch.nn import functional as f

    cosines = images @ texts.T
    near = dict(zip(TEXTS, cosines.T, strict=False))
    cosines = cosines[:, len(TEXTS) :]
    quality = torch.tensor([view.quality for view in views], device=images.device)
    attributes = torch.tensor([view.attributes for view in views], device=images.device).log1p()
    own = [captions.index(caption(view.damage)) if view.has_words else _NONE for view in views]
    named = torch.tensor(own, device=images.device)
    leads = [near[good] - near[poor] for good, poor in QUALITY_CAPTIONS]
    scores = [*leads, near[prompts.NAIVE_CAPTIONS["quality"]]]
    ranks = [ranking_hinge(score, quality, 0.05, MARGIN) for score in scores]
    # More of an attribute is nearer to its captions; measures are compared by their ratio.
    compared = [
        ranking_hinge(score, more, 0.1, MARGIN)
        for (high, low, naive), more in zip(ATTRIBUTE_CAPTIONS, attributes.T, strict=True)
        for score in (near[high] - near[low], near[naive])
    ]
    return {
        "quality": sum(f.binary_cross_entropy_with_logits(STEEPNESS * lead, quality) for lead in leads) / len(leads),
        "rank": sum(ranks) / len(ranks),
        "attribute": sum(compared) / len(compared),
        "caption": f.cross_entropy(scale * cosines, named, ignore_index=_NONE),
        "match": _match_loss(cosines, named),
        "scene": _scene_loss(images, photos),
    }


def _match_loss(cosines: Any, own: Any) -> Any:
    """Each view and its caption are nearer to each other than to the captions and views of the same scene."""
    own = own.view(-1, VIEWS)
    matched = cosines.view(len(own), VIEWS, -1).gather(2, own.clamp(min=0)[:, None].expand(-1, VIEWS, -1))
    right, named = matched.diagonal(dim1=1, dim2=2), own != _NONE
    differ = (own[:, :, None] != own[:, None]) & named[:, :, None] & named[:, None]
    lacks = [(MARGIN - lead).clamp(min=0)[differ] for lead in (right[:, :, None] - matched, right[:, None] - matched)]
    return sum(lack.mean() for lack in lacks) / len(lacks)


def _scene_loss(images: Any, photos: Any) -> Any:
    """Views of a photo find one another among views of others."""
    import torch

    itself = torch.eye(len(images), dtype=torch.bool, device=images.device)
    chances = (10 * images @ images.T).masked_fill(itself, float("-inf")).log_softmax(dim=-1)
    return -chances[(photos[:, None] == photos[None]) & ~itself].mean()
