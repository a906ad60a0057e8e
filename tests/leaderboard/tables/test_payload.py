from __future__ import annotations

import json
from typing import Any

import orjson

from leaderboard.store import records_of
from leaderboard.store.submission import Entry, Metadata
from leaderboard.tables.columns import EVERYTHING, ColumnChoice
from leaderboard.tables.models import FindModel, group_by_model
from leaderboard.tables.payload import make_payload
from leaderboard.tables.table import build_table
from qbench.models.catalogue import ModelFacts
from qbench.records import Estimate, Result
from tests.leaderboard.handed_in import submission
from tests.leaderboard.made import board, find_model, result


def payload_of(*results: Result, find: FindModel = find_model) -> dict[str, Any]:
    made = board()
    payload = make_payload(
        build_table(group_by_model(records_of(results), find), made, made.choose(EVERYTHING)), "abc1234"
    )
    return json.loads(orjson.dumps(payload, option=orjson.OPT_SERIALIZE_NUMPY))


def test_columns_of_figures_references_first() -> None:
    payload = payload_of(result("alpha", "a", 0.12345678), result("people", "a", 0.9), result("beta", "b", 0.5))
    keys = [column["key"] for column in payload["columns"]]
    assert payload["ids"] == ["people", "alpha", "beta"]
    assert payload["references"] == 1
    assert payload["values"][keys.index("a/srcc")] == [0.9, 0.123457, None]
    assert payload["values"][keys.index("a/plcc")] is None
    assert payload["models"]["parameters"] == [None, 7.0, None]


def test_a_remark_is_stored_once_with_its_cells() -> None:
    absent = Estimate(None, note="not evaluated")
    payload = payload_of(result("alpha", "a", absent), result("alpha", "b", 0.1), result("beta", "a", absent))
    (note,) = [note for note in payload["notes"] if payload["texts"][note["text"]] == "not evaluated"]
    keys = [column["key"] for column in payload["columns"]]
    assert note["kind"] == "absent"
    assert note["cells"] == [keys.index("a/srcc")]  # beta has no figure at all, so no row


def test_cells_of_images_that_a_model_has_seen() -> None:
    payload = payload_of(
        result("alpha", "b", 0.6),
        result("beta", "b", 0.5, protocol={"trained_on": True}),
        find=lambda name: ModelFacts(name, name, "model", images_seen={"b": 0.95}),
    )
    keys = [column["key"] for column in payload["columns"]]
    assert payload["images_seen"] == [[keys.index("b/srcc"), 0.95]]  # beta's were in training with their scores


def test_records_of_one_upload_are_one_entry() -> None:
    upload = {"kind": "rescored", "reference": "answers.jsonl"}
    payload = payload_of(
        result("alpha", "a", 0.5, **upload),
        result("alpha", "b", 0.6, **upload),
        result(
            "alpha", "a", 0.55, reference="Table 4", protocol={"words": {"positive": ["good", "fine"]}, "cot": False}
        ),
    )
    (origins,) = payload["origins"]
    said = [(payload["texts"][origin["reference"]], origin.get("shown"), origin.get("passed")) for origin in origins]
    keys = [column["key"] for column in payload["columns"]]
    a, b = keys.index("a/srcc"), keys.index("b/srcc")
    assert sorted(said) == [("Table 4", [a], None), ("answers.jsonl", [b], [[a, 0.5]])]
    assert {"words: positive good + fine", "cot: no"} <= set(payload["texts"])


def test_what_was_handed_in_says_how_it_was_made_in_its_authors_words() -> None:
    made = submission(metadata=Metadata("alpha", prompts="Rate it.", trained_on=("KonIQ-10k", "SPAQ")))
    accepted = Entry(made, made.digest, "accepted", url="https://example.org/file")
    records = [*records_of([result("alpha", "a", 0.4)]), *records_of(made.results, accepted)]
    payload = make_payload(build_table(group_by_model(records, find_model), board(), ColumnChoice()), "abc1234")
    (printed,), (handed,) = (
        [origin for origin in payload["origins"][0] if origin["kind"] == kind] for kind in ("paper", "self-reported")
    )
    assert "submission" not in printed
    texts = [payload["texts"][handed[name]] for name in ("prompts", "trained", "submission", "kept")]
    assert texts == ["Rate it.", "KonIQ-10k, SPAQ", made.digest, "https://example.org/file"]
