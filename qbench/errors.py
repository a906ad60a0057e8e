"""The kinds of failure a caller can act on; anything else is a bug and keeps its traceback."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal


class UserError(Exception):
    """Something the person asking can fix. The message is one sentence naming the problem and the fix."""


class DataError(UserError):
    """A file or dataset that cannot be read as it stands; the message names the first offending place."""

    def __init__(self, message: str, places: Sequence[str] = (), count: int = 1, fix: str = "") -> None:
        super().__init__(message)
        self.places = tuple(places)
        """What is wrong where, the first of it in the message; empty where the fault is the file's as a whole."""
        self.count = count
        """How many places are wrong, which may be more than are listed."""
        self.fix = fix


class BadRecordsError(DataError):
    """More records of a file cannot be used than are left out unless that is asked for."""


class ProviderError(Exception):
    """A model's provider did not answer. The runner retries the kinds that can pass, a finite number of times."""

    def __init__(
        self, kind: Literal["rate-limit", "transient", "permanent"], message: str, retry_after: float = 0.0
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.retry_after = retry_after
        """Seconds the provider asks to wait."""

    def __reduce__(self) -> tuple[type[ProviderError], tuple[str, str, float]]:
        return type(self), (self.kind, str(self), self.retry_after)


class UndefinedError(ArithmeticError):
    """A statistic that does not exist for these data (constant input, too few items, no convergence).

    Raised by `qbench.stats` and turned into an absent `Estimate` carrying the reason; never into a number.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


_EXTRAS = {
    "models": ("jinja2", "safetensors", "tokenizers", "torch", "transformers"),
    "app": ("gradio", "pandas", "plotly"),
    "data": ("huggingface_hub", "pyarrow"),
    "cluster": ("ray",),
    "train": ("accelerate", "peft", "tqdm"),
}
"""Extra of the package -> libraries that come with it."""


def how_to_install(error: ModuleNotFoundError) -> str:
    """The sentence for a library that is not installed; a missing module that is none of these is a bug, and raised."""
    library = (error.name or "").partition(".")[0]
    for extra, libraries in _EXTRAS.items():
        if library in libraries:
            return f"this needs {library}, which is not installed; pip install 'qbench[{extra}]'"
    raise error
