"""What UniSim's recipe does to a small CLIP that was never trained on comparisons.

    python -m tests.bench.unisim --photos DIR --out FILE [--work FOLDER]
        [--scenes N] [--rate RATE] [--side N] [--samples N] [--batch N]

Every fourth photo is held back. On crops of the others a CLIP is trained as nano-clip is, but by its losses for
captions and scenes alone and behind a network that saw nothing but ImageNet; then it is tuned by the recipe, with three
seeds. Before and after it is measured on the four core tasks, made of the photos that were held back and are seen
whole, and on the seven demo sets. The table that FILE gets has 95 % intervals from a bootstrap over photos (over types
of damage for demo-iqa-2afc), for what was before and for the mean change over seeds, comparison by comparison. With
--work an interrupted run is gone on with.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from qbench.cache import Cache
from qbench.commands.evaluate import make_plan
from qbench.datasets import open_dataset
from qbench.models import open_model
from qbench.models.builtin import WEIGHTS_FOLDER
from qbench.records import Estimate, Sample, Score
from qbench.runner import Runner
from qbench.summary import summarise_mean
from qbench.tasks import RunOptions
from qbench.training.nano import clip, eye
from qbench.training.nano.clip import ClipOptions, train_clip
from qbench.training.unisim.clip import ClipTuningOptions, tune_clip
from qbench.training.unisim.photos import PhotoComparisons, make_photo_comparisons
from qbench.training.unisim.sets import CORE, PHOTOS

SEEDS = (0, 1, 2)
KEPT = ("caption", "scene")
"""Losses of nano-clip's training that compare no two pictures."""
OTHERS = ("attributes", "odd-one-out", "retrieval")
BASE: Mapping[str, Any] = {"steps": 300, "scenes": 600}
HELD_SEED, HELD_SCENES = 99, 120
CHOSEN: Mapping[str, Any] = {"scenes": 1200, "rate": 3e-4, "side": 160, "samples": 2400, "batch": 8}
"""What the command line may say otherwise."""
Tasks = Mapping[str, Mapping[str, Sequence[Sample]]]
"""Heading -> task -> its samples."""
Found = dict[tuple[str, str], list[Score]]
"""Heading and task, with the approach where there are two -> a score for each comparison or query."""


def split_photos(photos: Path, work: Path) -> tuple[Path, Path]:
    """Folders of links: the photos to train on, and every fourth, which is not."""
    folders = work / "trained-on", work / "held-back"
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    for number, path in enumerate(sorted(path for path in photos.rglob("*") if path.is_file())):
        link = folders[number % 4 == 3] / f"{number:05}{path.suffix}"
        if not link.is_symlink():
            link.symlink_to(path.resolve())
    return folders


def train_base(photos: Path, work: Path) -> Path:
    """nano-clip's architecture, trained on no comparison."""
    weights, network = (
        {name: float(name in KEPT) * weight for name, weight in clip.WEIGHTS.items()},
        WEIGHTS_FOLDER / "nano-iqa",
    )
    with patch.object(clip, "WEIGHTS", weights):
        return train_clip(ClipOptions(photos, network, network, work / "base", work / "base.work", **BASE, workers=1))


def tests_on(held: Path, work: Path) -> Tasks:
    """All that is asked before and after."""
    made = make_photo_comparisons(
        PhotoComparisons(held, HELD_SCENES, eye.SIDE, eye.SIDE, HELD_SEED, workers=1), work / "held"
    )
    demo = {task: open_dataset(f"demo-{task}").samples for task in (*CORE, *OTHERS)}
    return {
        "core, photos held back": {task: made[task] for task in CORE},
        "core, demo sets": {task: demo[task] for task in CORE},
        "out of distribution, demo sets": {task: demo[task] for task in OTHERS},
    }


def measure(model: Path, tasks: Tasks, work: Path) -> Found:
    """The scores of one model."""
    opened = open_model(str(model))
    runner = Runner(opened, Cache(work / "responses.jsonl"))
    found: Found = {}
    for heading, members in tasks.items():
        for task, samples in members.items():
            outcome = runner.run(make_plan(task, samples, opened, RunOptions(), judged=False))
            ways = outcome.variants.get("approach")
            if ways:
                found |= {(heading, f"{task}, {way}"): list(scores) for way, scores in ways.items()}
            elif task == "retrieval":
                found[heading, task] = [*outcome.scores["map_medium"], *outcome.scores["map_hard"]]
            else:
                found[heading, task] = list(outcome.scores["accuracy"])
    return found


def figure(scores: Sequence[Score], values: Sequence[float]) -> Estimate:
    """The mean of values of these comparisons, resampled as these are."""
    return summarise_mean([replace(score, value=value) for score, value in zip(scores, values, strict=True)])


def values_of(scores: Sequence[Score]) -> list[float]:
    """What is not decided is not right."""
    return [score.value or 0.0 for score in scores]


def table(before: Found, after: Mapping[int, Found]) -> str:
    """Markdown, one table under each heading."""
    lines: list[str] = []
    for heading in dict.fromkeys(heading for heading, _ in before):
        seeds = " | ".join(f"seed {seed}" for seed in after)
        lines += ["", f"| {heading} | asked | clusters | before | {seeds} | change |", "|---" * (5 + len(after)) + "|"]
        for (under, task), scores in before.items():
            if under == heading:
                was, tuned = values_of(scores), [values_of(found[under, task]) for found in after.values()]
                change = np.mean(tuned, axis=0) - was
                told = figure(scores, was)
                cells = [task, str(len(scores)), str(told.n), spelled(told, "")]
                cells += [f"{np.mean(each):.3f}" for each in tuned] + [spelled(figure(scores, change.tolist()), "+")]
                lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines[1:]) + "\n"


def spelled(one: Estimate, sign: str) -> str:
    between = "" if one.low is None else f" ({one.low:{sign}.2f} to {one.high:{sign}.2f})"
    return f"{one.value:{sign}.3f}{between}"


def run(photos: Path, out: Path, work: Path, chosen: Mapping[str, Any]) -> None:
    started = time.perf_counter()

    def tell(what: str) -> None:
        print(f"{what}: {time.perf_counter() - started:.0f} s", flush=True)

    train, held = split_photos(photos, work)
    base = train_base(train, work)
    tell("a CLIP without comparisons")
    tasks = tests_on(held, work)
    before = measure(base, tasks, work)
    tell("measured")
    after = {}
    for seed in SEEDS:
        folder = work / f"tuned-{seed}"
        made = {"model": str(base), "sets": [PHOTOS], "photos": train, "seed": seed, "workers": 1, **chosen}
        tune_clip(ClipTuningOptions(out=folder, work=work / f"{folder.name}.work", **made))
        tell(f"seed {seed}")
        after[seed] = measure(folder, tasks, work)
        out.write_text(table(before, after), encoding="utf-8")
        tell("measured")
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
