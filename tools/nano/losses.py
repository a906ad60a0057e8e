"""The losses of nano-clip: its scores, its captions, its attributes, and views of one photo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qbench import prompts
from tools.demo.descriptions import caption
from tools.nano.scenes import VIEWS, View

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
