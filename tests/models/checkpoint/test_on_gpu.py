"""The engine on a GPU, `-m gpu`: every architecture answers there as on the CPU, alone as in a batch.

Logits in bfloat16 differ from those in float32, so agreement is asked of their order and not of their digits.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr

from qbench.models import Model, ModelOptions, open_model
from qbench.records import Picture, Prompt, Want
from tests.models.tiny import KINDS

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="this machine has no CUDA device"),
]
WORDS = ("good", "poor", "sharp", "blurry")
ENCODERS = ("clip", "siglip", "blip")


def figures(model: Model, prompts: list[Prompt], want: Want) -> np.ndarray:
    """Logits or losses, a row a prompt."""
    answers = model.respond(prompts)
    assert [answer.failure for answer in answers] == [None] * len(prompts)
    return np.array([[getattr(answer, want)[word] for word in WORDS] for answer in answers])


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_an_architecture_answers_on_the_gpu_as_on_the_cpu(
    kind: str, folder_of: Callable[[str], Path], opened: Callable[[str], Model], pictures: list[Picture]
) -> None:
    there = open_model(str(folder_of(kind)), ModelOptions(device="cuda"))
    prompts = [Prompt("words", (picture, "How is this?"), words=WORDS) for picture in pictures]
    here = figures(opened(kind), prompts, "logits")
    batch = figures(there, prompts, "logits")
    alone = np.concatenate([figures(there, [prompt], "logits") for prompt in prompts])
    assert spearmanr(batch.ravel(), here.ravel()).statistic > 0.95
    assert spearmanr(batch.ravel(), alone.ravel()).statistic > 0.98
    if kind not in ENCODERS:
        [text] = there.respond([Prompt("text", (pictures[0], "What is this?"), max_tokens=8)])
        assert text.failure is None and text.text is not None
