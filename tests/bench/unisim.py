"""What UniSim's recipe does to a small CLIP that was never trained on comparisons, on the seven demo tasks.

    python -m tests.bench.unisim --photos DIR --out FILE [--work FOLDER]
        [--rate RATE] [--side N] [--samples N] [--batch N]

A CLIP is trained from nothing as nano-clip is, but by its losses for captions and scenes alone. It is evaluated, tuned
by the recipe on crops of the same photos with three seeds, and evaluated again each time. The table that FILE gets has
95 % intervals from a bootstrap over photos (over types of damage for quality), as `python -m qbench run` gives them.
The demo photos are not trained on. With --work an interrupted run is gone on with.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

from qbench.datasets import open_dataset
from qbench.evaluation import evaluate
from qbench.models import open_model
from qbench.records import Estimate
from qbench.training import clip
from qbench.training.clip import ClipOptions, train_clip
from qbench.training.unisim import UnisimOptions, train_unisim
from qbench.training.unisim_sets import CORE, PHOTOS

SEEDS = (0, 1, 2)
KEPT = ("caption", "scene")
"""Losses of nano-clip's training that compare no two pictures."""
OTHERS = ("attributes", "odd-one-out", "retrieval")
BASE: Mapping[str, Any] = {"steps": 20, "scenes": 16, "glances": 600}
START: Mapping[str, Any] = {"JUDGING_STEPS": 300, "_FIRST_LOOK": 60}
SCENES = 150
CHOSEN: Mapping[str, Any] = {"rate": 1e-3, "side": clip.SMALL, "samples": 1600, "batch": 8}
"""What the command line may say otherwise."""


def train_base(photos: Path, work: Path) -> Path:
    """nano-clip's architecture and first weights, trained on no comparison."""
    weights = {name: weight if name in KEPT else 0.0 for name, weight in clip.WEIGHTS.items()}
    with patch.multiple(clip, **{"WEIGHTS": weights, **START}):
        return train_clip(ClipOptions(photos, work / "base", work / "base.work", **BASE, workers=1))


def measure(model: Path, out: Path) -> dict[str, Estimate]:
    """Task, with the approach where there are two -> its figure."""
    found: dict[str, Estimate] = {}
    opened = open_model(str(model))
    for task in (*CORE, *OTHERS):
        (result,) = evaluate(task, open_dataset(f"demo-{task}"), opened, out)
        ways = {name: metrics["accuracy"] for name, metrics in result.groups.get("approach", {}).items()}
        if ways:
            found |= {f"{task}, {way}": figure for way, figure in sorted(ways.items(), reverse=True)}
        else:
            found[task] = result.metrics["retrieval_map" if task == "retrieval" else "accuracy"]
    return found


def table(before: Mapping[str, Estimate], after: Mapping[int, Mapping[str, Estimate]]) -> str:
    """Markdown: core tasks, then the others."""
    lines = []
    for title, tasks in (("core", CORE), ("out of distribution", OTHERS)):
        seeds = " | ".join(f"seed {seed}" for seed in after)
        lines += [f"| {title} | clusters | before | {seeds} | mean change |", "|---" * (4 + len(after)) + "|"]
        for name, figure in before.items():
            if name.split(",")[0] in tasks:
                tuned = [each[name] for each in after.values()]
                change = sum(one.value or 0 for one in tuned) / len(tuned) - (figure.value or 0)
                cells = " | ".join(map(cell, (figure, *tuned)))
                lines.append(f"| {name} | {figure.n} | {cells} | {change:+.3f} |")
        lines.append("")
    return "\n".join(lines)


def cell(figure: Estimate) -> str:
    if figure.value is None:
        return "none"
    between = "" if figure.low is None else f" ({figure.low:.2f} to {figure.high:.2f})"
    return f"{figure.value:.3f}{between}"


def run(photos: Path, out: Path, work: Path, chosen: Mapping[str, Any]) -> None:
    started = time.perf_counter()
    base = train_base(photos, work)
    print(f"a CLIP without comparisons: {time.perf_counter() - started:.0f} s", flush=True)
    before = measure(base, work / "records")
    print(f"measured: {time.perf_counter() - started:.0f} s", flush=True)
    after = {}
    for seed in SEEDS:
        folder = work / f"tuned-{seed}"
        options = UnisimOptions(
            model=str(base),
            sets=[PHOTOS],
            out=folder,
            work=work / f"{folder.name}.work",
            photos=photos,
            seed=seed,
            workers=1,
            scenes=SCENES,
            **chosen,
        )
        after[seed] = measure(train_unisim(options), work / "records")
        print(f"seed {seed}: {time.perf_counter() - started:.0f} s", flush=True)
        out.write_text(table(before, after), encoding="utf-8")
    print(out.read_text(encoding="utf-8"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", type=Path, required=True, metavar="DIR")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    parser.add_argument("--work", type=Path, metavar="FOLDER")
    for name, value in CHOSEN.items():
        parser.add_argument(f"--{name}", type=type(value), default=value, metavar="N")
    options = parser.parse_args()
    chosen = {name: getattr(options, name) for name in CHOSEN}
    with tempfile.TemporaryDirectory() as folder:
        run(options.photos, options.out, options.work or Path(folder), chosen)


if __name__ == "__main__":
    main()
