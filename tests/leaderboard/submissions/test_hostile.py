"""Damaged and hostile uploads: a part of what `python -m tests.leaderboard.submissions.mutants 10000` does."""

from __future__ import annotations

import tracemalloc
import zipfile
from pathlib import Path

import pytest

from leaderboard.submissions.answer_keys import AnswerKeys
from leaderboard.submissions.check import check
from leaderboard.submissions.scoring import ScoringOptions
from tests.leaderboard.submissions.mutants import is_answered, mutants

MB = 2**20


@pytest.mark.parametrize("seed", [11, 12])
def test_every_mutant_is_answered_and_nothing_else_is_written(tmp_path: Path, seed: int) -> None:
    uploads = tmp_path / "uploads"
    uploads.mkdir()
    outcomes = mutants(150, seed, uploads, is_answered)
    assert outcomes["accepted"] > 5  # or the mutants say nothing about what is right
    assert outcomes["refused"] > 50
    assert list(tmp_path.iterdir()) == [uploads]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"img_path": "a", "score": NaN}', "score is nan, not a finite number"),
        ('{"img_path": "a", "score": 1e400}', "score is inf, not a finite number"),
        ('{"img_path": "a", "score": "Infinity"}', "not a finite number"),
        ('{"img_path": "a", "score": ' + "1" * 5000 + "}", "holds a number too long to read"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ("\x1f\x8b\x08\x00", "give the file itself or a zip"),
        ("%PDF-1.7", "is a PDF document; results are JSON"),
    ],
)
def test_each_gets_its_sentence(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "koniq.json"
    path.write_bytes(content.encode("latin-1"))
    [problem] = check(path, "m", ScoringOptions(AnswerKeys(tmp_path / "none"))).problems
    assert any(said in text for text in (problem.sentence, *problem.places)), problem


@pytest.mark.parametrize(
    ("packed", "said"),
    [
        (zipfile.ZIP_DEFLATED, "is not a whole zip archive"),
        (zipfile.ZIP_BZIP2, "compressed in a way that is not read here"),
        (zipfile.ZIP_LZMA, "compressed in a way that is not read here"),
    ],
)
def test_no_more_is_unpacked_than_an_archive_declares(tmp_path: Path, packed: int, said: str) -> None:
    path = tmp_path / "koniq.zip"
    with zipfile.ZipFile(path, "w", packed) as archive:
        archive.writestr("koniq.json", bytes(40 * MB))
    content = bytearray(path.read_bytes())
    at = content.index(b"PK\x01\x02")
    content[at + 24 : at + 28] = (1000).to_bytes(4, "little")
    path.write_bytes(content)
    tracemalloc.start()
    try:
        [problem] = check(path, "m", ScoringOptions(AnswerKeys(tmp_path / "none"))).problems
        assert tracemalloc.get_traced_memory()[1] < 4 * MB
    finally:
        tracemalloc.stop()
    assert said in problem.sentence
