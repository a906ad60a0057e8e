from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from leaderboard.boards import all_boards
from leaderboard.export import find_metric_on
from leaderboard.export.every_eval import every_eval_ever
from qbench.formats.reported import RANGES
from qbench.records import Estimate
from tests.leaderboard.made import board, find_model, result
from tests.leaderboard.published import published

FIND_METRIC = find_metric_on([board()])
INTERVAL = Estimate(0.5, 0.4, 0.6, level=0.9, n=120, method="bootstrap-1000", note="few")


def export(*results: Any) -> dict[str, Any]:
    files = every_eval_ever(results, FIND_METRIC, find_model, "Lab", 1_780_000_000)
    return {path: json.loads(text) for path, text in files.items()}


def test_a_record_is_a_document_with_its_interval_and_source() -> None:
    ((path, document),) = export(result("Alpha (7B)", srcc=INTERVAL, kind="rescored")).items()
    assert path.rsplit("/", 1)[0] == "data/a/One/Alpha-7B"
    assert document["schema_version"] == "0.3.0"
    assert document["evaluation_id"] == "a/One/Alpha-7B/1780000000"
    assert document["retrieved_timestamp"] == "1780000000"
    assert document["model_info"]["name"] == "Alpha"
    assert document["model_info"]["additional_details"]["model_availability"] == "open_weights"
    assert document["eval_library"]["name"] == "qbench"
    assert document["source_metadata"]["source_type"] == "evaluation_run"
    (row,) = document["evaluation_results"]
    assert row["metric_config"]["metric_id"] == "srcc"
    assert row["metric_config"]["lower_is_better"] is False
    assert row["score_details"] == {
        "score": 0.5,
        "uncertainty": {
            "confidence_interval": {
                "lower": 0.4,
                "upper": 0.6,
                "confidence_level": 0.9,
                "method": "bootstrap-1000",
            },
            "num_samples": 120,
        },
        "details": {"note": "few"},
    }


def test_what_others_reported_is_not_called_ours() -> None:
    relations = {}
    for kind in ("paper", "self-reported", "live"):
        (document,) = export(result("beta", kind=kind)).values()
        relations[kind] = (document["source_metadata"]["evaluator_relationship"], document["eval_library"]["name"])
    assert relations == {
        "paper": ("other", "unknown"),
        "self-reported": ("first_party", "unknown"),
        "live": ("third_party", "qbench"),
    }


def test_the_owner_is_the_source_of_what_was_computed_here_alone() -> None:
    own = {kind: result("beta", kind=kind) for kind in ("paper", "self-reported", "rescored", "live")}
    by_ada = replace(own["self-reported"], source=replace(own["self-reported"].source, by="ada"))
    named = {}
    for name, made in {**own, "of ada": by_ada}.items():
        (document,) = export(made).values()
        named[name] = document["source_metadata"]["source_organization_name"]
    assert named == {
        "paper": "unknown",
        "self-reported": "unknown",
        "of ada": "ada",
        "rescored": "Lab",
        "live": "Lab",
    }


def test_every_metric_of_the_boards_has_its_range_and_every_published_value_lies_in_it() -> None:
    find_metric = find_metric_on(all_boards())
    assert {
        column.metric.key for board in all_boards() for column in board.columns if not column.metric.counted
    } <= RANGES.keys()
    for known in published().loaded.results:
        for key, estimate in known.metrics.items():
            if find_metric(known, key) and estimate.value is not None:
                low, high = RANGES[key]
                assert low <= estimate.value <= high, (result.model, result.dataset, key)
