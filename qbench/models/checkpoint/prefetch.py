"""Inputs of the next batch, prepared by another thread while the model is busy with this one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from typing import ParamSpec, TypeVar

from qbench.errors import DataError
from qbench.models.checkpoint.chat import RenderedPrompt
from qbench.models.checkpoint.inputs import Inputs, PaddingSide, Prepare, Unanswerable

P = ParamSpec("P")
OutputT = TypeVar("OutputT")
Upcoming = Callable[[], "tuple[Sequence[RenderedPrompt], Sequence[str], PaddingSide] | None"]


class InputPrefetcher:
    """Wraps the preparing of inputs, and the steps during which the next ones can be prepared.

    Tokenizers take one thread at a time: whoever uses one elsewhere calls `wait` first.
    """

    def __init__(self, prepare: Prepare) -> None:
        self._prepare = prepare
        self._expected: Upcoming | None = None
        self._thread: threading.Thread | None = None
        self._ready: tuple[Hashable, Inputs] | None = None

    def expect(self, upcoming: Upcoming | None) -> None:
        """Say what will be prepared next; `upcoming` is called when the model is about to be busy."""
        self._expected = upcoming

    def prepare(self, prompts: Sequence[RenderedPrompt], endings: Sequence[str], side: PaddingSide) -> Inputs:
        """Inputs that are ready, or else made now."""
        self.wait()
        ready, self._ready = self._ready, None
        if ready and ready[0] == (*prompts, *endings, side):
            return ready[1]
        return self._prepare(prompts, endings, side)

    def during(self, step: Callable[P, OutputT]) -> Callable[P, OutputT]:
        """A step of the model, at whose beginning the other thread starts with what is expected."""

        def start_and_run(*arguments: P.args, **named: P.kwargs) -> OutputT:
            self._start()
            return step(*arguments, **named)

        return start_and_run

    def wait(self) -> None:
        """Return once the other thread has done with the tokenizer."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _start(self) -> None:
        upcoming, self._expected = self._expected, None
        request = upcoming() if upcoming else None
        if request is None:
            return
        prompts, endings, side = request

        def work() -> None:
            # What cannot be prepared is left to whoever wants it, to fail there.
            with suppress(Unanswerable, DataError, RuntimeError):  # RuntimeError: no memory on the device
                self._ready = (*prompts, *endings, side), self._prepare(prompts, endings, side)

        self.wait()
        self._ready = None
        self._thread = threading.Thread(target=work)
        self._thread.start()
