"""What tuning a CLIP and tuning a generative model have in common: a checkpoint, LoRA by `peft`, and what is written.

UniSim, App. B.2, https://arxiv.org/abs/2412.10594.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qbench.models import ModelOptions
from qbench.models.builtin import checkpoint_source
from qbench.models.checkpoint.weights import Checkpoint, checkpoint_digest, find_checkpoint

LORA: Mapping[str, Any] = {"r": 16, "lora_alpha": 32, "lora_dropout": 0.2, "bias": "none"}


@dataclass(frozen=True, kw_only=True)
class TuningOptions:
    """What can be chosen for every training run."""

    model: str
    """Hub id, folder, or one that comes with the project."""
    out: Path
    work: Path
    batch: int
    """How many comparisons of each task, or conversations, are in a step."""
    rate: float
    seed: int = 0
    device: str = "cpu"

    def find(self) -> Checkpoint:
        """The model's files."""
        return find_checkpoint(checkpoint_source(self.model), ModelOptions(device=self.device))

    def settings(self, found: Checkpoint, *chosen: str) -> dict[str, Any]:
        """What a training that is to go on must have been begun with."""
        model = found.revision or checkpoint_digest(Path(found.source))
        return {"model": model} | {name: getattr(self, name) for name in ("batch", "seed", *chosen)}

    def write(self, tuned: Any, processor: Any) -> None:
        """Write what was trained, as a checkpoint that loads as the model did."""
        tuned.merge_and_unload().save_pretrained(self.out)
        processor.save_pretrained(self.out)


def add_lora(model: Any, targets: str | list[str], seed: int) -> Any:
    """The model with LoRA on these layers, named or matched by a pattern; nothing else learns."""
    import torch
    from peft import LoraConfig, get_peft_model

    torch.manual_seed(seed)
    return get_peft_model(model, LoraConfig(**LORA, target_modules=targets))


@contextmanager
def reproducible_step(device: Any, seed: int, step: int) -> Iterator[None]:
    """Mixed precision on a GPU, and dropout that follows from seed and step alone, so that a resumed run repeats it."""
    import torch

    with torch.random.fork_rng(), torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
        torch.manual_seed(1_000_003 * seed + step)
        yield


def make_learner(tuned: Any, losses: Callable[[Any], Mapping[str, Any]]) -> Any:
    """A module that holds the weights that learn; called with a batch, it gives its losses by name."""
    import torch

    class Learner(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.learning = torch.nn.ParameterList(weight for weight in tuned.parameters() if weight.requires_grad)

        def forward(self, batch: Any) -> Mapping[str, torch.Tensor]:
            return losses(batch)

    return Learner()
