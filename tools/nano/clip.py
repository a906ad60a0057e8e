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
from qbench.models.builtin import WEIGHTS_FOLDER
from qbench.models.iqa.features import read_tower
from tools.demo.descriptions import caption
from tools.nano.eye import Seen, image_processor, look_at_whole_photos
from tools.nano.options import NanoOptions, teach
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
ATTRIBUTE_CAPTIONS: Mapping[str, tuple[str, str, str]] = {
    name: (*prompts.OPPOSITE_CAPTIONS[name], prompts.NAIVE_CAPTIONS[name])
    for name in ("brightness", "colorfulness", "contrast", "sharpness")
}
"""Attribute, in the order of `MEASURES` -> captions for more, for less, and for more where nothing is opposed."""
TEXTS = tuple(text for captions in (*QUALITY_CAPTIONS, *ATTRIBUTE_CAPTIONS.values()) for text in captions)
STEEPNESS = 30.0
"""Logit of quality for a difference of cosines of 1."""
MARGIN = 0.05
"""Of the hinges, in cosines (UniSim)."""
Vectors = NDArray[np.float32]


def make_clip(photos: Photos, options: NanoOptions, folder: Path) -> None:
    """Train, and write a checkpoint that loads as any encoder of images and texts."""
    model, processor = build_clip(options)
    seen = look_at_whole_photos(photos, options)
    vectors = seen.tokens.mean(axis=1, dtype=np.float32)
    basis = fit_basis(vectors)
    learner = clip_learner(model, processor.tokenizer, seen, vectors @ basis.T, len(photos.images))
    teach(learner, lambda generator: generator.integers(options.scenes, size=_SCENES), options, "clip", rate=2e-3)
    learner.put_projection(basis)
    model.half().save_pretrained(folder, max_shard_size="5MB")
    processor.save_pretrained(folder)


def build_clip(options: NanoOptions) -> tuple[Any, Any]:
    """A model built as the shipped one is, with this tower and otherwise random weights; and its processor."""
    import torch
    from transformers import AutoConfig, AutoProcessor, VisionTextDualEncoderModel

    config, processor = (of.from_pretrained(WEIGHTS_FOLDER / "nano-clip") for of in (AutoConfig, AutoProcessor))
    config.vision_config.image_size = options.side
    processor.image_processor = image_processor(options.side)
    torch.manual_seed(options.seed)
    model = VisionTextDualEncoderModel(config).float().eval()
    model.vision_model.load_state_dict(read_tower(options.eye).state_dict())
    return model, processor


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


def clip_learner(model: Any, tokenizer: Any, seen: Seen, vectors: Vectors, photos: int) -> Any:
    """All of the model but its eye; called with numbers of scenes, it gives its losses."""
    import torch
    from torch.nn import functional as f

    device = model.device
    shown = torch.from_numpy(vectors).unflatten(0, (-1, VIEWS))

    class Learner(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.reading, self.text_projection = model.text_model, model.text_projection
            self.scale = model.logit_scale
            self.projection = torch.nn.Linear(vectors.shape[1], model.config.projection_dim, bias=False)

        def forward(self, scenes: NDArray[np.int64]) -> dict[str, torch.Tensor]:
            views = [seen.views[VIEWS * number + place] for number in scenes for place in range(VIEWS)]
            listed = list(dict.fromkeys((*TEXTS, *(caption(view.damage) for view in views if view.has_words))))
            tokens = tokenizer(listed, return_tensors="pt", padding=True).to(device)
            texts = f.normalize(self.text_projection(self.reading(**tokens).pooler_output), dim=-1)
            images = f.normalize(self.projection(shown[scenes].flatten(0, 1).to(device)), dim=-1)
            numbers = torch.from_numpy(scenes).to(device).repeat_interleave(VIEWS)
            losses = view_losses(images, texts, listed, self.scale.exp(), views, numbers % photos)
            return {name: WEIGHTS[name] * loss for name, loss in losses.items()}

        def put_projection(self, basis: Vectors) -> None:
            """Give the model the projection, of what its eye sees."""
            with torch.no_grad():
                model.visual_projection.weight.copy_(self.projection.weight @ torch.from_numpy(basis).to(device))

    return Learner()


def view_losses(
    images: Any, texts: Any, listed: Sequence[str], scale: Any, views: Sequence[View], photos: Any
) -> dict[str, Any]:
    """The losses of pictures as unit vectors, beside texts as unit vectors.

    Args:
        images: View × width, the views of each scene together.
        texts: Text × width.
        listed: The texts, `TEXTS` and the captions of these views among them.
        scale: Of cosines with captions.
        views: What is known of the pictures.
        photos: Number of the photo of each.
    """
    import torch

    cosines = images @ texts.T
    at = {text: place for place, text in enumerate(listed)}
    quality = torch.tensor([view.quality for view in views], device=images.device)
    own = torch.tensor([at[caption(view.damage)] if view.has_words else -1 for view in views], device=images.device)
    return quality_losses(cosines, at, quality) | {
        "attribute": _attribute_loss(cosines, at, views),
        "caption": _caption_loss(cosines, own, scale),
        "match": _match_loss(cosines, own),
        "scene": _scene_loss(images, photos),
    }


def quality_losses(cosines: Any, at: Mapping[str, int], quality: Any) -> dict[str, Any]:
    """How far the scores of views are from their quality, and from ranking the views by it."""
    from torch.nn import functional as f

    leads = [cosines[:, at[good]] - cosines[:, at[poor]] for good, poor in QUALITY_CAPTIONS]
    scores = [*leads, cosines[:, at[prompts.NAIVE_CAPTIONS["quality"]]]]
    likely = [f.binary_cross_entropy_with_logits(STEEPNESS * lead, quality) for lead in leads]
    return {
        "quality": sum(likely) / len(leads),
        "rank": sum(ranking_hinge(score, quality, 0.05) for score in scores) / len(scores),
    }


def ranking_hinge(scores: Any, truth: Any, least: float) -> Any:
    """Mean over pairs along the last axis whose truth differs by more than `least` of what scores lack of `MARGIN`."""
    clear = truth[..., :, None] - truth[..., None, :] > least
    lack = (MARGIN - (scores[..., :, None] - scores[..., None, :])).clamp(min=0)
    return lack[clear].mean() if bool(clear.any()) else scores.sum() * 0


def _attribute_loss(cosines: Any, at: Mapping[str, int], views: Sequence[View]) -> Any:
    """More of an attribute is nearer to its captions; measures are compared by their ratio."""
    import torch

    losses = []
    for place, captions in enumerate(ATTRIBUTE_CAPTIONS.values()):
        more = torch.tensor([view.attributes[place] for view in views], device=cosines.device)
        high, low, naive = (cosines[:, at[text]] for text in captions)
        losses += [ranking_hinge(scores, (more + 1).log(), 0.1) for scores in (high - low, naive)]
    return sum(losses) / len(losses)


def _caption_loss(cosines: Any, own: Any, scale: Any) -> Any:
    """Each picture finds its caption, -1 where it has none, among those of the batch."""
    import torch
    from torch.nn import functional as f

    present = torch.zeros(cosines.shape[1], dtype=torch.bool, device=own.device)
    present[own[own >= 0]] = True
    logits = (scale * cosines).masked_fill(~present, float("-inf"))
    return f.cross_entropy(logits, own, ignore_index=-1)


def _match_loss(cosines: Any, own: Any) -> Any:
    """Each view and its caption are nearer to each other than to the captions and views of the same scene."""
    own = own.view(-1, VIEWS)
    matched = cosines.view(len(own), VIEWS, -1).gather(2, own.clamp(min=0)[:, None].expand(-1, VIEWS, -1))
    right, named = matched.diagonal(dim1=1, dim2=2), own >= 0
    differ = (own[:, :, None] != own[:, None]) & named[:, :, None] & named[:, None]
    lacks = [(MARGIN - lead).clamp(min=0)[differ] for lead in (right[:, :, None] - matched, right[:, None] - matched)]
    return sum(lack.mean() for lack in lacks) / len(lacks)


def _scene_loss(images: Any, photos: Any) -> Any:
    """Views of a photo find one another among views of others."""
    import torch

    itself = torch.eye(len(images), dtype=torch.bool, device=images.device)
    chances = (10 * images @ images.T).masked_fill(itself, float("-inf")).log_softmax(dim=-1)
    return -chances[(photos[:, None] == photos[None]) & ~itself].mean()
