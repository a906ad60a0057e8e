"""Numbers as they are typed: Python's own readers take 1_20 for 120."""

from __future__ import annotations

from argparse import ArgumentTypeError


def whole_number(text: str) -> int:
    """A whole number in plain digits.

    Raises:
        ArgumentTypeError: It is none.
    """
    try:
        if "_" not in text:
            return int(text)
    except ValueError:
        pass
    raise ArgumentTypeError(f"{text[:40]!r} is not a whole number")


def decimal_number(text: str) -> float:
    """A number in plain digits.

    Raises:
        ArgumentTypeError: It is none.
    """
    try:
        if "_" not in text:
            return float(text)
    except ValueError:
        pass
    raise ArgumentTypeError(f"{text[:40]!r} is not a number")
