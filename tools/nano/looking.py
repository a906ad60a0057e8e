"""What the eye makes of scenes of whole photos, from which nano-vlm and nano-clip learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from qbench.models.iqa.features import as_batch
from tools.nano.eye import open_eye
from tools.nano.iqa import open_scorer
from tools.nano.options import NanoOptions
from tools.nano.photos import Photos, middle
from tools.nano.scenes import View, in_files, make_pictures, measure, plan_scene

_SEED = 2
"""Keeps these scenes apart from those that the eye and nano-iqa learnt from."""
_TAUGHT = 2 / 3
"""What nano-iqa's word counts beside the level of damage: it also says which of two different photos looks better."""


@dataclass(frozen=True)
class Seen:
    """Views, those of a scene together."""

    tokens: NDArray[np.float16]
    """View × token × width."""
    views: Sequence[View]


def look_at_scenes(photos: Photos, options: NanoOptions) -> Seen:
    """Look at every view once; whichever model is made first leaves what was seen to the other."""
    import torch

    tower, seed = open_eye(options.eye, options.device), options.seed + _SEED
    score = open_scorer(options.scorer, options.device)

    def look(number: int) -> dict[str, NDArray[Any]]:
        made = make_pictures(photos, plan_scene(seed, number), seed, number)
        shown = [middle(Image.fromarray(pixels), options.side) for pixels in made]
        with torch.inference_mode():
            maps = tower(as_batch([np.asarray(image) for image in shown], options.device)).last_hidden_state
        tokens = maps.flatten(2).transpose(1, 2).half().cpu().numpy()
        scores = np.array([score(pixels) for pixels in made])
        return {"tokens": tokens, "scores": scores, "attributes": np.array([*map(measure, shown)])}

    seen = in_files(options.work / "whole photos", options.scenes, look)
    views = [view for number in range(options.scenes) for view in plan_scene(seed, number)]
    known = zip(views, np.clip(seen["scores"] / 100, 0.01, 0.99), seen["attributes"], strict=True)
    views = [
        replace(
            view, quality=_TAUGHT * float(score) + (1 - _TAUGHT) * view.by_level, attributes=tuple(map(float, measured))
        )
        for view, score, measured in known
    ]
    return Seen(seen["tokens"], views)
