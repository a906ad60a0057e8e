"""UniSim: a CLIP tuned on comparisons of four tasks at once, by a hinge on the cosines that decide them.

Sec. 3.3 and App. B.2, https://arxiv.org/abs/2412.10594. Only the image side learns: its attention and perceptrons
through LoRA, and the projection after them; texts stay where they are. What the paper leaves open is chosen here and
listed in docs/unisim.md.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from qbench import prompts
from qbench.errors import UserError
from qbench.images import load_pixels, open_picture
from qbench.models.checkpoint.weights import load_processor, load_weights
from qbench.records import Sample
from qbench.training.loop import Recipe, train
from qbench.training.unisim.training_sets import read_comparisons
from qbench.training.unisim.tuning import TuningOptions, add_lora, make_learner, reproducible_step

QUALITY_CAPTION = prompts.NAIVE_CAPTIONS["quality"]
"""What the better of two pictures is nearer to."""
Item = str | Path
"""A text or an image."""
Triplet = tuple[Item, Item, Item]
"""What is measured against, the alternative that is nearer to it, and the other."""
TUNED = r"vision_model\..*\.(q_proj|k_proj|v_proj|out_proj|fc1|fc2|expand_conv|project_conv|top_conv)"
"""Attention and perceptrons of the image side; of nano-clip's EfficientNet the convolutions that mix channels."""
_TUNABLE = ("clip", "vision-text-dual-encoder")
WARM_UP, DECAY = 500, 0.35
MARGIN = 0.05
"""Of the hinge, in cosines."""


@dataclass(frozen=True, kw_only=True)
class ClipTuningOptions(TuningOptions):
    """And for that of a CLIP."""

    sets: Sequence[str]
    samples: int
    """Comparisons of each task, drawn with replacement."""
    side: int | None = None
    """Pixels a side at which pictures are shown; None is the model's own."""
    workers: int = 0


def tune_clip(options: ClipTuningOptions) -> Path:
    """Train, and write a checkpoint that loads as any CLIP does; returns its folder.

    Raises:
        UserError: A set to test with, files that are not there, or a model that is no CLIP.
    """
    comparisons = read_comparisons(options.sets)
    from accelerate import Accelerator

    accelerator = Accelerator(cpu=options.device == "cpu", mixed_precision="no")  # a step chooses its own precision
    process, processes = accelerator.process_index, accelerator.num_processes
    if options.batch % processes:
        raise UserError(
            f"a batch of {options.batch} cannot be shared by {processes} processes; give a multiple of that"
        )
    found = options.find()
    if found.config.get("model_type") not in _TUNABLE:
        raise UserError(f"{options.model} is a {found.config.get('model_type')}; UniSim tunes a CLIP")
    import torch
    from transformers import AutoModel

    model = with_lora(load_weights(found, AutoModel, torch.float32), options.seed)
    processor = load_processor(found)
    batches = TripletBatches(
        {task: [to_triplet(task, sample) for sample in samples] for task, samples in sorted(comparisons.items())},
        processor,
        model.config.text_config.max_position_embeddings,
        options.batch,
        options.seed,
        options.side,
        process,
        processes,
    )
    steps = max(1, options.samples // options.batch)
    recipe = Recipe(steps, options.rate, warm_up=min(WARM_UP, max(1, steps // 5)), decay=DECAY)
    settings = {**options.settings(found, "side"), "comparisons": batches.digest, "processes": processes}
    learner = accelerator.prepare_model(triplet_learner(model, options.seed * processes + process))
    load = partial(batches.load, end=steps, workers=options.workers)
    train(learner, load, recipe, options.work, settings, writes=accelerator.is_main_process)
    if accelerator.is_main_process:
        options.write(model, processor)
    return options.out


def with_lora(model: Any, seed: int) -> Any:
    """The CLIP with LoRA on its image side; that and the projection after it learn, nothing else."""
    tuned = add_lora(model, TUNED, seed)
    tuned.base_model.model.visual_projection.requires_grad_(True)
    return tuned


def triplet_learner(tuned: Any, seed: int) -> Any:
    """A learner that holds what learns of a model with LoRA; called with a batch, it gives the hinge of each task."""
    clip = tuned.base_model.model
    tuned.eval()  # or the network's own normalisation would learn from every batch
    for name, module in tuned.named_modules():
        module.training = "lora_dropout" in name

    def losses(batch: TripletBatch) -> dict[str, Any]:
        with reproducible_step(clip.device, seed, batch.step):
            vectors = embed_batch(clip, batch)
        return {task: triplet_hinge(vectors[places.to(clip.device)]) for task, places in batch.triplets.items()}

    return make_learner(tuned, losses)


def embed_batch(clip: Any, batch: TripletBatch) -> Any:
    """Unit vectors of a batch's images, then of its texts; through the latter nothing learns."""
    import torch
    from torch.nn.functional import normalize

    with torch.no_grad():
        tokens = {name: value.to(clip.device) for name, value in batch.tokens.items()}
        texts = clip.get_text_features(**tokens).pooler_output
    pixels = batch.pixels.to(clip.device)
    resized = {"interpolate_pos_encoding": True} if clip.config.model_type == "clip" else {}
    images = clip.get_image_features(pixel_values=pixels, **resized).pooler_output
    return normalize(torch.cat([images, texts]).float(), dim=-1)


def triplet_hinge(triplets: Any) -> Any:
    """Mean of what the right alternative's lead in cosine lacks of the margin (Sec. 3.3).

    Args:
        triplets: Comparison × 3 × width: unit vectors of what is measured against, the right alternative, the other.
    """
    against, right, other = triplets.unbind(dim=1)
    lead = (against * (right - other)).sum(dim=-1)
    return (MARGIN - lead).clamp(min=0).mean()


def to_triplet(task: str, sample: Sample) -> Triplet:
    """A comparison by what is right in it."""
    images = tuple(map(Path, sample.images))
    captions: dict[str, Item] = {"it-2afc": "".join(sample.texts[:1]), "iqa-2afc": QUALITY_CAPTION}
    against = captions.get(task, images[0])
    alternatives: Sequence[Item] = sample.texts if task == "text-2afc" else images[-2:]
    assert sample.answer is not None
    return against, alternatives[sample.answer], alternatives[1 - sample.answer]


@dataclass(frozen=True)
class TripletBatch:
    """Comparisons of every task; an image or a text that is in several is there once."""

    step: int
    pixels: Any
    tokens: Mapping[str, Any]
    triplets: Mapping[str, Any]
    """Task -> comparison × 3: places among the images followed by the texts."""


@dataclass(frozen=True)
class TripletBatches:
    """Step -> batch, equally many comparisons of every task, drawn with replacement."""

    pools: Mapping[str, Sequence[Triplet]]
    """Task -> what is drawn from."""
    processor: Any
    longest: int
    """Tokens that the model reads of a text."""
    size: int
    """How many of each task, over all processes."""
    seed: int
    side: int | None = None
    """Pixels a side at which pictures are shown; None is as the processor does."""
    process: int = 0
    """Which of the processes that train together this is; it takes its share of each batch."""
    processes: int = 1

    @property
    def digest(self) -> str:
        """SHA-256 of what is drawn from: images by their names in their folder, which says how they were made."""
        named = {
            task: [
                ["/".join(item.parts[-2:]) if isinstance(item, Path) else item for item in triplet] for triplet in pool
            ]
            for task, pool in self.pools.items()
        }
        return hashlib.sha256(json.dumps(named).encode()).hexdigest()

    def __getitem__(self, step: int) -> TripletBatch:
        import torch

        generator = np.random.default_rng([self.seed, 7, step])
        places = {task: generator.integers(len(pool), size=self.size) for task, pool in self.pools.items()}
        drawn = {
            task: [self.pools[task][at] for at in chosen[self.process :: self.processes]]
            for task, chosen in places.items()
        }
        items = {item for chosen in drawn.values() for triplet in chosen for item in triplet}
        images = sorted((item for item in items if isinstance(item, Path)), key=str)
        texts = sorted(item for item in items if isinstance(item, str))
        place = {item: number for number, item in enumerate([*images, *texts])}
        triplets = {
            task: torch.tensor([[place[item] for item in triplet] for triplet in chosen])
            for task, chosen in drawn.items()
        }
        pixels = [load_pixels(open_picture(image)) for image in images]
        square = {"height": self.side, "width": self.side}
        size: dict[str, Any] = {"size": {"shortest_edge": self.side}, "crop_size": square} if self.side else {}
        values = self.processor.image_processor(pixels, return_tensors="pt", **size)["pixel_values"]
        cut = {"padding": True, "truncation": True, "max_length": self.longest}
        tokens = self.processor.tokenizer(texts or [QUALITY_CAPTION], return_tensors="pt", **cut)
        return TripletBatch(step, values, dict(tokens), triplets)

    def load(self, first: int, end: int, workers: int) -> Iterable[TripletBatch]:
        """The batches of these steps, made ahead by other processes where there are any."""
        from torch.utils.data import DataLoader

        steps: Any = range(first, end)
        loader: Iterable[TripletBatch] = DataLoader(self, batch_size=None, sampler=steps, num_workers=workers)
        return loader
