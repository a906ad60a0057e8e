"""nano-clip: a small CLIP trained from nothing on damaged photos.

It learns together: which of two pictures is better, by a hinge on their scores as UniSim does for comparisons
(https://arxiv.org/abs/2412.10594, Sec. 3.3); what was done to a picture, against the captions of the others in the
batch; which pictures show the same scene, and which of two versions is closer to the clean one; which has more of an
attribute; and what texture every patch has.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from qbench.datasets.demo.damage import DAMAGE_WORDS, Damage
from qbench.datasets.demo.descriptions import caption
from qbench.training.loop import Recipe, train
from qbench.training.nano import vision
from qbench.training.nano.losses import TEXTS, damage_maps, view_losses
from qbench.training.nano.photos import read_photos
from qbench.training.nano.scenes import KINDS, VIEWS, Scene, Scenes, calibrate, stack_pixels, without_pixels
from qbench.training.nano.texture import STATISTICS, texture
from qbench.training.nano.tokens import clip_tokenizer

SUMMARY_STEPS, SUMMARY_SCENES = 1200, 128
"""Steps that train on summaries alone, before the other steps, and scenes in each."""
_FIRST_LOOK = 250
"""Scenes that the first weights are set by."""
SMALL, MIDDLE = 160, 320
"""Sides of the crops that most steps see: a fifth of them the larger."""
WHOLE_SHARE = 0.08
"""Share of the steps, at the end, that see whole photos."""
WEIGHTS: Mapping[str, float] = {
    "quality": 2.0,
    "rank": 20.0,
    "attribute": 15.0,
    "caption": 0.5,
    "scene": 0.3,
    "closer": 10.0,
    "direct": 9.0,
    "kind": 0.5,
    "place": 1.0,
    "texture": 1.0,
}
"""Loss -> what it counts. The last four train heads that only help and are not kept."""
TEXTURE_EVERY = 3
"""One view in this many has its texture as a target."""
TEXTURE_LAYER = 2
"""The layer after which the texture of patches is read."""
TEXT_CONFIG = {
    "hidden_size": 128,
    "intermediate_size": 384,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "max_position_embeddings": 64,
    "hidden_act": "gelu",
}


@dataclasses.dataclass(frozen=True)
class ClipOptions:
    """What can be chosen for a training run."""

    photos: Path
    out: Path
    work: Path
    steps: int
    scenes: int
    """Small scenes a step, of four views each; of larger ones fewer."""
    glances: int
    """Scenes that the last layers learn from first, by the summary of each view alone."""
    seed: int = 0
    workers: int = 1
    device: str = "cpu"


def train_clip(options: ClipOptions) -> Path:
    """Train, and write a checkpoint that loads as any CLIP does; returns its folder."""
    photos = read_photos(options.photos)
    calibration = calibrate(photos, SMALL / vision.SIDE, options.seed)
    model, processor = build_clip(options.seed)
    first = Scenes(photos, calibration, vision.SIDE, options.seed + 1)
    readout = vision.initialise(
        model.vision_model, stack_pixels(first[SMALL, index] for index in range(_FIRST_LOOK)), options.seed
    )
    learner = clip_learner(model, processor.tokenizer, readout).to(options.device)
    settings = {"photos": photos.digest} | {name: getattr(options, name) for name in ("scenes", "glances", "seed")}
    recipe = Recipe(steps=SUMMARY_STEPS, rate=1e-3)
    train(
        summary_learner(learner),
        partial(_summary_batches, learner, first, options),
        recipe,
        options.work / "judging",
        settings,
    )
    recipe = Recipe(steps=options.steps, rate=5e-5, warm_up=min(50, options.steps // 5))
    batches = partial(_batches, Scenes(photos, calibration, vision.SIDE, options.seed), options)
    train(learner, batches, recipe, options.work, settings)
    model.half().save_pretrained(options.out)
    processor.save_pretrained(options.out)
    return options.out


def build_clip(seed: int) -> tuple[Any, Any]:
    """A CLIP that knows nothing yet, and its processor."""
    import torch
    from transformers import CLIPConfig, CLIPModel, CLIPProcessor

    captions = [
        caption(damage) for damage in (None, *(Damage(kind, level + 1) for kind in DAMAGE_WORDS for level in range(5)))
    ]
    tokenizer = clip_tokenizer([*captions, *TEXTS], size=900)
    ends = {name: getattr(tokenizer, name) for name in ("bos_token_id", "eos_token_id", "pad_token_id")}
    config = CLIPConfig(
        vision_config=vision.CONFIG,
        text_config={**TEXT_CONFIG, **ends, "vocab_size": len(tokenizer)},
        projection_dim=128,
    )
    torch.manual_seed(seed)
    model = CLIPModel(config)
    return model, CLIPProcessor(vision.image_processor(), tokenizer)


@dataclasses.dataclass(frozen=True)
class SceneBatch:
    """Scenes of one size, and the texture of some of their views."""

    scenes: list[Scene]
    texture: Any
    """Of one view in `TEXTURE_EVERY`, from the first."""

    @classmethod
    def of(cls, scenes: list[Scene]) -> SceneBatch:
        """The batch of these scenes."""
        return cls(scenes, texture(stack_pixels(scenes)[::TEXTURE_EVERY], vision.PATCH))


def _batches(scenes: Scenes, options: ClipOptions, start: int) -> Iterable[SceneBatch]:
    whole_from = options.steps - round(options.steps * WHOLE_SHARE)
    batches = [_scene_indices(step, options.scenes, whole_from) for step in range(start, options.steps)]
    loaded: Iterable[SceneBatch] = scenes.load(batches, options.workers, SceneBatch.of)
    return loaded


def _scene_indices(step: int, scenes: int, whole_from: int) -> list[tuple[int, int]]:
    """Size and number of each scene of a step."""
    size = vision.SIDE if step >= whole_from else MIDDLE if step % 5 == 4 else SMALL
    count = max(2, round(scenes * (SMALL / size) ** 1.5))
    return [(size, step * scenes + place) for place in range(count)]


SummaryBatch = tuple[Any, list[Scene]]
"""The summary vector of every view of some scenes, and the scenes without their pixels."""


def _summary_batches(learner: Any, scenes: Scenes, options: ClipOptions, start: int) -> Iterator[SummaryBatch]:
    """Compute the summaries of all scenes once, then draw some of them at every step."""
    import torch
    from tqdm import tqdm

    if start == SUMMARY_STEPS:
        return
    tower = learner.model.vision_model
    known: list[Scene] = []
    gathered = []
    batches = [[(SMALL, index + place) for place in range(8)] for index in range(0, options.glances, 8)]
    with torch.inference_mode():
        for batch in tqdm(scenes.load(batches, options.workers), desc="glancing", unit="batch", disable=None):
            shown = vision.to_pixel_values(stack_pixels(batch), options.device)
            gathered.append(vision.gather_summaries(tower, shown).view(len(batch), VIEWS, -1))
            known += map(without_pixels, batch)
    everything = torch.cat(gathered).clone()
    for step in range(start, SUMMARY_STEPS):
        chosen = np.random.default_rng([options.seed, 5, step]).integers(len(known), size=SUMMARY_SCENES)
        yield everything[chosen].flatten(0, 1), [known[index] for index in chosen]


def summary_learner(learner: Any) -> Any:
    """A learner of the last layers alone: called with summaries, it gives the losses that need no patches."""
    import torch

    class SummaryLearner(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.learner = learner

        def forward(self, batch: SummaryBatch) -> dict[str, torch.Tensor]:
            gathered, scenes = batch
            return _weighed(learner.judge(vision.vectors_from_summaries(learner.model.vision_model, gathered), scenes))

    return SummaryLearner()


def clip_learner(model: Any, tokenizer: Any, readout: vision.TextureReadout) -> Any:
    """The model with the heads that only help it learn; called with scenes, it gives its losses."""
    import torch
    from torch.nn import functional as f

    class Learner(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.model = model
            width = model.config.vision_config.hidden_size
            self.quality, self.kind, self.patch = (torch.nn.Linear(width, n) for n in (1, len(KINDS) + 1, 1))
            self.texture = torch.nn.Linear(width, STATISTICS)
            with torch.no_grad():
                self.texture.weight.copy_(readout.weight)
                self.texture.bias.zero_()
            self.register_buffer("mean", readout.mean)
            self.register_buffer("spread", readout.spread)

        def forward(self, batch: SceneBatch) -> dict[str, torch.Tensor]:
            shown = vision.to_pixel_values(stack_pixels(batch.scenes), model.device)
            seen = model.vision_model(shown, interpolate_pos_encoding=True, output_hidden_states=True)
            places = self.patch(seen.last_hidden_state[:, 1:])[..., 0]
            predicted = self.texture(seen.hidden_states[TEXTURE_LAYER][::TEXTURE_EVERY, 1:])
            textures = vision.standardise_texture(batch.texture.to(model.device), self.mean, self.spread)
            losses = {
                "place": f.binary_cross_entropy_with_logits(places, damage_maps(batch.scenes).to(model.device)),
                "texture": f.mse_loss(predicted, textures),
            }
            return _weighed(self.judge(seen.pooler_output, batch.scenes) | losses)

        def judge(self, whole: Any, scenes: list[Scene]) -> dict[str, torch.Tensor]:
            views = [view for scene in scenes for view in scene.views]
            listed = list(dict.fromkeys((*TEXTS, *(caption(view.damage) for view in views))))
            tokens = tokenizer(listed, return_tensors="pt", padding=True).to(model.device)
            texts = f.normalize(model.get_text_features(**tokens).pooler_output, dim=-1)
            images = f.normalize(model.visual_projection(whole), dim=-1)
            quality = torch.tensor([view.quality for view in views], device=model.device)
            kinds = torch.tensor([KINDS.index(view.damage.kind) if view.damage else len(KINDS) for view in views])
            return view_losses(images, texts, listed, model.logit_scale.exp(), scenes) | {
                "direct": f.mse_loss(self.quality(whole)[:, 0].sigmoid(), quality),
                "kind": f.cross_entropy(self.kind(whole), kinds.to(model.device)),
            }

    return Learner()


def _weighed(losses: Mapping[str, Any]) -> dict[str, Any]:
    return {name: WEIGHTS[name] * loss for name, loss in losses.items()}
