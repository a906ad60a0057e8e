"""What the models that come with the project can do, beside measures without learning.

    python -m tests.bench.nano [--out FOLDER] [--rated MANIFEST --images FOLDER]

Runs every model on every demo set it can do, each by the command a user would type, and prints the figures with 95 %
intervals and the seconds each took. With a manifest of photos that people rated, also how each model agrees with them.
Without --out the records are thrown away. Last come seconds for a load, a rating, and a pair in both orders.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

MEASURES = ("niqe", "sharpness", "contrast", "colourfulness", "brightness")
COMPARISONS = ("demo-comparison", "demo-comparison-levels", "demo-comparison-types", "demo-comparison-intervals")
SIMILARITY = ("img-2afc", "it-2afc", "text-2afc", "iqa-2afc", "attributes", "odd-one-out", "retrieval")
WAYS = (2, 3, 4, 5, 6)
SHOWN = ("accuracy", "srcc", "plcc", "accuracy_joint", "consistency", "correlation", "retrieval_map", "sum")


def runs() -> list[tuple[str, str, str]]:
    """(model, task, dataset) of everything that can be run."""
    asked = [("nano-vlm", "perception", "demo-perception"), ("nano-vlm", "description", "demo-description")]
    for model in ("nano-vlm", "nano-clip", *MEASURES):
        asked.append((model, "assessment", "demo-assessment"))
        asked += [(model, "comparison", dataset) for dataset in COMPARISONS]
    for model in ("nano-vlm", "nano-clip"):
        asked += [(model, task, f"demo-{task}") for task in SIMILARITY]
        asked += [(model, "it-2afc", f"demo-it-2afc-{ways}-way") for ways in WAYS]
    return asked


def run(model: str, task: str, dataset: str, out: Path, *more: str) -> tuple[list[dict[str, Any]], float]:
    """The records of one run, and how long it took."""
    command = [sys.executable, "-m", "qbench", "run", "--model", model, "--task", task, "--dataset", dataset]
    if task == "description":
        command.append("--lexicon")
    started = time.perf_counter()
    done = subprocess.run([*command, "--out", str(out), "--json", *more], capture_output=True, text=True)
    seconds = time.perf_counter() - started
    if done.returncode:
        print(f"{model:14} {dataset:26} {done.stderr.strip().splitlines()[-1]}", flush=True)
        return [], seconds
    records: list[dict[str, Any]] = json.loads(done.stdout)
    return records, seconds


def show(records: list[dict[str, Any]], seconds: float) -> None:
    """One line for each figure."""
    for record in records:
        for name in SHOWN:
            if (figure := record["metrics"].get(name)) and figure["value"] is not None:
                between = f"{figure['low']:.3f} to {figure['high']:.3f}" if figure["low"] is not None else "no interval"
                line = f"{record['model']:14} {record['dataset']:26} {name:15} {figure['value']:7.3f}"
                print(f"{line}  {between:18} {figure['n']:5} {seconds:6.1f} s", flush=True)


def speed() -> None:
    """Seconds of what a visitor waits for: the median of five, after one that is not counted."""
    from qbench import prompts
    from qbench.datasets.demo.pictures import DEMO_PHOTOS, DemoPicture, ensure_file
    from qbench.images import open_picture
    from qbench.models import open_model
    from qbench.records import Prompt

    started = time.perf_counter()
    import transformers  # noqa: F401

    print(f"nano-vlm import {time.perf_counter() - started:.1f} s")
    with tempfile.TemporaryDirectory() as folder:
        photos = [open_picture(ensure_file(DemoPicture(photo), Path(folder))) for photo in DEMO_PHOTOS]
        form = prompts.COMPARISONS["paper"]
        rate = [
            [Prompt("words", (photo, prompts.RATE), prefill=prompts.RATE_PREFILL, words=("good", "poor"))]
            for photo in photos[:6]
        ]
        pair = [
            [Prompt("text", form(*two), max_tokens=8) for two in ((first, second), (second, first))]
            for first, second in zip(photos[:12:2], photos[1:12:2], strict=True)
        ]
        for name, asked in (("a rating", rate), ("a pair in both orders", pair)):
            started = time.perf_counter()
            model = open_model("nano-vlm")  # anew: one that has seen a photo does not look at it again
            loaded, seconds = time.perf_counter() - started, []
            for prompts_of_one in asked:
                started = time.perf_counter()
                answers = model.respond(prompts_of_one)
                seconds.append(time.perf_counter() - started)
                assert not any(answer.failure for answer in answers)
            print(f"nano-vlm load {loaded:.1f} s, {name}: {sorted(seconds[1:])[2]:.3f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--rated", type=Path)
    parser.add_argument("--images", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        out = options.out or Path(folder)
        for model, task, dataset in runs():
            show(*run(model, task, dataset, out))
        if options.rated:
            more = ("--images", str(options.images)) if options.images else ()
            for model in ("nano-vlm", "nano-clip", *MEASURES):
                for task in ("assessment", "comparison"):
                    show(*run(model, task, str(options.rated), Path(folder), *more))
    speed()


if __name__ == "__main__":
    main()
