"""A measured figure beside its target, and the table of them."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One line of the table."""

    name: str
    value: float
    target: float
    at_least: bool = False
    """Whether the target is the least that is wanted, not the most."""
    unit: str = ""
    note: str = ""

    @property
    def verdict(self) -> str:
        """Nothing where the target is reached; else by which factor it is missed."""
        if self.reached:
            return ""
        big, small = (self.target, self.value) if self.at_least else (self.value, self.target)
        return f"MISSED x{big / small:.3g}" if small else "MISSED"

    @property
    def reached(self) -> bool:
        """Whether the target is."""
        return self.value >= self.target if self.at_least else self.value <= self.target


def machine() -> str:
    """What the figures were measured on, in one line."""
    import os

    load = f"load {os.getloadavg()[0]:.1f} before" if hasattr(os, "getloadavg") else ""
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, {load}"


def print_table(figures: Iterable[Figure]) -> None:
    """Each figure beside its target; a miss is marked with its factor."""
    for figure in figures:
        sign = ">=" if figure.at_least else "<="
        wanted = f"{sign} {figure.target:g} {figure.unit}".strip()
        line = (
            f"{figure.name:<72} {figure.value:>10.3g} {figure.unit:<4} {wanted:<14} {figure.verdict:<12} {figure.note}"
        )
        print(line, flush=True)
