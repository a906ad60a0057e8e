"""UniSim-Bench: seven tasks of perceptual similarity, for encoders, models that score images, and models that write.

UniSim, Secs. 2.2, 3.1 and App. B and C, https://arxiv.org/abs/2412.10594; instructions of Table 6. What each task reads
of a `Sample` ("alternatives" are what may be chosen, in the order listed; `answer` is the place of the right one among
them, counted from 0, or None where it is private):

=============  ==============================  ==========  ============================================
task           images                          texts       and
=============  ==============================  ==========  ============================================
`img-2afc`     reference, 2 alternatives                   `reference` names the first image
`it-2afc`      2 to 9 alternatives             1 caption
`text-2afc`    reference                       2 captions  `reference` names the image
`iqa-2afc`     2 alternatives                              right is the better in quality
`attributes`   2 alternatives                              `groups["attribute"]`: one of `ATTRIBUTES`
`odd-one-out`  3 alternatives                              right is the odd one
`retrieval`    1 (a query, or one to search)               `relevance` of a query
=============  ==============================  ==========  ============================================

`reference` is None in the other tasks, and where there is a reference image it is the first of `images`. Every other
entry of `groups` (a difficulty, a distortion) is reported apart. Samples that are not independent, such as pairs made
from one photo or images of one prompt, share a `cluster` and are resampled together.

In retrieval, samples without `relevance` are the images to search. A query's `relevance` sorts their ids into `easy`,
`hard` and `junk`; each may be missing, all others are irrelevant, and a query that is to be ignored among the images
to search is junk of its own.

A manifest row of the first six tasks is `{"images": [...], "texts": [...], "reference": "ref.png", "label": 1}` with
what the task has of these: `images` and `texts` without the reference, which is always an image (a caption that images
are measured against is the one in `texts`); besides, as wanted, `"attribute": "sharpness"`, `"groups": {"difficulty":
"fine"}`, `"cluster": "photo 7"` and `"id"`. A retrieval manifest holds a row `{"img_path": "a.png"}` for each image to
search, whose id is that path, and a row `{"query": "q.png", "easy": ["a.png"], "hard": [], "junk": []}` for each query.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from qbench.errors import UserError
from qbench.records import Sample, Want
from qbench.tasks import Plan
from qbench.tasks.asking import choose_mode, is_encoder
from qbench.tasks.similarity import instructions, measures, retrieval
from qbench.tasks.similarity.shapes import ATTRIBUTES, TASKS, check_samples

__all__ = ["ATTRIBUTES", "TASKS", "Mode", "Similarity", "Style", "choose_way", "plan"]

Mode = Literal["text", "letter-logits", "scores", "embeddings"]
Style = Literal["paper", "code", "naive", "clip-iqa"]
_NEEDS: Mapping[Mode, Want] = {
    "text": "text",
    "letter-logits": "words",
    "scores": "score",
    "embeddings": "embedding",
}
"""Models that can write are asked, as the paper does it, even where they could also embed."""


@dataclass(frozen=True)
class Similarity:
    """How to compare: by a written answer or its letter's logit, by scores of images, or by nearness of embeddings."""

    mode: Mode | None = None
    """None takes the first of the modes above that the model can do; encoders only embed."""
    style: Style | None = None
    """Of `prompts.SIMILARITY` for models that are asked ("paper" unless told); for embeddings, which of the approaches
    of `measures` is the result ("naive" unless told). The other is reported beside it."""


def plan(task: str, samples: Sequence[Sample], wants: frozenset[Want], options: Similarity) -> Plan:
    """Ask what the task needs of the model, once.

    Raises:
        UserError: The model cannot do this task, or the samples are not of this task.
    """
    check_samples(task, samples)
    if any(len(one.images) > 2 for one in samples) and task == "it-2afc":
        samples = [replace(one, groups={**one.groups, "alternatives": str(len(one.images))}) for one in samples]
    mode = choose_way(task, wants, options.mode)
    if task == "retrieval":
        return retrieval.plan(samples)
    styles: tuple[Style, ...] = ("paper", "code")
    if mode in ("embeddings", "scores"):
        styles = ("naive", "clip-iqa") if mode == "embeddings" and task in measures.CAPTIONED else ()
    if options.style and options.style not in styles:
        known = f"knows {' and '.join(styles)}" if styles else "has no styles"
        raise UserError(f"{task} by {mode} {known}, not {options.style!r}; leave out --style or name another")
    style: str = options.style or (styles[0] if styles else "")
    if mode == "embeddings":
        return measures.plan_embeddings(task, samples, style)
    if mode == "scores":
        return measures.plan_scores(samples)
    return instructions.plan(task, samples, style, by_letter=mode == "letter-logits")


def choose_way(task: str, wants: frozenset[Want], asked: Mode | None = None) -> Mode:
    """How a model that offers this is asked; see `choose_mode`."""
    modes = {mode: want for mode, want in _NEEDS.items() if _serves(mode, task)}
    if asked and asked not in modes:
        raise UserError(f"{task} cannot be done by {asked}; leave out --mode, or choose {' or '.join(modes)}")
    usable = wants & {"embedding"} if is_encoder(wants) else wants
    mode = choose_mode(task, modes, wants, asked, usable=usable)
    if mode == "embeddings" and not is_encoder(wants) and task not in measures.IMAGES_ALONE:
        raise UserError(
            f"{task} by embeddings compares images with captions, and this model embeds images alone; leave out --mode "
            "to have it asked, or choose among CLIP, SigLIP and BLIP checkpoints"
        )
    return mode


def _serves(mode: Mode, task: str) -> bool:
    """A score of one image says which of two is better; only distances search."""
    return mode == "embeddings" or (task in measures.CAPTIONED if mode == "scores" else task != "retrieval")
