"""What can be chosen for nano-vlm's training, and what its eye makes of the views it learns from, computed once."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qbench.models.iqa.features import as_batch
from tools.nano import eye
from tools.nano.conversations import answer_shares
from tools.nano.iqa import read_whole_photos
from tools.nano.options import NANO_IQA, Options
from tools.nano.packing import image_tokens
from tools.nano.phone import phone_views
from tools.nano.photos import Photos
from tools.nano.question_scenes import UNJUDGED, question_scene, question_scenes
from tools.nano.scenes import VIEWS, Scenes, SceneView, calibrate, stack_pixels
from tools.nano.taught import LARGE, SMALL, Lesson, judge, scorer, taught_views

_SHARP = 600
"""Pixels of the shorter side of photos from which large views are taken."""
_VIEWS_A_SCENE = 5
"""How many of those views there are for each scene that the teacher judges."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class VlmOptions(Options):
    """What can be chosen for a training run."""

    eye: Path
    """The folder of an EfficientNet, from `eye`, or of a checkpoint with one."""
    teacher: Path = NANO_IQA
    """A scorer, from `iqa`."""
    onward: Path | None = None
    """A checkpoint that looks through this eye, and is only taught what the scorer says."""
    reading: int = 1500
    """Steps on pictures described in words, which come first."""
    glances: int = 600
    """Steps of looking at parts of photos, before those of looking at whole ones."""
    steps: int = 150
    """Steps of looking at whole photos."""
    questions: int = 850
    """Steps on questions whose answers are evenly spread."""
    taught: int = 300
    """Steps on what the teacher says, which come last."""
    scenes: int = 200
    """How many scenes of four pictures are seen and kept; twice as many of parts of photos."""
    question_scenes: int = 600
    """How many scenes those questions are asked about."""
    taught_views: int = 1200
    """How many views the teacher judges, half of them large, besides a fifth as many scenes."""
    rows: int = 8
    """Of one to three pictures, in a step of looking."""
    workers: int = 1
    """Processes that damage photos."""


@dataclasses.dataclass(frozen=True)
class ViewFeatures:
    """Features of pictures from the vision tower, and what is known of the pictures."""

    features: NDArray[np.float16]
    """Picture × token × width; four pictures of each scene lie together, then come those from the chain of a phone."""
    views: Sequence[SceneView]
    """Of the scenes."""
    rated: Sequence[float] = ()
    """Quality of the others."""


def cache_features(photos: Photos, options: VlmOptions, side: int, count: int) -> ViewFeatures:
    """The features of every view of some scenes, this many pixels a side of a photo at full size, computed once."""
    import torch
    from tqdm import tqdm

    calibration = calibrate(photos, side / eye.SIDE, options.seed)
    scenes = Scenes(photos, calibration, eye.SIDE, options.seed + 1)
    batches = [[(side, index)] for index in range(count)]
    tower, phones = eye.open_eye(options.eye, options.device), count // 2
    shape = VIEWS * count + phones, image_tokens(side), tower.config.hidden_dim
    features = np.empty(shape, np.float16)
    views: list[SceneView] = []
    rated: list[float] = []

    def look(place: int, pictures: NDArray[np.uint8]) -> None:
        features[place : place + len(pictures)] = _tokens_of(tower, pictures, options)

    with torch.inference_mode():
        for batch in tqdm(scenes.load(batches, options.workers), desc="looking", unit="scene", disable=None):
            look(len(views), stack_pixels(batch))
            views += eye.judged_views(batch)
        made = phone_views(photos, calibration, side, eye.SIDE, options.seed + 1, phones)
        for pixels, quality in tqdm(made, desc="phones", unit="view", total=phones, disable=None):
            look(len(views) + len(rated), pixels[None])
            rated.append(quality)
    return ViewFeatures(features, views, rated)


def _tokens_of(tower: Any, pictures: NDArray[np.uint8], options: VlmOptions) -> NDArray[np.float16]:
    """What the vision tower makes of pictures: picture × token × width."""
    seen = tower(as_batch(pictures, options.device)).last_hidden_state
    tokens: NDArray[np.float16] = seen.flatten(2).transpose(1, 2).half().cpu().numpy()
    return tokens


def add_question_scenes(photos: Photos, options: VlmOptions, known: ViewFeatures) -> ViewFeatures:
    """The views of scenes to ask about, whose quality follows from those that are known, after these."""
    import torch
    from tqdm import tqdm

    tower, count = eye.open_eye(options.eye, options.device), options.question_scenes
    features = np.empty((VIEWS * count, *known.features.shape[1:]), np.float16)
    views: list[SceneView] = []
    made = question_scenes(photos, known.views, eye.SIDE, options.seed, count)
    with torch.inference_mode():
        for scene in tqdm(made, desc="questions", unit="scene", total=count, disable=None):
            pixels = np.stack([view.pixels for view in scene])
            features[len(views) : len(views) + VIEWS] = _tokens_of(tower, pixels, options)
            views += [dataclasses.replace(view, pixels=view.pixels[:0].copy()) for view in scene]
    scenes = len(known.views)
    together = np.concatenate([known.features[:scenes], features, known.features[scenes:]])
    return ViewFeatures(together, [*known.views, *views], known.rated)


def cache_taught(photos: Photos, options: VlmOptions) -> tuple[ViewFeatures, Lesson]:
    """Scenes to ask about, and large and small views of whole photos, all of which the teacher judges."""
    import torch
    from tqdm import tqdm

    score, size, seed = scorer(options.teacher, options.device), eye.SIDE, options.seed + 2
    sharp = [image for image in read_whole_photos(options.photos)[0] if min(image.size) >= _SHARP]
    large = options.taught_views // 2
    scenes = max(1, options.taught_views // _VIEWS_A_SCENE)

    def made() -> Iterator[SceneView]:
        for index in range(scenes):
            for view in question_scene(photos, *UNJUDGED, size, seed, index):
                yield judge(view, score)
        yield from taught_views(sharp or photos.images, LARGE, score, size, seed, large)
        yield from taught_views(photos.images, SMALL, score, size, seed, options.taught_views - large)

    tower, total = eye.open_eye(options.eye, options.device), VIEWS * scenes + options.taught_views
    features: list[NDArray[np.float16]] = []
    views: list[SceneView] = []
    with torch.inference_mode():
        for view in tqdm(made(), desc="taught", unit="view", total=total, disable=None):
            features.append(_tokens_of(tower, view.pixels[None], options))
            views.append(dataclasses.replace(view, pixels=view.pixels[:0].copy()))
    known = VIEWS * scenes
    shares = answer_shares(views[:known], np.random.default_rng([options.seed, 9]))
    return ViewFeatures(np.concatenate(features), views), Lesson(views, known, large, shares)
