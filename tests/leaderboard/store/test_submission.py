"""Submissions as they are named and read, answers to a study, once for each person, and items that pair models."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leaderboard.analysis.compare import compare_models
from leaderboard.snapshot import Snapshot
from leaderboard.store import records_of
from leaderboard.store.hub import HubStore
from leaderboard.store.local import Store
from leaderboard.store.submission import (
    Decision,
    Metadata,
    StudyAnswers,
    Submission,
    Withdrawal,
    record_bytes,
)
from qbench.records import Items, Result
from tests.hub_double import Hub
from tests.leaderboard.handed_in import NOON, submission
from tests.leaderboard.made import board, find_model, result
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
    ({"parameters": "7B"}, "parameters: .*found '7B'"),
    ({"open": 1}, "open: .*found 1"),
    ({"trained_on": "KonIQ"}, "trained_on: .*found 'KonIQ'"),
    ({"trained_on": ["a"] * 101}, "at most 100"),
    ({"contact": "me@example.org"}, "contact: Unexpected keyword argument"),
]


@pytest.mark.parametrize(("change", "sentence"), BAD_METADATA)
def test_what_is_said_is_read_strictly(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Metadata.from_json({"model": "alpha", **change})
    longest = {"model": "x" * 120, "prompts": "x" * 4000, "parameters": 999_999.0, "trained_on": ["a"] * 100}
    assert longest.items() <= Metadata.from_json(longest).to_json().items()


BAD_SUBMISSIONS: list[tuple[dict[str, Any], str]] = [
    ({"schema": 2}, "schema is 2"),
    ({"schema": True}, "schema is True"),
    ({"results": []}, "0 results"),
    ({"results": {}}, "results: Input should be a valid tuple"),
    ({"metadata": None}, "metadata: .*found None"),
    ({"submitted_at": "yesterday"}, "submitted_at is 'yesterday'"),
    ({"submitted_at": "2026-01-01T00:00:00"}, "submitted_at"),
    ({"supersedes": "../../etc/passwd"}, "supersedes is"),
    ({"status": "accepted"}, "status: Unexpected keyword argument"),
    ({"relation": "rival"}, "relation: Input should be '', 'reproduction' or 'correction', found 'rival'"),
    ({"results": [3]}, "result is int; expected an object"),
    ({"metadata": {"model": "a", "x": 1}}, "metadata.x: Unexpected keyword argument"),
]


@pytest.mark.parametrize(("change", "sentence"), BAD_SUBMISSIONS)
def test_submissions_are_read_strictly(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Submission.from_json({**submission().to_json(), **change})


@pytest.mark.parametrize("field", ["by", "reason"])
def test_a_decision_and_a_withdrawal_have_texts_of_500_characters_at_most(field: str) -> None:
    made = Withdrawal("a" * 64), Decision("a" * 64, "declined", "owner", NOON)
    for record in made:
        assert getattr(replace(record, **{field: "x" * 500}), field)
        with pytest.raises(ValueError, match=f"{field} has 501 characters"):
            replace(record, **{field: "x" * 501})


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


TRUTH = np.random.default_rng(2).normal(size=60).round(3)


def scored(model: str, noise: float, **protocol: str) -> Result:
    values = TRUTH + noise * np.random.default_rng(len(model)).normal(size=60)
    items = Items("srcc", tuple(f"{i}.jpg" for i in range(60)), tuple(values.tolist()), tuple(TRUTH.tolist()))
    made = result(model, "a", 0.9 - noise / 10, kind="rescored")
    return replace(made, raw=f"{len(model):064x}", items={"srcc": items}, protocol=protocol)


def handed_in(result: Result, identity: str | None = "ada") -> Submission:
    return submission(result.model, identity=identity, results=(result,))


def verdict(store: Store, first: str, second: str, *shipped: Result) -> bool:
    """Whether two models are tested on the same items."""
    loaded = store.load()
    snapshot = Snapshot(replace(loaded, records=loaded.records + records_of(shipped)), (board(),), find_model)
    [difference] = compare_models(snapshot, "made", [first, second]).differences
    return difference.paired


def test_two_submissions_and_a_shipped_record_are_paired(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add(handed_in(scored("alpha", 0.2)))
    store.add(handed_in(scored("gamma rays", 2.0)))
    assert verdict(Store(tmp_path), "alpha", "gamma rays")  # as another process reads it
    assert verdict(store, "alpha", "beta", scored("beta", 1.0))


def test_nothing_is_kept_of_private_answers_or_without_an_account(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add(handed_in(scored("alpha", 0.2, answers="private")))
    store.add(handed_in(scored("gamma rays", 2.0), identity=None))
    assert not (tmp_path / "items").exists()
    assert not verdict(store, "alpha", "beta", scored("beta", 1.0))


def test_items_are_never_sent_to_the_hub(hub: Hub, make_store: Callable[..., HubStore]) -> None:
    store = make_store()
    store.add(handed_in(scored("alpha", 0.2)))
    store.sync()
    [sent] = [record.result for record in store.load().records]
    assert set(sent.items) == {"srcc"}
    there = list(hub.tree() or {})
    assert any(path.startswith("submissions/") for path in there)
    assert not any("items" in path for path in there)
