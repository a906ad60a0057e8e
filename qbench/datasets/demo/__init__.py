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

from qbench.datasets.demo import n_way_sets, rated_sets, similarity_sets, text_sets
from qbench.datasets.demo.pictures import AddPicture, DemoPicture, ensure_file, pixels_version
from qbench.records import Sample

DEMO_SETS: Mapping[str, Callable[[AddPicture], list[Sample]]] = {
    "demo-perception": text_sets.perception_samples,
    "demo-description": text_sets.description_samples,
    "demo-assessment": rated_sets.assessment_samples,
    "demo-comparison": rated_sets.comparison_samples,
    "demo-comparison-levels": rated_sets.samples_by_level,
    "demo-comparison-types": rated_sets.samples_by_type,
    "demo-comparison-intervals": rated_sets.samples_by_interval,
    "demo-img-2afc": similarity_sets.nearer_image_samples,
    "demo-it-2afc": text_sets.image_for_caption_samples,
    **{f"demo-it-2afc-{count}-way": partial(n_way_sets.n_way_samples, ways=count) for count in n_way_sets.WAY_COUNTS},
    "demo-text-2afc": text_sets.caption_for_image_samples,
    "demo-iqa-2afc": similarity_sets.better_quality_samples,
    "demo-attributes": similarity_sets.attribute_samples,
    "demo-odd-one-out": similarity_sets.odd_one_out_samples,
    "demo-retrieval": similarity_sets.retrieval_samples,
}
"""Name -> what makes its samples."""


@dataclass(frozen=True)
class DemoSet:
    """Samples whose images are file names, and the pictures of these names."""

    samples: tuple[Sample, ...]
    pictures: Mapping[str, DemoPicture]

    @property
    def revision(self) -> str:
        """SHA-256 of the samples: of what the set holds, however the code that makes it is written."""
        rows = [asdict(sample) for sample in self.samples]
        return hashlib.sha256(json.dumps(rows, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def make_demo_set(name: str) -> DemoSet:
    """A demo set without files of its pictures."""
    pictures: dict[str, DemoPicture] = {}

    def add(picture: DemoPicture) -> str:
        pictures[picture.name] = picture
        return picture.name

    return DemoSet(tuple(DEMO_SETS[name](add)), pictures)


def with_picture_files(demo: DemoSet, root: Path, limit: int | None = None) -> tuple[Sample, ...]:
    """The first so many samples with the paths of their pictures; what is missing of these is made below `root`."""
    folder = root / f"demo-{pixels_version()}"
    used = demo.samples[:limit]
    paths = {name: str(ensure_file(demo.pictures[name], folder)) for sample in used for name in sample.images}
    return tuple(
        replace(
            sample,
            images=tuple(paths[name] for name in sample.images),
            reference=paths.get(sample.reference or "", sample.reference),
        )
        for sample in used
    )
