"""Forks that are killed."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Survived:
    """What a soak went through."""

    kills: int
    acknowledged: int
    """Submissions, answers, steps: what had been said to be kept."""


def fork(work: Callable[[], None]) -> int:
    process = os.fork()
    if process == 0:
        try:
            work()
        finally:
            os._exit(0)
    return process


def kill(process: int) -> None:
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)


def free_port() -> int:
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return int(made.getsockname()[1])
