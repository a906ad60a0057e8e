"""How good the models that come with the project are, in one table with 95 % intervals, beside floors and goals.

    QBENCH_TEST_DATA=FOLDER python -m bench.embedded

Rows on rated phone photos (SQAD) need its folder `sqad` in QBENCH_TEST_DATA and are left out without it; people's
ratings of synthetic damage are not part of this project. The other rows are the demo sets, whose truth is construction,
how often nano-iqa scores a demo photo above the same photo at level 3 of each type of damage, and how often its map
finds a damaged quarter (`bench.quality_map` has that by type), with intervals over photos. `bench.probe` says how long
a probe takes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench.quality_map import Maker, damaged_quarters
from qbench.datasets.demo import ensure_file
from qbench.distortions import TYPES
from qbench.images import open_picture
from qbench.models import open_model
from qbench.records import Prompt
from qbench.stats.bootstrap import bootstrap, mean_kernel, percentile
from tools.demo.damage import DEMO_PHOTOS, Damage, DemoPicture

SIMILARITY = ("img-2afc", "it-2afc", "text-2afc", "iqa-2afc", "attributes", "odd-one-out", "retrieval")
NAMES = ("nano-iqa", "nano-vlm", "nano-clip")
LEVEL = 3
UNTOUCHED, QUARTER = f"untouched above level {LEVEL}", "damaged quarter found"
FLOORS = {
    ("nano-iqa", "sqad", "srcc"): (0.60, 0.66),
    ("nano-vlm", "sqad", "srcc"): (0.52, 0.60),
    ("nano-iqa", UNTOUCHED, "share of pairs"): (0.93, 0.97),
    ("nano-iqa", QUARTER, "share of photos"): (0.86, 0.92),
    ("nano-vlm", "demo-perception", "accuracy"): (0.70, 0.78),
}
"""Model, dataset and figure -> what it is to be at least, and better."""


def rows() -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    """Model, task, dataset and the figures to print."""
    rated = Path(os.environ.get("QBENCH_TEST_DATA", "")) / "sqad" / "mos.json"
    for name in NAMES:
        if os.environ.get("QBENCH_TEST_DATA") and rated.is_file():
            yield name, "assessment", str(rated), ("srcc", "plcc", "plcc_fitted")
        yield name, "assessment", "demo-assessment", ("srcc", "plcc")
        yield name, "comparison", "demo-comparison", ("consistency", "accuracy_joint", "accuracy_consistent")
    yield "nano-vlm", "perception", "demo-perception", ("accuracy",)
    for task in SIMILARITY:
        yield "nano-clip", task, f"demo-{task}", ("accuracy", "retrieval_map")
    for count in range(2, 7):
        yield "nano-clip", "it-2afc", f"demo-it-2afc-{count}-way", ("accuracy",)


def run(model: str, task: str, dataset: str, out: Path, *more: str) -> list[dict[str, Any]]:
    """The records of one run, by the command that a user would type."""
    command = [sys.executable, "-m", "qbench", "run", "--model", model, "--task", task, "--dataset", dataset]
    done = subprocess.run([*command, "--out", str(out), "--json", *more], capture_output=True, text=True, check=True)
    records: list[dict[str, Any]] = json.loads(done.stdout)
    return records


def prefers_untouched(folder: Path) -> None:
    """Print how often nano-iqa scores the untouched photo higher, over all types of damage, and the types it fails."""
    model = open_model("nano-iqa")

    def score(photo: str, damage: Damage | None = None) -> float:
        picture = open_picture(ensure_file(DemoPicture(photo, damage).name, folder))
        [response] = model.respond([Prompt("score", (picture,))])
        assert response.score is not None, response.failure
        return response.score

    right = np.array(
        [
            [fine > score(photo, Damage(kind, LEVEL)) for kind in TYPES]
            for photo, fine in [(photo, score(photo)) for photo in DEMO_PHOTOS]
        ]
    )
    line_by_photo(UNTOUCHED, "share of pairs", right)
    missed = sorted(zip(right.mean(axis=0), TYPES, strict=True))[:6]
    print("  least often: " + ", ".join(f"{kind} {share:.2f}" for share, kind in missed))


def finds_quarter() -> None:
    """Print how often the lowest cell of nano-iqa's map lies in the quarter that was damaged."""
    found = {photo: [] for photo in DEMO_PHOTOS}
    for outcome in damaged_quarters(Maker()):
        found[outcome.photo].append(outcome.found)
    line_by_photo(QUARTER, "share of photos", np.array([*found.values()]))


def line_by_photo(dataset: str, figure: str, right: np.ndarray) -> None:
    """Photo × what was tried on it: the mean, with an interval over photos."""
    shares = right.mean(axis=1)
    resampled = bootstrap(mean_kernel(shares), len(shares), np.random.default_rng(0))
    estimate = percentile(float(shares.mean()), resampled, len(shares))
    line("nano-iqa", dataset, figure, estimate.value, estimate.low, estimate.high)


def line(model: str, dataset: str, figure: str, value: float | None, low: float | None, high: float | None) -> None:
    shown = "–" if value is None else f"{value:.3f}"
    between = "no interval" if low is None or high is None else f"{low:.3f} to {high:.3f}"
    wanted = ""
    if value is not None and (model, dataset, figure) in FLOORS:
        floor, goal = FLOORS[model, dataset, figure]
        wanted = f"  floor {floor:.2f} {'met' if value >= floor else 'missed'}, goal {goal:.2f}"
        wanted += " met" if value >= goal else " missed"
    print(f"{model:10} {dataset:28} {figure:19} {shown:>7}  {between}{wanted}", flush=True)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for model, task, dataset, figures in rows():
            more = ("--images", str(Path(dataset).parent)) if dataset.endswith(".json") else ()
            records = run(model, task, dataset, Path(folder) / "out", *more)
            for record in records:
                for name in figures:
                    if found := record["metrics"].get(name):
                        line(model, record["dataset"], name, found["value"], found["low"], found["high"])
            for name in figures if len(records) > 1 else ():
                values = [record["metrics"][name]["value"] for record in records]
                line(model, f"{dataset}, mean of {len(values)}", name, float(np.mean(values)), None, None)
        prefers_untouched(Path(folder) / "pictures")
        finds_quarter()


if __name__ == "__main__":
    main()
