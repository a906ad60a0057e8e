"""How often nano-iqa's map of a photo is lowest where the photo was damaged: `python -m bench.quality_map`.

One quarter of each demo photo is damaged, by each type at levels 3 to 5. "Found" is the share of photos whose lowest
cell lies in that quarter (without looking: 0.25), with a 95 % interval over photos. "Named" is the share of maps in
which a part stands out, as Probe tells it, and "right" how many of those have their lowest cell in the quarter.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image

from leaderboard.live.quality import QualityMap
from qbench.datasets.demo import make_picture
from qbench.distortions import TYPES, distort
from qbench.models import open_model
from qbench.models.iqa.features import look
from qbench.stats.bootstrap import bootstrap, mean_kernel, percentile
from tools.demo.damage import DEMO_PHOTOS, DemoPicture


class Maker:
    """Maps of pictures in memory, and how long they took."""

    def __init__(self) -> None:
        self._model = open_model("nano-iqa")
        self.seconds: list[float] = []

    def __call__(self, image: Image.Image) -> QualityMap:
        model = self._model
        start = time.perf_counter()
        scores = model.heads.score_map(look(model.backbone, image))
        self.seconds.append(time.perf_counter() - start)
        return QualityMap(tuple(map(tuple, scores.tolist())), float(model.heads.parts.margin[0]))


def is_in(quarter: tuple[int, int], made: QualityMap) -> bool:
    """Whether the lowest cell lies in a quarter, lower and right as 0 or 1."""
    drops = np.array(made.drops)
    row, column = np.unravel_index(drops.argmax(), drops.shape)
    return (int(row >= drops.shape[0] / 2), int(column >= drops.shape[1] / 2)) == quarter


@dataclass(frozen=True)
class Outcome:
    """What the map says of a photo with one damaged quarter."""

    photo: str
    kind: str
    level: int
    found: bool
    """The lowest cell lies in that quarter."""
    named: bool
    """A part stands out."""


def damaged_quarters(
    make: Maker,
    kinds: Sequence[str] = tuple(TYPES),
    photos: Sequence[str] = DEMO_PHOTOS,
    levels: Sequence[int] = (3, 4, 5),
) -> Iterator[Outcome]:
    """Each photo with a quarter, drawn at random, damaged by each type at each level."""
    generator = np.random.default_rng(0)
    for kind in kinds:
        for photo in photos:
            for level in levels:
                down, across = (int(side) for side in generator.integers(2, size=2))
                region = (across / 2, down / 2, (across + 1) / 2, (down + 1) / 2)
                made = make(distort(make_picture(DemoPicture(photo).name), kind, level, seed=level, region=region))
                yield Outcome(photo, kind, level, is_in((down, across), made), made.stands_out)


def line(name: str, found: Sequence[Sequence[bool]], named: Sequence[bool]) -> None:
    """`found` has a list a photo."""
    shares = np.array([np.mean(photo) for photo in found])
    resampled = bootstrap(mean_kernel(shares), len(shares), np.random.default_rng(0))
    estimate = percentile(float(shares.mean()), resampled, len(shares))
    right = [hit for hit, said in zip((hit for photo in found for hit in photo), named, strict=True) if said]
    shown = f"{np.mean(right):.2f}" if right else "–"
    interval = "" if estimate.low is None else f"({estimate.low:.2f} to {estimate.high:.2f})"
    print(f"{name:24} found {estimate.value:.2f} {interval:16} named {np.mean(named):.2f}, right {shown}", flush=True)


def main() -> None:
    asked = argparse.ArgumentParser(description="How often the map is lowest where a photo was damaged.")
    asked.add_argument("--levels", type=int, nargs="+", default=[3, 4, 5])
    asked.add_argument("--kinds", nargs="+", default=list(TYPES), choices=list(TYPES))
    asked.add_argument("--photos", nargs="+", default=list(DEMO_PHOTOS), choices=list(DEMO_PHOTOS))
    options = asked.parse_args()
    make = Maker()
    untouched = [make(make_picture(DemoPicture(photo).name)) for photo in options.photos]
    lowest = sorted(max(map(max, made.drops)) / made.margin for made in untouched)
    print("untouched, lowest cell in margins below the median:", " ".join(f"{drop:.2f}" for drop in lowest))
    print(f"untouched, a part stands out: {sum(made.stands_out for made in untouched)} of {len(untouched)}")
    tried: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in damaged_quarters(make, options.kinds, options.photos, options.levels):
        for group in (outcome.kind, f"all at level {outcome.level}", f"all of {outcome.photo}", "all"):
            tried[group].append(outcome)
        if len(tried[outcome.kind]) == len(options.photos) * len(options.levels):
            report(outcome.kind, tried[outcome.kind], options.photos)
    for group in sorted(group for group in tried if group.startswith("all")):
        report(group, tried[group], options.photos)
    print(f"a map takes {1000 * float(np.median(make.seconds)):.0f} ms beside the score (median)")


def report(name: str, outcomes: Sequence[Outcome], photos: Sequence[str]) -> None:
    by_photo = [[outcome for outcome in outcomes if outcome.photo == photo] for photo in photos]
    in_order = [each for each in by_photo if each]
    found = [[outcome.found for outcome in each] for each in in_order]
    line(name, found, [outcome.named for each in in_order for outcome in each])


if __name__ == "__main__":
    main()
