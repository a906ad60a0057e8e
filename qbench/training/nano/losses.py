"""The losses of nano-clip: its scores, its captions, its attributes, views of one scene, and places of damage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from qbench import prompts
from qbench.datasets.demo.damage import region_of
from qbench.datasets.demo.descriptions import caption
from qbench.training.nano.scenes import VIEWS, Scene, SceneView
from qbench.training.nano.vision import PATCH

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


def view_losses(images: Any, texts: Any, listed: Sequence[str], scale: Any, scenes: Sequence[Scene]) -> dict[str, Any]:
    """The losses of pictures as unit vectors, beside texts as unit vectors.

    Args:
        images: View × width, the views of each scene together.
        texts: Text × width.
        listed: The texts, `TEXTS` and the captions of these views among them.
        scale: Of cosines with captions.
        scenes: What is known of the pictures.
    """
    import torch
    from torch.nn import functional as f

    views = [view for scene in scenes for view in scene.views]
    cosines = images @ texts.T
    at = {text: place for place, text in enumerate(listed)}
    quality = torch.tensor([view.quality for view in views], device=images.device)
    own = torch.tensor([at[caption(view.damage)] for view in views], device=images.device)
    photos = torch.tensor([scene.photo for scene in scenes], device=images.device).repeat_interleave(VIEWS)
    leads = [cosines[:, at[good]] - cosines[:, at[poor]] for good, poor in QUALITY_CAPTIONS]
    likely = [f.binary_cross_entropy_with_logits(STEEPNESS * lead, quality) for lead in leads]
    return {
        "quality": sum(likely) / len(leads),
        "rank": sum(ranking_hinge(lead, quality, 0.05) for lead in leads) / len(leads),
        "attribute": _attribute_loss(cosines, at, views),
        "caption": _caption_loss(cosines, own, scale),
        "scene": _scene_loss(images, photos),
        "closer": _closer_loss(images, quality),
    }


def ranking_hinge(scores: Any, truth: Any, least: float) -> Any:
    """Mean over pairs along the last axis whose truth differs by more than `least` of what scores lack of `MARGIN`."""
    clear = truth[..., :, None] - truth[..., None, :] > least
    lack = (MARGIN - (scores[..., :, None] - scores[..., None, :])).clamp(min=0)
    return lack[clear].mean() if bool(clear.any()) else scores.sum() * 0


def _attribute_loss(cosines: Any, at: Mapping[str, int], views: Sequence[SceneView]) -> Any:
    """More of an attribute is nearer to its captions; measures are compared by their ratio."""
    import torch

    losses = []
    for place, captions in enumerate(ATTRIBUTE_CAPTIONS.values()):
        more = torch.tensor([view.attributes[place] for view in views], device=cosines.device)
        high, low, naive = (cosines[:, at[text]] for text in captions)
        losses += [ranking_hinge(scores, (more + 1).log(), 0.1) for scores in (high - low, naive)]
    return sum(losses) / len(losses)


def _caption_loss(cosines: Any, own: Any, scale: Any) -> Any:
    """Each picture finds its caption among those of the batch."""
    import torch
    from torch.nn import functional as f

    present = torch.zeros(cosines.shape[1], dtype=torch.bool, device=own.device)
    present[own] = True
    logits = (scale * cosines).masked_fill(~present, float("-inf"))
    return f.cross_entropy(logits, own)


def _scene_loss(images: Any, photos: Any) -> Any:
    """Views of a scene find one another among views of other photos."""
    import torch

    count = len(images)
    scenes = torch.arange(count, device=images.device) // VIEWS
    same, itself = scenes[:, None] == scenes[None], torch.eye(count, dtype=torch.bool, device=images.device)
    other = photos[:, None] != photos[None]
    logits = (10 * images @ images.T).masked_fill(itself | ~(same | other), float("-inf"))
    chances = logits.log_softmax(dim=-1)
    return -chances[same & ~itself].mean()


def _closer_loss(images: Any, quality: Any) -> Any:
    """The less damaged of two views is closer to the clean one."""
    grouped, worth = images.view(-1, VIEWS, images.shape[-1]), quality.view(-1, VIEWS)
    closeness = (grouped[:, 1:] @ grouped[:, :1].transpose(1, 2))[..., 0]
    return ranking_hinge(closeness, worth[:, 1:], 0.1)


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
