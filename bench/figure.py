"""A measured figure beside its target, and the table of them."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_MODEL_NAME = "model name"


@dataclass(frozen=True)
class Figure:
    """One line of the table."""

    name: str
    value: float | None
    """None where it could not be measured, as the note says."""
    target: float
    at_least: bool = False
    """Whether the target is the least that is wanted, not the most."""
    unit: str = ""
    note: str = ""

    @property
    def verdict(self) -> str:
        """Nothing where the target is reached; else by which factor it is missed, or that there is no figure."""
        if self.value is None:
            return "ABSENT"
        if self.reached:
            return ""
        big, small = (self.target, self.value) if self.at_least else (self.value, self.target)
        return f"MISSED x{big / small:.3g}" if small else "MISSED"

    @property
    def reached(self) -> bool:
        """Whether the target is."""
        if self.value is None:
            return False
        return self.value >= self.target if self.at_least else self.value <= self.target

    @property
    def shown(self) -> str:
        """The value with its unit."""
        return "" if self.value is None else f"{_digits(self.value)} {self.unit}".strip()

    @property
    def wanted(self) -> str:
        """The target with its unit."""
        return f"{'>=' if self.at_least else '<='} {_digits(self.target)} {self.unit}".strip()


def _digits(number: float) -> str:
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.3g}"


def machine() -> str:
    """What the figures were measured on, in one line."""
    cpu = Path("/proc/cpuinfo")
    lines = cpu.read_text().splitlines() if cpu.is_file() else []
    named = next((line.partition(":")[2].strip() for line in lines if line.startswith(_MODEL_NAME)), platform.machine())
    load = f", load {os.getloadavg()[0]:.1f} before" if hasattr(os, "getloadavg") else ""
    return f"{os.cpu_count()} cores of {named}, {platform.system()}, Python {platform.python_version()}{load}"


def print_table(figures: Iterable[Figure]) -> None:
    """Each figure beside its target as it comes; a miss is marked with its factor."""
    for figure in figures:
        print(
            f"{figure.name:<72} {figure.shown:>12} {figure.wanted:<14} {figure.verdict:<12} {figure.note}",
            flush=True,
        )


def markdown_table(figures: Iterable[Figure]) -> str:
    """The same as a table of a document."""
    rows = [(each.name, each.shown, each.wanted, each.verdict, each.note) for each in figures]
    lines = [("figure", "here", "goal", "", "what it rests on"), ("---", "--:", "--:", "---", "---"), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', '/') for cell in row)} |\n" for row in lines)
