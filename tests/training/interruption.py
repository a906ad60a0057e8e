"""A training that is stopped in the middle, as by Ctrl-C."""

from __future__ import annotations

from typing import Any

import pytest
import torch


def interrupt(patch: pytest.MonkeyPatch, step: int) -> None:
    """Interrupt whatever trains next in this step, counted from 1 over all its phases."""
    clip, count = torch.nn.utils.clip_grad_norm_, 0

    def clip_or_stop(*arguments: Any, **more: Any) -> Any:
        nonlocal count
        count += 1
        if count == step:
            raise KeyboardInterrupt
        return clip(*arguments, **more)

    patch.setattr("torch.nn.utils.clip_grad_norm_", clip_or_stop)
