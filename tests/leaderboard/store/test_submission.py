"""Submissions as they are named and read, and answers to a study, kept once for each person."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from leaderboard.store.local import Store
from leaderboard.store.submission import (
    Metadata,
    StudyAnswers,
    Submission,
    record_bytes,
)
from tests.hub_double import Hub
from tests.leaderboard.handed_in import submission
from tests.leaderboard.made import result
from tests.leaderboard.store.conftest import MakeStore


def test_a_submission_from_before_relations_were_asked_keeps_its_name() -> None:
    """As computed by the version that wrote such files."""
    old = submission(supersedes="a" * 64)
    assert "relation" not in old.to_json()
    assert Submission.from_json(old.to_json()).relation == ""
    assert old.digest == "c82920806752adb004cdf050fc977248c7c332f1b7799137451beabe5a6740df"
    assert old.content == "f6a40628113bea2df9c416cdaef57eb112f3d1fe6c95dca515095e015e18fa21"
    results = (result("alpha", srcc=1), result("alpha", "b", at="2026-01-01"))
    made = submission(results=results, supersedes="a" * 64, relation="correction")
    again = Submission.from_json(json.loads(record_bytes(made)))
    assert again == made
    assert (again.digest, again.content) == (made.digest, made.content)
    assert record_bytes(again) == record_bytes(Submission.from_json(made.to_json()))  # numbers as JSON has them


def test_all_but_the_time_names_the_submission_and_results_alone_what_is_handed_in_again() -> None:
    made = submission()
    assert submission(at="2026-06-01T00:00:00Z").digest == made.digest
    random = [replace(made, salt="5a17"), replace(made, code_digest="c" * 64)]
    other_words = replace(made, metadata=replace(made.metadata, organisation="Other"))
    said = [submission(identity=None), submission(identity="bea"), submission(supersedes="b" * 64), other_words]
    said.append(replace(made, relation="correction"))
    assert len({made.digest, *(other.digest for other in random + said)}) == 8
    assert {other.unsalted for other in random} == {made.unsalted} == {made.digest}
    assert made.unsalted not in {other.unsalted for other in said}
    assert {other.content for other in random + said} == {made.content}
    assert submission(value=0.6).content != made.content
    with pytest.raises(ValueError, match="code_digest is 'c0de'"):
        replace(made, code_digest="c0de")


NO_TEXT = (0x00, 0x08, 0x0B, 0x1F, 0x7F, 0x9F, *range(0x2028, 0x202F), *range(0x2066, 0x206A))
"""Controls of C0, C1 and DEL at their ends, separators of lines and paragraphs, what turns the direction of text."""
BAD_METADATA: list[tuple[dict[str, Any], str]] = [
    ({"model": " "}, "model is empty"),
    ({"model": "x" * 121}, "model has 121 characters"),
    ({"model": "a\x1b[31mb"}, "control characters"),
    *[({"organisation": f"evil{chr(code)}gnp.exe"}, "control characters") for code in NO_TEXT],
    ({"model": "half \ud800"}, "half a character"),
    ({"link": "javascript:alert(1)"}, "link is"),
    ({"link": 'https://x.org/"onclick="x'}, "link is"),
    ({"parameters": 0}, "billions"),
    ({"parameters": 1e6}, "billions"),
    ({"parameters": float("nan")}, "billions"),
    ({"parameters": True}, "parameters: .*found True"),
    ({"parameters": "7B"}, "parameters: .*found '7B'"),
    ({"open": 1}, "open: .*found 1"),
    ({"trained_on": "KonIQ"}, "trained_on: .*found 'KonIQ'"),
    ({"trained_on": [1]}, "trained_on.0: .*found 1"),
    ({"trained_on": ["a"] * 101}, "at most 100"),
    ({"contact": "me@example.org"}, "contact: Unexpected keyword argument"),
]


@pytest.mark.parametrize(("change", "sentence"), BAD_METADATA)
def test_what_is_said_is_read_strictly(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Metadata.from_json({"model": "alpha", **change})


BAD_SUBMISSIONS: list[tuple[dict[str, Any], str]] = [
    ({"schema": 2}, "schema is 2"),
    ({"schema": True}, "schema is True"),
    ({"results": []}, "0 results"),
    ({"results": {}}, "results: Input should be a valid tuple"),
    ({"metadata": None}, "metadata: .*found None"),
    ({"submitted_at": "yesterday"}, "submitted_at is 'yesterday'"),
    ({"submitted_at": "2026-01-01T00:00:00"}, "submitted_at"),
    ({"identity": 3}, "identity: .*found 3"),
    ({"supersedes": "../../etc/passwd"}, "supersedes is"),
    ({"status": "accepted"}, "status: Unexpected keyword argument"),
    ({"relation": "rival"}, "relation: Input should be '', 'reproduction' or 'correction', found 'rival'"),
    ({"submitted_at": 3}, "submitted_at: Input should be a valid string, found 3"),
    ({"results": [3]}, "result is int; expected an object"),
    ({"metadata": {"model": "a", "x": 1}}, "metadata.x: Unexpected keyword argument"),
]


@pytest.mark.parametrize(("change", "sentence"), BAD_SUBMISSIONS)
def test_submissions_are_read_strictly(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Submission.from_json({**submission().to_json(), **change})


ADA = StudyAnswers(
    "study2345678", "a" * 32, "2026-05-01T10:00:00+00:00", 30.0, (("a", "b", "first"), ("b", "a", "tie"))
)
BEA = replace(ADA, person="b" * 32, answered_at="2026-05-01T09:00:00+00:00")
ELSEWHERE = replace(ADA, study="other2345678")


def allow(_everybody: tuple[StudyAnswers, ...]) -> None:
    """Refuse nothing."""


def test_answers_are_there_for_whoever_opens_the_store_by_study_and_time(tmp_path: Path) -> None:
    for answers in (ADA, BEA, ELSEWHERE):
        Store(tmp_path).add_answers(answers, allow)
    assert Store(tmp_path).load_answers(ADA.study) == (BEA, ADA)
    assert Store(tmp_path).load_answers("none23456789") == ()
    assert Store(tmp_path).load().entries == ()  # they are no submissions


def test_they_are_sent_to_the_hub_and_fetched_from_it(make_store: MakeStore, hub: Hub) -> None:
    store, other = make_store("store"), make_store("other")
    for answers in (ADA, BEA, ELSEWHERE):
        store.add_answers(answers, allow)
    hub.away = True
    assert store.load_answers(ADA.study) == (BEA, ADA)  # safe here before the Hub has them
    hub.away = False
    store.sync()
    other.sync()
    assert other.load_answers(ADA.study) == (BEA, ADA)
    assert f"answers/{ADA.digest[:2]}/{ADA.digest}.json" in (hub.tree() or {})


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text.replace("first", "fourth"),
        lambda text: text.replace("a" * 32, "c" * 32),
        lambda text: text.replace('"schema": 1', '"schema": 2'),
        lambda text: text[:40],
    ],
)
def test_a_file_that_is_none_is_left_out(tmp_path: Path, damage: Callable[[str], str]) -> None:
    store = Store(tmp_path)
    store.add_answers(ADA, allow)
    (path,) = tmp_path.glob("answers/*/*.json")
    path.write_text(damage(path.read_text(encoding="utf-8")), encoding="utf-8")
    assert store.load_answers(ADA.study) == ()
