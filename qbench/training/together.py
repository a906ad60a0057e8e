"""Several processes that train one model, each on its GPU, as `accelerate launch` starts them.

Every process holds the whole model, takes its share of each batch, and steps by the mean of all gradients, so that all
stay the same.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qbench.errors import UserError
from qbench.training.loop import CHECKPOINT


@dataclass(frozen=True)
class Team:
    """Which of how many processes this is."""

    number: int = 0
    count: int = 1

    @contextmanager
    def first_alone(self) -> Iterator[None]:
        """Let the first process do it before the others, who find it done."""
        if self.number:
            self._wait()
        yield
        if self.number == 0:
            self._wait()

    def average_gradients(self, learner: Any) -> None:
        """Make every gradient the mean over the processes as soon as it is there."""
        if self.count == 1:
            return
        from torch import distributed

        def average(weight: Any) -> None:
            distributed.all_reduce(weight.grad)
            weight.grad.div_(self.count)

        for weight in learner.parameters():
            weight.register_post_accumulate_grad_hook(average)

    def own_folder(self, folder: Path) -> Path:
        """Where this process keeps its state: it goes on from where the first one does."""
        if self.number == 0:
            self._wait()
            return folder
        own = folder / f"process-{self.number}"
        own.mkdir(parents=True, exist_ok=True)
        (own / CHECKPOINT).unlink(missing_ok=True)
        if (folder / CHECKPOINT).is_file():
            shutil.copy(folder / CHECKPOINT, own / CHECKPOINT)
        self._wait()
        return own

    def _wait(self) -> None:
        if self.count > 1:
            from torch import distributed

            distributed.barrier()


def join(device: str) -> Team:
    """This process' place among those that were launched together; alone where none were.

    Raises:
        UserError: There are several, and `accelerate` is not installed.
    """
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        return Team()
    try:
        from accelerate import PartialState
    except ImportError:
        raise UserError("several processes train together by accelerate: pip install 'accelerate>=1,<2'") from None
    state = PartialState(cpu=device == "cpu")
    return Team(state.process_index, state.num_processes)
