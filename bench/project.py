"""Sizes of the project's own parts beside their goals, how long its tests take, and how many faults they notice.

`python -m bench.project` counts lines, files and bytes. `--tests` also runs `.ci/run` on a clean clone, which takes its
minutes, and `tools.mutants`, which takes an hour or two of two cores; then both times count from installed packages.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

from bench.figure import Figure, machine, print_table

ROOT = Path(__file__).resolve().parents[1]
PYTHON_LINES = (
    ("qbench", 21_000), ("leaderboard", 21_500), ("tests", 30_000), ("tools/nano", 1_500), ("qbench/models/iqa", 450),
)  # fmt: skip
_STAGE = re.compile(r"^== (.+), after (\d+) s$", re.MULTILINE)
_NOTICED = re.compile(r"(\d+) of (\d+) changes were noticed")


def sizes() -> Iterator[Figure]:
    """What can be counted at once."""
    for folder, goal in PYTHON_LINES:
        yield Figure(f"Python in {folder}", lines(of(folder, ".py")), goal, unit="lines")
    yield Figure("Python files in leaderboard", len(of("leaderboard", ".py")), 160, unit="files")
    yield Figure("JavaScript and CSS of the pages", lines(of("assets/board", ".js", ".css")), 4_800, unit="lines")
    documents = of("docs", ".md")
    yield Figure("README.md", lines([ROOT / "README.md"]), 80, unit="lines")
    yield Figure("docs", lines(documents), 1_100, unit="lines")
    yield Figure("the longest of docs", max(lines([path]) for path in documents), 150, unit="lines")
    yield Figure("docs/hardening.md", lines([ROOT / "docs" / "hardening.md"]), 20, unit="lines")
    yield Figure("pictures in docs", size(of("docs", ".png", ".webp", ".svg", ".jpg")) / 1e3, 800, unit="kB")
    weights = of("assets", ".safetensors")
    yield Figure("embedded weights", size(weights) / 1e6, 24, unit="MB")
    yield Figure("the largest file", max(size([path]) for path in of("", "")) / 1e6, 9, unit="MB")


def of(folder: str, *endings: str) -> list[Path]:
    """Committed files of a folder whose names end so."""
    command = ["git", "ls-files", "-z", "--", folder or "."]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in listed.split("\0") if name.endswith(endings) and (ROOT / name).is_file()]


def lines(paths: Iterable[Path]) -> int:
    return sum(path.read_bytes().count(b"\n") for path in paths)


def size(paths: Iterable[Path]) -> int:
    return sum(path.stat().st_size for path in paths)


def tests() -> Iterator[Figure]:
    """How long the tests take, and which share of faults they notice."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "clone", "--quiet", ROOT, folder], check=True)
        ran = subprocess.run([".ci/run"], cwd=folder, stdout=subprocess.PIPE, text=True, check=False)
    began = [(name, int(seconds)) for name, seconds in _STAGE.findall(ran.stdout)]
    took = {name: (end - start) / 60 for (name, start), (_, end) in pairwise(began)}
    failed = "" if ran.returncode == 0 else f"it failed: {ran.stdout.strip().splitlines()[-1:]}"
    installed = took.pop("install", 0.0)
    yield Figure(
        "CI, without installing",
        sum(took.values()) or None,
        15,
        unit="min",
        note=failed or f"{installed:.1f} min to install",
    )
    yield Figure(
        "the README's tests", next((took[name] for name in took if "pytest" in name), None), 4, unit="min", note=failed
    )
    ran = subprocess.run(
        [sys.executable, "-m", "tools.mutants", "--jobs", "2"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    print(ran.stdout)
    noticed, made = map(int, _NOTICED.findall(ran.stdout)[0])
    yield Figure(
        "changes that tests notice", 100 * noticed / made, 93, at_least=True, unit="%", note=f"{noticed} of {made}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", action="store_true", help="run them too")
    asked = parser.parse_args()
    print(machine())
    print_table(sizes())
    if asked.tests:
        print_table(tests())


if __name__ == "__main__":
    main()
