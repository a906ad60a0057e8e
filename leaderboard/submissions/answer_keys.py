"""The answer keys that this server holds: public lists beside their datasets, private ones in a folder of their own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from qbench.datasets.answer_keys import AnswerKey, find_answer_key
from qbench.datasets.known import DatasetFacts


@dataclass(frozen=True)
class HeldKey:
    """An answer key of this server."""

    key: AnswerKey
    private: bool
    """Nothing that is computed from it may be told before it is on the board."""


@dataclass(frozen=True)
class AnswerKeys:
    """Where answer keys are looked for."""

    public: Path
    """A folder for each dataset, named after it; or the lists themselves."""
    private: Path | None = None

    def find(self, facts: DatasetFacts) -> HeldKey | None:
        """The answer key of a dataset, a private one first; None where neither folder has one."""
        for folder, private in ((self.private, True), (self.public, False)):
            key = find_answer_key(facts, folder) if folder else None
            if key is not None:
                return HeldKey(key, private and facts.truth == "people")
        return None
