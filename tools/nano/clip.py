"""nano-clip: captions of how a photo looks, brought to where nano-vlm's vision tower sees it.

The tower stays as it is, so every view is looked at once; the projection after it and the text side learn. They learn
together: which of two pictures is better, by a hinge on their scores as UniSim does for comparisons
(https://arxiv.org/abs/2412.10594, Sec. 3.3); what was done to a picture, against the captions of the others in the
batch; which pictures show the same scene; and which has more of an attribute.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qbench.training.loop import Recipe, train
from tools.demo.damage import DAMAGE_WORDS, Damage
from tools.demo.descriptions import caption
from tools.nano import eye
from tools.nano.looking import Seen, look_at_scenes
from tools.nano.losses import TEXTS, view_losses
from tools.nano.options import NanoOptions
from tools.nano.photos import Photos
from tools.nano.scenes import VIEWS
from tools.nano.tokens import make_tokenizer

_SCENES = 32
"""Of a step."""
_WIDTH = 256
"""Of the vectors that images and texts have in common."""
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
TEXT_CONFIG = {
    "hidden_size": 128,
    "intermediate_size": 384,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "max_position_embeddings": 64,
    "hidden_act": "gelu",
}
Vectors = NDArray[np.float32]


def make_clip(photos: Photos, options: NanoOptions, folder: Path) -> None:
    """Train, and write a checkpoint that loads as any encoder of images and texts."""
    model, processor = build_clip(options)
    seen = look_at_scenes(photos, options)
    vectors = seen.tokens.mean(axis=1, dtype=np.float32)
    basis = fit_basis(vectors)
    learner = clip_learner(model, processor.tokenizer, seen, vectors @ basis.T, len(photos.images)).to(options.device)
    recipe = Recipe(options.clip_steps, rate=2e-3, warm_up=min(50, options.clip_steps // 5), save_every=100)
    train(learner, partial(_batches, options), recipe, options.work / "clip", {})
    learner.put_projection(basis)
    model.half().save_pretrained(folder, max_shard_size="5MB")
    processor.save_pretrained(folder)


def build_clip(options: NanoOptions) -> tuple[Any, Any]:
    """An encoder with this eye, whose other parts know nothing yet, and its processor."""
    import torch
    from transformers import (
        CLIPTextConfig,
        CLIPTextModel,
        VisionTextDualEncoderConfig,
        VisionTextDualEncoderModel,
        VisionTextDualEncoderProcessor,
    )

    seeing = eye.read_eye(options.eye)
    seeing.config.image_size = options.side
    damages = (None, *(Damage(kind, level + 1) for kind in DAMAGE_WORDS for level in range(5)))
    tokenizer = make_tokenizer([*map(caption, damages), *TEXTS], size=600, ends=True)
    ends = {"bos_token_id": None, "eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id}
    torch.manual_seed(options.seed)
    reading = CLIPTextModel(CLIPTextConfig(**TEXT_CONFIG, **ends, vocab_size=len(tokenizer)))
    config = VisionTextDualEncoderConfig.from_vision_text_configs(seeing.config, reading.config, projection_dim=_WIDTH)
    model = VisionTextDualEncoderModel(config, seeing, reading).eval()
    return model, VisionTextDualEncoderProcessor(eye.image_processor(options.side), tokenizer)


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


def _batches(options: NanoOptions, start: int) -> Iterator[NDArray[np.int64]]:
    """Numbers of scenes."""
    for step in range(start, options.clip_steps):
        yield np.random.default_rng([options.seed, 5, step]).integers(options.scenes, size=_SCENES)


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
