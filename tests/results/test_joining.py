"""What a file was asked, joined with a truth that is known."""

from __future__ import annotations

from pathlib import Path

from qbench.formats.reading import Reading
from qbench.records import Response, Sample
from qbench.results.files import with_truth


def test_missing_are_those_that_the_file_does_not_name_whether_they_are_answered_or_not() -> None:
    truth = [Sample(name, human=score) for name, score in (("a", 1.0), ("b", 2.0), ("c", 3.0), ("d", 4.0))]
    reading = Reading(
        path=Path("scores.json"),
        kind="scores",
        task="assessment",
        samples={name: Sample(name) for name in "ab"},
        responses={"b": Response("b", score=2.0)},
        presented=(),
        status={"read": 2, "repeated": 0},
        sha256="0" * 64,
    )
    joined = with_truth(reading, truth, "truth.json")
    assert (list(joined.samples), list(joined.responses)) == (["a", "b"], ["b"])
    assert joined.status == {"read": 2, "repeated": 0, "missing": 2}
