"""Who is at a device and for how long: a queue, batches that do not end are given up, and ZeroGPU lends its own."""

from __future__ import annotations

import importlib
import importlib.util
import math
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any, ParamSpec, TypeVar

from leaderboard.live.service.limits import Work
from qbench.cancelling import Cancelled
from qbench.errors import UserError

_CHECK_SECONDS = 0.2
"""Between two looks at whether the work was cancelled."""


class DeviceQueue:
    """Work that waits for a device."""

    def __init__(self) -> None:
        self._tickets: list[tuple[object, str]] = []
        """And whose each is."""
        self._moved = threading.Condition()

    @contextmanager
    def device(self, work: Work) -> Iterator[None]:
        """The device, while the block lasts; waits until it is free.

        Raises:
            Cancelled: The work was cancelled, perhaps while it waited.
            UserError: Its time is used up.
        """
        ticket, told = (object(), work.session), -1
        with self._moved:
            self._tickets.append(ticket)
        try:
            while True:
                work.check()
                with self._moved:
                    if self._tickets[0] is ticket:
                        break
                    ahead = self._others_ahead(ticket)
                    if ahead == told:
                        self._moved.wait(_CHECK_SECONDS)
                if ahead != told:
                    work.publish_position(ahead)  # outside the lock: it may write to a slow connection
                    told = ahead
            work.check()
            yield
        finally:
            with self._moved:
                self._tickets.remove(ticket)
                self._moved.notify_all()

    def _others_ahead(self, ticket: tuple[object, str]) -> int:
        """How much is ahead, without what the same page has asked for."""
        ahead = self._tickets[: self._tickets.index(ticket)]
        return sum(not session or session != ticket[1] for _, session in ahead)


ResultT = TypeVar("ResultT")


def in_thread(call: Callable[[], ResultT]) -> Future[ResultT]:
    """What a call gives or raises, once it does, in a thread of its own.

    A daemon, so that a server that is told to stop does not wait for it. In the context of who asks: by the request in
    it a Space with ZeroGPU knows whose share of the GPU is taken.
    """
    done: Future[ResultT] = Future()

    def work() -> None:
        try:
            done.set_result(call())
        except BaseException as fault:  # noqa: BLE001 - handed on to whoever waits
            done.set_exception(fault)

    name = threading.current_thread().name
    threading.Thread(target=copy_context().run, args=(work,), name=name, daemon=True).start()
    return done


GRACE = 5.0
"""Seconds that a model has to end the batch of work that was stopped; those made here look between their steps."""
MOST_GIVEN_UP = 2
"""Batches of one model that were given up and have not ended: each computes here, and may hold the model's weights."""
MOST_UNANSWERED = 16
"""The same of a model at another server: each is a thread that waits, and one visitor's stop leaves several."""
_LOOKS = 0.1


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
        seconds: float,
        on_giving_up: Callable[[], None] = lambda: None,
        most: int = MOST_GIVEN_UP,
    ) -> ResultT:
        """What the batch returns.

        Args:
            name: The model's.
            work: For which the batch is.
            batch: Asks the model.
            seconds: How long it may take.
            on_giving_up: Called before the error is raised where the batch goes on all the same.
            most: How many of the model's batches may have been given up and not ended before no more are begun.

        Raises:
            Cancelled: The work was stopped, and the batch with it or soon after.
            UserError: It took too long, or the model ended too few of its batches to be asked again.
        """
        if len(self.left_behind(name)) >= most:
            raise UserError(f"{name} hangs on this server; choose another model, or come back later")
        done = in_thread(batch)
        is_stopped, until = False, self._clock() + seconds
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
        raise UserError(f"{name} took longer than the {seconds:.0f} seconds allowed here; choose another model")

    def left_behind(self, name: str) -> set[Future[Any]]:
        """The model's batches that were given up and have not ended; those that have are forgotten."""
        with self._lock:
            left = self._given_up[name] = {given_up for given_up in self._given_up.get(name, ()) if not given_up.done()}
            return left


FIRST_SECONDS = 60
"""Asked for the first batch of a model, whose weights may have to be moved first."""
SECONDS = (10, 120)
"""The least and the most that are asked for; who asks for less is served sooner."""

Given = ParamSpec("Given")


def is_zerogpu() -> bool:
    """Whether this is a Space with ZeroGPU, as its package tells it."""
    there = importlib.util.find_spec("spaces") is not None
    return there and bool(importlib.import_module("spaces.config").Config.zero_gpu)


def on_gpu(answer: Callable[Given, ResultT], duration: Callable[Given, int]) -> Callable[Given, ResultT]:
    """A function that runs where the GPU is, in another process; `duration` gives the seconds that it may take."""
    if importlib.util.find_spec("spaces") is None:
        return answer
    decorated: Callable[Given, ResultT] = importlib.import_module("spaces").GPU(answer, duration=duration)
    return decorated


def seconds_to_ask_for(prompts: int, pace: float | None, left: float) -> int:
    """How long a batch may take: three times what it would at the slowest pace so far, and no more than is left.

    Args:
        prompts: How many the batch has.
        pace: Seconds a prompt, as far as known.
        left: Seconds that whoever asks may still use.
    """
    least, most = SECONDS
    wanted = FIRST_SECONDS if pace is None else min(max(math.ceil(3 * pace * prompts), least), most)
    return max(math.ceil(min(wanted, left)), 1)


@contextmanager
def refusals_told() -> Iterator[None]:
    """Say what ZeroGPU says, such as that the visitor's quota is used up, as a person's mistake is said."""
    try:
        yield
    except Exception as fault:
        if not str(getattr(fault, "title", "")).startswith("ZeroGPU"):
            raise
        raise UserError(f"{fault.title}: {getattr(fault, 'message', fault)}") from None  # type: ignore[attr-defined]
