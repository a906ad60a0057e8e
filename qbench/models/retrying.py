"""Askings of a provider that is busy or down: a few more, with growing waits, of what can pass."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TypeVar

from qbench.errors import ProviderError

RETRIES = 4
"""How often a provider that is busy or down is asked again, before its prompt counts as failed."""
ANSWER_SECONDS = 300.0
"""How long one answer may take; a 72B model writes a description in well under a minute."""
_LONGEST_WAIT = 60.0

AnswerT = TypeVar("AnswerT")


def with_retries(
    ask: Callable[[], AnswerT],
    wait: Callable[[float], object],
    retries: int = RETRIES,
    lasting: tuple[type[ProviderError], ...] = (),
) -> AnswerT:
    """What `ask` returns, asked again after a wait while its fault can pass and is none of the `lasting` ones.

    Raises:
        ProviderError: The fault of the last asking, or one that does not pass.
    """
    for attempt in range(retries + 1):
        try:
            return ask()
        except ProviderError as error:
            if error.kind == "permanent" or isinstance(error, lasting) or attempt == retries:
                raise
            backoff = min(_LONGEST_WAIT, 2.0**attempt) * random.uniform(0.5, 1.0)  # noqa: S311 - jitter
            wait(max(min(error.retry_after, _LONGEST_WAIT), backoff))
    raise AssertionError("the last attempt returns or raises")
