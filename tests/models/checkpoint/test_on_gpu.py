"""The engine on a GPU: every architecture answers there as on the CPU, alone as in a batch, whatever it can be asked.

`-m gpu` runs it on a GPU. Without one the device is emulated: the same half precision and the same caches on the CPU.
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
from qbench.models.checkpoint import weights
from qbench.records import Picture, Prompt, Want
from qbench.tasks.task import is_encoder
from tests.models.tiny import KINDS

WORDS = ("good", "poor", "sharp", "blurry")
Open = Callable[[str], Model]


@pytest.fixture(
    params=[
        pytest.param("cuda", marks=pytest.mark.gpu),
        pytest.param("emulated", marks=pytest.mark.slow(reason="every architecture, in half precision on a CPU")),
    ]
)
def on_gpu(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, folder_of: Callable[[str], Path]) -> Open:
    """Kind of architecture -> the tiny checkpoint on the GPU."""
    if request.param == "cuda" and not torch.cuda.is_available():
        pytest.skip("this machine has no CUDA device")

    def open_emulated(kind: str) -> Model:
        move = torch.nn.Module.to
        with monkeypatch.context() as patch:  # ends before another model is opened
            patch.setattr(weights, "pick_device", lambda _wanted: "cuda")
            patch.setattr(weights, "device_map", lambda _device, _method: None)
            patch.setattr(torch.cuda, "is_bf16_supported", lambda **_: True)
            patch.setattr(torch.nn.Module, "to", lambda model, place: move(model, "cpu" if place == "cuda" else place))
            return open_model(str(folder_of(kind)))

    if request.param == "emulated":
        return open_emulated
    return lambda kind: open_model(str(folder_of(kind)), ModelOptions(device="cuda"))


def figures(model: Model, prompts: list[Prompt]) -> np.ndarray:
    """Logits or losses, a row a prompt."""
    answers = model.respond(prompts)
    assert [answer.failure for answer in answers] == [None] * len(prompts)
    return np.array([[(answer.logits or answer.losses)[word] for word in WORDS] for answer in answers])


def alike(some: np.ndarray, others: np.ndarray) -> float:
    return float(spearmanr(some.ravel(), others.ravel()).statistic)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_an_architecture_answers_on_the_gpu_as_on_the_cpu(
    kind: str, on_gpu: Open, opened: Open, pictures: list[Picture]
) -> None:
    there, here = on_gpu(kind), opened(kind)
    assert there.wants == here.wants
    assert there.identity["dtype"] == ("float32" if is_encoder(there.wants) else "bfloat16")
    question = () if is_encoder(there.wants) else ("How is this?",)
    weighed: list[Want] = [want for want in ("words", "losses") if want in there.wants]
    assert weighed
    for want in weighed:
        prompts = [Prompt(want, (picture, *question), words=WORDS) for picture in pictures]
        batch, alone = figures(there, prompts), np.concatenate([figures(there, [prompt]) for prompt in prompts])
        assert alike(batch, figures(here, prompts)) > 0.95
        assert alike(batch, alone) > 0.95  # rounding depends on what is read together
    if "embedding" in there.wants:
        shown = [Prompt("embedding", (picture,)) for picture in pictures]
        for mine, theirs in zip(there.respond(shown), here.respond(shown), strict=True):
            assert np.corrcoef(mine.embedding, theirs.embedding)[0, 1] > 0.99
    if "text" in there.wants:
        [text] = there.respond([Prompt("text", (pictures[0], "What is this?"), max_tokens=8)])
        assert (text.failure, text.text is not None) == (None, True)
