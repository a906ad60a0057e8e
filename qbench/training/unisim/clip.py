"""UniSim: a CLIP tuned on comparisons of four tasks at once, by a hinge on the cosines that decide them.

Sec. 3.3 and App. B.2, https://arxiv.org/abs/2412.10594. Only the image side learns: its attention and perceptrons
through LoRA, and the projection after them; texts stay where they are. What the paper leaves open is chosen here and
listed in docs/unisim-training.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from qbench.errors import UserError
from qbench.models import ModelOptions
from qbench.models.builtin import checkpoint_source
from qbench.models.checkpoint.weights import (
    Checkpoint,
    checkpoint_digest,
    find_checkpoint,
    load_processor,
    load_weights,
)
from qbench.training.loop import Recipe, train
from qbench.training.unisim.batches import TripletBatch, TripletBatches, to_triplet
from qbench.training.unisim.lora import add_lora, reproducible_step
from qbench.training.unisim.sets import check_names, read_comparisons

TUNED = r"vision_model\..*\.(q_proj|k_proj|v_proj|out_proj|fc1|fc2|expand_conv|project_conv|top_conv)"
"""Attention and perceptrons of the image side; of nano-clip's EfficientNet the convolutions that mix channels."""
_TUNABLE = ("clip", "vision-text-dual-encoder")
WARM_UP, DECAY = 500, 0.35
MARGIN = 0.05
"""Of the hinge, in cosines."""


@dataclass(frozen=True)
class ClipTuningOptions:
    """What can be chosen for a training run."""

    model: str
    """A CLIP: Hub id, folder, or nano-clip."""
    sets: Sequence[str]
    out: Path
    work: Path
    samples: int
    """Comparisons of each task, drawn with replacement."""
    batch: int
    """Comparisons of each task in a step."""
    rate: float
    side: int | None = None
    """Pixels a side at which pictures are shown; None is the model's own."""
    seed: int = 0
    workers: int = 0
    device: str = "cpu"


def tune_clip(options: ClipTuningOptions) -> Path:
    """Train, and write a checkpoint that loads as any CLIP does; returns its folder.

    Raises:
        UserError: A set to test with, files that are not there, or a model that is no CLIP.
    """
    check_names(options.sets)
    from accelerate import Accelerator

    accelerator = Accelerator(cpu=options.device == "cpu", mixed_precision="no")  # a step chooses its own precision
    process, processes = accelerator.process_index, accelerator.num_processes
    if options.batch % processes:
        raise UserError(
            f"a batch of {options.batch} cannot be shared by {processes} processes; give a multiple of that"
        )
    found = find_checkpoint(checkpoint_source(options.model), ModelOptions(device=options.device))
    if found.config.get("model_type") not in _TUNABLE:
        raise UserError(f"{options.model} is a {found.config.get('model_type')}; UniSim tunes a CLIP")
    model, processor = with_lora(_load(found), options.seed), load_processor(found)
    comparisons = read_comparisons(options.sets)
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
    settings = {
        "model": found.revision or checkpoint_digest(Path(found.source)),
        "comparisons": batches.digest,
        "processes": processes,
        **{name: getattr(options, name) for name in ("batch", "side", "seed")},
    }
    learner = accelerator.prepare_model(triplet_learner(model, options.seed * processes + process))
    load = partial(batches.load, end=steps, workers=options.workers)
    train(learner, load, recipe, options.work, settings, writes=accelerator.is_main_process)
    if accelerator.is_main_process:
        model.merge_and_unload().save_pretrained(options.out)
        processor.save_pretrained(options.out)
    return options.out


def _load(found: Checkpoint) -> Any:
    import torch
    from transformers import AutoModel

    return load_weights(found, AutoModel, torch.float32)


def with_lora(model: Any, seed: int) -> Any:
    """The CLIP with LoRA on its image side; that and the projection after it learn, nothing else."""
    tuned = add_lora(model, TUNED, seed)
    tuned.base_model.model.visual_projection.requires_grad_(True)
    return tuned


def triplet_learner(tuned: Any, seed: int) -> Any:
    """A learner that holds what learns of a model with LoRA; called with a batch, it gives the hinge of each task."""
    import torch

    clip = tuned.base_model.model
    tuned.eval()  # or the network's own normalisation would learn from every batch
    for name, module in tuned.named_modules():
        module.training = "lora_dropout" in name

    class Learner(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.learning = torch.nn.ParameterList(weight for weight in tuned.parameters() if weight.requires_grad)

        def forward(self, batch: TripletBatch) -> dict[str, torch.Tensor]:
            with reproducible_step(clip.device, seed, batch.step):
                vectors = embed_batch(clip, batch)
            return {task: triplet_hinge(vectors[places.to(clip.device)]) for task, places in batch.triplets.items()}

    return Learner()


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
