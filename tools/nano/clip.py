"""nano-clip: captions of how a photo looks, brought to where nano-vlm's vision tower sees it.

The tower stays as it is, so every view is looked at once; the projection after it and the text side learn. They learn
together: which of two pictures is better, by a hinge on their scores as UniSim does for comparisons
(https://arxiv.org/abs/2412.10594, Sec. 3.3), where nano-iqa has its say on views from the chain of a phone; what was
done to a picture, against the captions of the others in the batch; which pictures show the same scene, and which of two
versions is closer to the clean one; and which has more of an attribute.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from qbench.models.iqa.features import as_batch, open_backbone
from qbench.training.loop import Recipe, train
from tools.demo.damage import DAMAGE_WORDS, Damage
from tools.demo.descriptions import caption
from tools.nano import eye
from tools.nano.losses import TEXTS, quality_losses, view_losses
from tools.nano.options import NANO_IQA, Options
from tools.nano.phone import phone_views
from tools.nano.photos import Photos, read_photos
from tools.nano.scenes import VIEWS, Scene, Scenes, calibrate, stack_pixels, without_pixels
from tools.nano.tokens import clip_tokenizer

_WHOLE = 9
"""Scenes of parts of photos to one of a whole photo."""
_SCENES, _FROM_WHOLE, _PHONES = 24, 3, 48
"""Scenes of a step, how many of these of whole photos, and views from the chain of a phone."""
_WIDTH = 256
"""Of the vectors that images and texts have in common."""
SAVE_EVERY = 100
"""Steps between checkpoints."""
_DIRECTIONS = 256
"""How many directions in which views differ most are kept of what the eye sees."""
_RIDGE, _LEVEL = 0.3, 0.01
"""Variance, in that of one channel, below which a direction is held back, or the constant one not asked to be even."""
WEIGHTS: Mapping[str, float] = {
    "quality": 2.0,
    "rank": 10.0,
    "attribute": 60.0,
    "caption": 4.0,
    "match": 160.0,
    "scene": 7.0,
    "closer": 10.0,
    "phone quality": 2.0,
    "phone rank": 10.0,
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


@dataclasses.dataclass(frozen=True, kw_only=True)
class ClipOptions(Options):
    """What can be chosen for a training run."""

    eye: Path
    """The folder of an EfficientNet, from `eye`, or of a checkpoint with one."""
    teacher: Path = NANO_IQA
    """A scorer, from `iqa`."""
    steps: int = 800
    scenes: int = 450
    """How many scenes of parts of photos, of four pictures each, are seen, and as many views from a phone's chain."""
    workers: int = 1
    """Processes that damage photos."""


@dataclasses.dataclass(frozen=True)
class SeenViews:
    """What the eye makes of views, a row each, and what is known of them."""

    vectors: Vectors
    """The four views of each scene together."""
    scenes: Sequence[Scene]
    """Without their pixels."""
    phones: Vectors
    """Of views from the chain of a phone."""
    rated: NDArray[np.float32]
    """The quality of those."""


def train_clip(options: ClipOptions) -> Path:
    """Train, and write a checkpoint that loads as any encoder of images and texts; returns its folder."""
    photos = read_photos(options.photos)
    model, processor = build_clip(options.eye, options.seed)
    seen = look(photos, options)
    basis = fit_basis(np.concatenate([seen.vectors, seen.phones]))
    learner = clip_learner(model, processor.tokenizer, seen, basis).to(options.device)
    settings = {"photos": photos.digest} | {name: getattr(options, name) for name in ("scenes", "seed")}
    settings |= {name: eye.digest(getattr(options, name)) for name in ("eye", "teacher")}
    recipe = Recipe(options.steps, rate=2e-3, warm_up=min(50, options.steps // 5), save_every=SAVE_EVERY)
    train(learner, partial(_batches, seen, options), recipe, options.work, settings)
    learner.put_projection()
    model.half().save_pretrained(options.out)
    processor.save_pretrained(options.out)
    return options.out


def build_clip(tower: Path, seed: int) -> tuple[Any, Any]:
    """An encoder with this eye, whose other parts know nothing yet, and its processor."""
    import torch
    from transformers import (
        CLIPTextConfig,
        CLIPTextModel,
        VisionTextDualEncoderConfig,
        VisionTextDualEncoderModel,
        VisionTextDualEncoderProcessor,
    )

    seeing = eye.read_eye(tower)
    seeing.config.image_size = eye.SIDE
    captions = [
        caption(damage) for damage in (None, *(Damage(kind, level + 1) for kind in DAMAGE_WORDS for level in range(5)))
    ]
    tokenizer = clip_tokenizer([*captions, *TEXTS], size=900)
    ends = {name: getattr(tokenizer, name) for name in ("bos_token_id", "eos_token_id", "pad_token_id")}
    torch.manual_seed(seed)
    reading = CLIPTextModel(CLIPTextConfig(**TEXT_CONFIG, **ends, vocab_size=len(tokenizer)))
    config = VisionTextDualEncoderConfig.from_vision_text_configs(seeing.config, reading.config, projection_dim=_WIDTH)
    model = VisionTextDualEncoderModel(config, seeing, reading).eval()
    return model, VisionTextDualEncoderProcessor(eye.image_processor(), tokenizer)


def look(photos: Photos, options: ClipOptions) -> SeenViews:
    """Look at every view once."""
    import torch
    from tqdm import tqdm

    from qbench.models.iqa.features import look
    from qbench.models.iqa.heads import read_heads

    tower, teaching = eye.open_eye(options.eye, options.device), open_backbone(options.teacher, options.device)
    heads = read_heads(options.teacher)

    def vectors(pixels: NDArray[np.uint8]) -> Vectors:
        with torch.inference_mode():
            means: Vectors = tower(as_batch(pixels, options.device)).last_hidden_state.mean(dim=(2, 3)).cpu().numpy()
        return means

    seen: list[Vectors] = []
    known: list[Scene] = []
    for side, count in ((eye.CROP, options.scenes), (eye.SIDE, max(1, options.scenes // _WHOLE))):
        calibration = calibrate(photos, side / eye.SIDE, options.seed)
        scenes = Scenes(photos, calibration, eye.SIDE, options.seed)
        batches = [[(side, index)] for index in range(count)]
        for batch in tqdm(scenes.load(batches, options.workers), desc="looking", unit="scene", disable=None):
            seen.append(vectors(stack_pixels(batch)))
            known += [
                dataclasses.replace(without_pixels(scene), views=(*eye.judged_views([scene]),)) for scene in batch
            ]
    calibration = calibrate(photos, eye.CROP / eye.SIDE, options.seed)
    made = phone_views(photos, calibration, eye.CROP, eye.SIDE, options.seed, options.scenes)
    phones, rated = [], []
    for pixels, quality in tqdm(made, desc="phones", unit="view", total=options.scenes, disable=None):
        phones.append(vectors(pixels[None]))
        taught = heads.rate(look(teaching, Image.fromarray(pixels)).features()).score / 100
        rated.append((quality + np.clip(taught, 0, 1)) / 2)
    return SeenViews(np.concatenate(seen), known, np.concatenate(phones), np.array(rated, np.float32))


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


Batch = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Numbers of scenes, and of views from the chain of a phone."""


def _batches(seen: SeenViews, options: ClipOptions, start: int) -> Iterator[Batch]:
    for step in range(start, options.steps):
        generator = np.random.default_rng([options.seed, 5, step])
        parts = generator.integers(options.scenes, size=_SCENES - _FROM_WHOLE)
        whole = generator.integers(options.scenes, len(seen.scenes), size=_FROM_WHOLE)
        yield np.concatenate([parts, whole]), generator.integers(len(seen.rated), size=_PHONES)


def clip_learner(model: Any, tokenizer: Any, seen: SeenViews, basis: Vectors) -> Any:
    """All of the model but its eye; called with numbers of views, it gives its losses."""
    import torch
    from torch.nn import functional as f

    device = model.device
    shown = torch.from_numpy(seen.vectors @ basis.T).unflatten(0, (-1, VIEWS))
    phones, rated = torch.from_numpy(seen.phones @ basis.T), torch.from_numpy(seen.rated)

    class Learner(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.reading, self.text_projection = model.text_model, model.text_projection
            self.scale = model.logit_scale
            self.projection = torch.nn.Linear(len(basis), model.config.projection_dim, bias=False)

        def forward(self, batch: Batch) -> dict[str, torch.Tensor]:
            chosen, from_phones = batch
            scenes = [seen.scenes[number] for number in chosen]
            listed = list(dict.fromkeys((*TEXTS, *(caption(view.damage) for scene in scenes for view in scene.views))))
            tokens = tokenizer(listed, return_tensors="pt", padding=True).to(device)
            texts = f.normalize(self.text_projection(self.reading(**tokens).pooler_output), dim=-1)
            images = self.look(shown[chosen].flatten(0, 1))
            losses = view_losses(images, texts, listed, self.scale.exp(), scenes)
            judged = quality_losses(self.look(phones[from_phones]) @ texts.T, listed, rated[from_phones].to(device))
            losses |= {f"phone {name}": loss for name, loss in judged.items()}
            return {name: WEIGHTS[name] * loss for name, loss in losses.items()}

        def look(self, vectors: torch.Tensor) -> torch.Tensor:
            return f.normalize(self.projection(vectors.to(device)), dim=-1)

        def put_projection(self) -> None:
            """Give the model the projection, of what its eye sees."""
            with torch.no_grad():
                model.visual_projection.weight.copy_(self.projection.weight @ torch.from_numpy(basis).to(device))

    return Learner()
