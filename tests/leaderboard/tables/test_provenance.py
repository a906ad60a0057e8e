from __future__ import annotations

import pytest

from leaderboard.store import Recorded, records_of
from leaderboard.tables.provenance import source_place
from tests.leaderboard.made import result


def record(reference: str) -> Recorded:
    [made] = records_of([result("alpha", reference=reference)])
    return made


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
