"""A word on stderr while a command takes longer than a moment, so that nobody takes it for stuck."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

FIRST, AGAIN = 2.0, 10.0
"""Seconds until the first word, and between the following ones."""


@contextmanager
def telling(what: str, *, first: float = FIRST, again: float = AGAIN) -> Iterator[None]:
    """Say on stderr what goes on and for how long, once it has taken `first` seconds; on a terminal in one line."""
    done = threading.Event()
    start = time.monotonic()
    terminal = sys.stderr.isatty()

    def tell() -> None:
        wait = first
        while not done.wait(wait):
            line = f"qbench: {what}, {time.monotonic() - start:.0f} s so far"
            _write(f"\r{line}\033[K" if terminal else f"{line}\n")
            wait = 1.0 if terminal else again

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()
        if terminal and time.monotonic() - start > first:
            _write("\r\033[K")


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
