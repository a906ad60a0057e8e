from __future__ import annotations

from dataclasses import replace

import pytest

from leaderboard.store import Recorded, records_of
from leaderboard.tables.provenance import describe_origin, source_place
from tests.leaderboard.made import result
from tests.split_references import files, rewritten, split_reference


def record(reference: str) -> Recorded:
    made = result("alpha")
    [found] = records_of([replace(made, source=replace(made.source, **split_reference(reference)))])
    return found


@pytest.mark.parametrize(
    ("reference", "place"),
    [
        ("Q-Bench (ICLR 2024), Table 4, row 'NIQE', column 'SPAQ'", "Q-Bench (ICLR 2024), Table 4"),
        (
            "Q-Bench: A Benchmark (README), Q-Future/Q-Bench README.md at f19783e, row 'x'",
            "Q-Bench, Q-Future/Q-Bench README.md",
        ),
        (
            "Towards Open-ended Visual Quality Comparison, Table 5, row 'x'",
            "Towards Open-ended Visual Quality Comparison, Table 5",
        ),
        (
            "recomputed from released logits (commit f19783e), IQA_outputs/shikra/agi.json",
            "recomputed from released logits (commit f19783e)",
        ),
        ("answers.jsonl", "answers.jsonl"),
    ],
)
def test_the_place_of_a_record_leaves_out_its_row(reference: str, place: str) -> None:
    assert source_place(record(reference)) == place


def test_published_records_have_title_table_and_row_apart() -> None:
    for path in files():
        text = path.read_text(encoding="utf-8")
        assert rewritten(text) == text, path.name


def test_how_a_record_was_made_is_in_words() -> None:
    [made] = records_of([result("alpha")])
    protocol = {
        "class": "metric-no-reference",
        "training_data": [],
        "trained_on": False,
        "ranking": "map",
        "average_of": ["koniq-10k", "spaq"],
        "it_2afc_training": ["hq-edit"],
        "model": {"checkpoint": "8ed771477c64e1a538565107ed905b80df7b8309446b40eb56f9aadd587eda5b", "revision": None},
    }
    told = describe_origin(replace(made, result=replace(made.result, protocol=protocol)))["protocol"]
    assert told == [
        "class: metric of the picture alone",
        "trained on this dataset: no",
        "ranking: MAP",
        "average of: KonIQ-10k + SPAQ",
        "IT-2AFC training data: HQ-Edit",
        "model: checkpoint 8ed771477c64…",
    ]
