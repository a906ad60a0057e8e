"""Batches at models, each in a thread of its own, so that one that does not end keeps nobody waiting.

Python cannot end a thread. A batch that is given up goes on without anybody: the queue moves on, whoever asked is told,
and of one model only so many are left behind.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextvars import copy_context
from typing import Any, TypeVar

from leaderboard.live.service.limits import Work
from qbench.cancelling import Cancelled
from qbench.errors import UserError

GRACE = 5.0
"""Seconds that a model has to end the batch of work that was stopped; those made here look between their steps."""
MOST_GIVEN_UP = 2
"""Batches of one model that were given up and have not ended: each computes here, and may hold the model's weights."""
MOST_UNANSWERED = 16
"""The same of a model at another server: each is a thread that waits, and one visitor's stop leaves several."""
_LOOKS = 0.1

ResultT = TypeVar("ResultT")


class Batches:
    """Who is at which model, and what was given up."""

    def __init__(self, grace: float = GRACE, clock: Callable[[], float] = time.monotonic) -> None:
        self._grace = grace
        self._clock = clock
        self._given_up: dict[str, set[Future[Any]]] = {}
        self._lock = threading.Lock()

    def run(
        self,
        name: str,
        work: Work,
        batch: Callable[[], ResultT],
        seconds: float | None,
        on_giving_up: Callable[[], None] = lambda: None,
        most: int = MOST_GIVEN_UP,
    ) -> ResultT:
        """What the batch returns.

        Args:
            name: The model's.
            work: For which the batch is.
            batch: Asks the model.
            seconds: How long it may take; None is no limit.
            on_giving_up: Called before the error is raised where the batch goes on all the same.
            most: How many of the model's batches may have been given up and not ended before no more are begun.

        Raises:
            Cancelled: The work was stopped, and the batch with it or soon after.
            UserError: It took too long, or the model ended too few of its batches to be asked again.
        """
        if len(self._left_behind(name)) >= most:
            raise UserError(f"{name} hangs on this server; choose another model, or come back later")
        done: Future[ResultT] = Future()

        def answer() -> None:
            try:
                done.set_result(batch())
            except BaseException as fault:  # noqa: BLE001 - handed on to whoever waits
                done.set_exception(fault)

        own_name = threading.current_thread().name
        threading.Thread(target=copy_context().run, args=(answer,), name=own_name, daemon=True).start()
        until = math.inf if seconds is None else self._clock() + seconds
        is_stopped = False
        while not done.done() and self._clock() < until:
            wait([done], _LOOKS)
            if work.cancel.is_set() and not is_stopped:
                is_stopped, until = True, min(until, self._clock() + self._grace)
        if done.done():
            return done.result()
        with self._lock:
            self._given_up.setdefault(name, set()).add(done)
        on_giving_up()
        if is_stopped:
            raise Cancelled
        raise UserError(f"{name} took longer than the {seconds:.0f} seconds that it has here; choose another model")

    @property
    def given_up(self) -> int:
        """How many that were given up have not ended."""
        return sum(len(self._left_behind(name)) for name in tuple(self._given_up))

    def _left_behind(self, name: str) -> set[Future[Any]]:
        """The model's batches that were given up and have not ended; those that have are forgotten."""
        with self._lock:
            left = self._given_up[name] = {given_up for given_up in self._given_up.get(name, ()) if not given_up.done()}
            return left
