"""Vision towers in larger steps: the same vectors in far fewer calls."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForImageTextToText

from qbench.models.checkpoint.vision_towers import BY_LENGTH, attend_by_length, speed_up_vision


def test_windows_of_several_lengths_are_what_each_is_alone() -> None:
    random = torch.Generator().manual_seed(1)
    query, key, value = (torch.randn(1, 2, 19, 8, generator=random) for _ in range(3))
    bounds = [0, 4, 8, 9, 13, 19]
    grouped, _ = attend_by_length(None, query, key, value, scaling=0.3, cu_seq_lens_q=torch.tensor(bounds))
    for first, end in pairwise(bounds):
        mine, keys, values = (states[0, :, first:end] for states in (query, key, value))
        weights = torch.softmax(0.3 * mine @ keys.transpose(1, 2), dim=-1)
        torch.testing.assert_close(grouped[0, first:end], (weights @ values).transpose(0, 1))


@pytest.mark.parametrize("kind", ["qwen2.5-vl", "qwen3-vl", "glm4v"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_an_encoder_gives_the_same_vectors_in_fewer_calls(
    kind: str, dtype: torch.dtype, folder_of: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = AutoModelForImageTextToText.from_pretrained(folder_of(kind), dtype=dtype).eval()
    settings = model.config.vision_config
    patch = settings.patch_size**2 * 3 * settings.temporal_patch_size
    grid = torch.tensor([[1, 10, 12]] * 3)  # three images of equal size
    pixels = torch.randn(int(grid.prod(dim=1).sum()), patch, generator=torch.Generator().manual_seed(2)).to(dtype)
    calls, attention = [0], torch.nn.functional.scaled_dot_product_attention

    def counted(*states: torch.Tensor, **settings: object) -> torch.Tensor:
        calls[0] += 1
        return attention(*states, **settings)

    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", counted)

    def vectors() -> tuple[torch.Tensor, int]:
        calls[0] = 0
        with torch.inference_mode():
            features = model.get_image_features(pixel_values=pixels, image_grid_thw=grid).pooler_output
        return torch.cat(list(features)), calls[0]

    alone, calls_alone = vectors()
    speed_up_vision(model)
    assert settings._attn_implementation == BY_LENGTH
    assert model.config.get_text_config()._attn_implementation == "sdpa"
    together, calls_together = vectors()
    torch.testing.assert_close(together, alone, rtol=0, atol=1e-5 if dtype == torch.float32 else 0.05)
    # Three images of 10 x 12 patches, two layers; Qwen2.5-VL's first cuts each into nine windows, 4 x 4 and 2 x 4.
    expected = (3 * 9 + 3, 2 + 1) if kind == "qwen2.5-vl" else (3 + 3, 1 + 1)
    assert (calls_alone, calls_together) == expected
