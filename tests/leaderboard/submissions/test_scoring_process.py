"""Uploads that take a process of their own, and what becomes of those that would take too much."""

from __future__ import annotations

import json
import pickle
import random
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest

from leaderboard.submissions import scoring_process
from leaderboard.submissions.scoring import AnswerKeys, ScoringOptions, score_upload
from leaderboard.submissions.scoring_process import LIMITS, SMALL, is_small, score_apart
from tests.commands.asking import pack


def scores(count: int, name: str = "") -> str:
    rng = random.Random(0)
    rows = [{"img_path": f"{name}{k}.jpg", "score": rng.random(), "gt_score": rng.random()} for k in range(count)]
    return "\n".join(map(json.dumps, rows))


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("large") / "koniq.jsonl"
    path.write_text(scores(300, "x" * 1000), encoding="utf-8")
    assert path.stat().st_size > SMALL
    return path


def options(path: Path) -> ScoringOptions:
    return ScoringOptions(AnswerKeys(path.parent / "none"))


def test_small_files_and_archives_need_no_process(tmp_path: Path, large: Path) -> None:
    small = tmp_path / "koniq.jsonl"
    small.write_text(scores(5), encoding="utf-8")
    assert is_small(small)
    assert not is_small(large)
    assert is_small(pack(tmp_path, {"koniq.jsonl": scores(5)}))
    assert not is_small(pack(tmp_path, {"koniq.jsonl": "0" * (SMALL + 1)}))  # a few hundred bytes as it comes
    assert not is_small(pack(tmp_path, {f"{k}.json": "" for k in range(scoring_process.FEW + 1)}))
    (tmp_path / "broken.zip").write_bytes(b"PK\x05\x06" + b"\xff" * 18)
    assert is_small(tmp_path / "broken.zip")


def test_a_process_says_what_this_one_would(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = score_upload(large, options(large))
    assert expected.accepted and not expected.by_load
    monkeypatch.setattr(scoring_process, "score_upload", lambda *_: pytest.fail("it was scored in this process"))
    report = score_apart(large, options(large))
    [there], [here] = report.results, expected.results
    assert replace(report, results=(replace(there, metrics=here.metrics, groups=here.groups),)) == expected
    assert there.metrics.keys() == here.metrics.keys()
    for name, figure in here.metrics.items():  # sums of another number of threads may end in another last digit
        assert there.metrics[name].value == pytest.approx(figure.value, abs=1e-12)
    assert there.groups.keys() == here.groups.keys() == {"quarter"}
    assert there.items == here.items != {}


SLOW = pytest.mark.slow(reason="starts a process that imports what scoring needs")


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (replace(LIMITS, longest=0.0), "checking it took longer than 0 seconds and was stopped; hand it in in parts"),
        pytest.param(replace(LIMITS, memory=2**20), "checking it took more than 0 GB of memory and", marks=SLOW),
    ],
)
def test_what_takes_too_much_is_stopped_and_said_to_be_of_now(
    large: Path, limits: scoring_process.ProcessLimits, said: str
) -> None:
    report = score_apart(large, options(large), limits)
    [problem] = report.problems
    assert said in problem.sentence
    assert report.by_load


@SLOW
def test_what_takes_too_much_of_the_processor_is_stopped(tmp_path: Path) -> None:
    path = tmp_path / "koniq.jsonl"
    path.write_text(scores(200_000), encoding="utf-8")  # many times as long as the limit on any computer
    [problem] = score_apart(path, options(path), replace(LIMITS, seconds=1)).problems
    assert "checking it took longer than 1 seconds of a core, or" in problem.sentence


def test_only_records_come_back() -> None:
    with pytest.raises(pickle.UnpicklingError, match=r"system is no record"):
        scoring_process._Records(BytesIO(pickle.dumps(__import__("os").system))).load()
