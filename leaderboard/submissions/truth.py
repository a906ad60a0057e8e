"""Ground truth this server holds: public lists where datasets were put, private answers in a folder of their own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from qbench.datasets.demo import read_list
from qbench.datasets.known import DatasetFacts
from qbench.datasets.manifest import read_manifest
from qbench.records import Sample
from qbench.scoring import Truth


@dataclass(frozen=True)
class Held:
    """Truth about one dataset."""

    truth: Truth
    private: bool
    """Nothing that is computed from it may be told before it is on the board."""


@dataclass(frozen=True)
class Truths:
    """Where truth is looked for."""

    public: Path
    """A folder for each dataset, named after it; or the lists themselves."""
    private: Path | None = None

    def find(self, facts: DatasetFacts) -> Held | None:
        """The truth about a dataset; None where no list with answers or scores is here."""
        if facts.truth == "construction":
            return Held(Truth(facts.title, read_list(facts.name).samples), private=False)
        for folder, private in ((self.private, True), (self.public, False)):
            path = _list_of(facts, folder) if folder else None
            samples = tuple(read_manifest(path)) if path else ()
            if path and any(is_known(sample) for sample in samples):
                return Held(Truth(path.name, samples), private)
        return None


def is_known(sample: Sample) -> bool:
    """Whether something is true of a sample: a human score, or which answer is right."""
    return sample.human is not None or sample.answer is not None


def _list_of(facts: DatasetFacts, folder: Path) -> Path | None:
    if facts.sample_list is None:
        return None
    places = (folder / facts.name / facts.sample_list, folder / facts.sample_list)
    return next((path for path in places if path.is_file()), None)
