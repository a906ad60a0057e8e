"""Demo datasets: photos that ship with the package, damaged in known ways, and what is true of them by construction.

None of their answers is anybody's opinion. Questions, ratings and right choices follow from the type and level of
damage alone; every record of a run on them says so.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from qbench.datasets.demo import likeness, lineup, quality, worded
from qbench.datasets.demo.shots import Shot, Take, engine_version, stored
from qbench.records import Sample

SETS: Mapping[str, Callable[[Take], list[Sample]]] = {
    "demo-perception": worded.perception,
    "demo-description": worded.describing,
    "demo-assessment": quality.assessment,
    "demo-comparison": quality.comparison,
    "demo-comparison-levels": quality.comparison_levels,
    "demo-comparison-types": quality.comparison_types,
    "demo-comparison-intervals": quality.comparison_intervals,
    "demo-img-2afc": likeness.nearer,
    "demo-it-2afc": worded.image_for_text,
    **{f"demo-it-2afc-{ways}-way": partial(lineup.image_of_many, ways=ways) for ways in lineup.WAYS},
    "demo-text-2afc": worded.text_for_image,
    "demo-iqa-2afc": likeness.better,
    "demo-attributes": likeness.attributes,
    "demo-odd-one-out": likeness.odd_one_out,
    "demo-retrieval": likeness.retrieval,
}
"""Name -> what makes its samples."""


@dataclass(frozen=True)
class DemoList:
    """Samples whose images are file names, and the shots behind these."""

    samples: tuple[Sample, ...]
    shots: Mapping[str, Shot]

    @property
    def revision(self) -> str:
        """SHA-256 of the list."""
        rows = [asdict(sample) for sample in self.samples]
        return hashlib.sha256(json.dumps(rows, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def read_list(name: str) -> DemoList:
    """A demo set without its pictures."""
    shots: dict[str, Shot] = {}

    def take(shot: Shot) -> str:
        shots[shot.name] = shot
        return shot.name

    return DemoList(tuple(SETS[name](take)), shots)


def with_pictures(demo: DemoList, root: Path, limit: int | None = None) -> tuple[Sample, ...]:
    """The first so many samples with the paths of their pictures; what is missing of these is made below `root`."""
    folder = root / f"demo-{engine_version()}"
    used = demo.samples[:limit]
    paths = {name: str(stored(demo.shots[name], folder)) for sample in used for name in sample.images}
    return tuple(
        replace(
            sample,
            images=tuple(paths[name] for name in sample.images),
            reference=paths.get(sample.reference or "", sample.reference),
        )
        for sample in used
    )
