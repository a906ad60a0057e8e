"""Stored results survive the round trip; anything else is a ValueError that names the field."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from qbench.records import Estimate, Result, Source, Stored
from qbench.tasks import read_stored_result
from tools.record_schema import PATH, as_text

RESULT = Result(
    task="assessment",
    dataset="koniq-10k",
    model="shikra",
    metrics={
        "srcc": Estimate(0.314, 0.29, 0.33, level=0.9, n=10073, method="bootstrap-1000"),
        "plcc": Estimate(None, n=2, note="only 2 scored item(s)"),
        "krcc": Estimate(-0.25, recomputed=0.25, method="printed"),
    },
    source=Source("paper", "Q-Bench, Table 4", "https://arxiv.org/abs/2309.14181", by="質衡", at="2026-01-31"),
    split="dev",
    protocol={"words": "good/poor", "temperature": 100, "nested": [1, {"a": None}]},
    groups={"part": {"game": {"srcc": Estimate(0.0, 0.0, 0.0, n=3)}}},
    unscored={"refused": 3},
    status={"read": 10074, "repeated": 1},
    raw="ba7816bf",
)


def stored() -> Any:
    return json.loads(json.dumps(RESULT.to_json(), allow_nan=False))


def changed(path: str, value: object) -> Any:
    """The stored result with one field replaced; the path's last part may be new."""
    data = stored()
    *parents, last = path.split(".")
    at = data
    for parent in parents:
        at = at[parent]
    at[last] = value
    return data


def test_round_trip() -> None:
    assert Result.from_json(stored()) == RESULT
    assert stored()["metrics"]["srcc"] == {
        "value": 0.314, "low": 0.29, "high": 0.33, "level": 0.9, "n": 10073, "method": "bootstrap-1000"
    }  # fmt: skip


def test_a_record_is_read_without_its_class_s_source(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.11 cannot parse source in two threads at once, and the app reads records in several."""

    @dataclass(frozen=True)
    class Kept(Stored):
        number: int
        """Described."""

    monkeypatch.setattr("ast.parse", lambda *_: pytest.fail("source is parsed"))
    assert Kept.from_json({"number": 3}) == Kept(3)


def test_the_schema_in_the_docs_is_that_of_the_code() -> None:
    """`python -m tools.record_schema` writes it; what it says of records is what the reader takes."""
    assert PATH.read_text(encoding="utf-8") == as_text()
    check = pytest.importorskip("jsonschema").Draft202012Validator(json.loads(as_text())).is_valid
    assert check(stored())
    refused = [("schema", 2), ("task", None), ("extra", 1), ("items", {}), ("metrics.srcc", {}), ("source.kind", "x")]
    for path, value in [*refused, ("unscored.refused", -1), ("metrics.srcc.level", 1)]:
        assert not check(changed(path, value)), path
        with pytest.raises(ValueError, match=r"."):
            Result.from_json(changed(path, value))


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("task", "tasting", "task is 'tasting'"),
        ("extra", 1, "extra: Unexpected keyword argument"),
        ("metrics.srcc", {}, "metrics.srcc.value: Field required"),
        ("metrics.srcc.value", "0.3", "metrics.srcc.value: Input should be a valid number"),
        ("metrics.srcc.value", float("nan"), "an estimate's value is "),
        ("metrics.srcc.low", float("-inf"), "an estimate's low is "),
        ("metrics.srcc.high", 10**400, "an estimate's high is "),
        ("metrics.srcc.low", 0.5, "metrics.srcc has low 0.5 above high 0.33"),
        ("metrics.srcc.level", 1, "metrics.srcc.level: Input should be less than 1"),
        ("metrics.srcc.n", 10**400, "metrics.srcc.n: Input should be less than or equal to 9007199254740992"),
        ("groups.part.game.srcc.value", [], "groups.part.game.srcc.value: Input should be a valid number"),
        ("unscored", {"refused": True}, "unscored.refused: Input should be a valid integer"),
        ("protocol", {"temperature": float("nan")}, "protocol cannot be written as JSON"),
        ("protocol", {"limit": "the first"}, "protocol.limit is 'the first'; expected a count"),
        (
            "protocol",
            {"rounds": "many"},
            "protocol.rounds is 'many'; expected how many rounds of comparisons were asked",
        ),
        ("source.kind", "rumour", "source.kind: Input should be 'paper', 'rescored', 'self-reported' or 'live'"),
    ],
)
def test_malformed_fields_are_named(path: str, value: object, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        read_stored_result(changed(path, value))


@pytest.mark.parametrize("path", ["schema", "metrics.srcc.value", "protocol.x"])
def test_deep_nesting_is_a_value_error_with_a_short_message(path: str) -> None:
    nested: list[object] = []
    for _ in range(100_000):
        nested = [nested]
    with pytest.raises(ValueError, match=r"^.{1,200}$"):
        Result.from_json(changed(path, nested))
