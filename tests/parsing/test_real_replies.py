"""Replies that models really gave, read as by their benchmarks' authors. Needs the real data, else skipped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.replies import blink, q_bench, ratings


@pytest.mark.slow(reason="26,000 replies are read by two readers")
def test_replies_to_blink_are_read_as_by_its_authors(shared_data: Path) -> None:
    shares = blink(shared_data)
    assert shares["same"] >= 0.965
    assert shares["otherwise"] <= 0.0025  # about half of these are slips of the authors' own reader
    assert shares["read where the reference reads none"] <= 0.10


def test_accuracies_on_q_bench_dev_are_those_of_letters_alone(shared_data: Path) -> None:
    known = json.loads((shared_data.parent / "facts/newer/doi-vllms-a1-dev-recomputed.json").read_text("utf-8"))
    overall = {row["values"]["overall"] for row in known["rows"]}
    found = q_bench(shared_data)
    for name, (replies, right, unread) in found.items():
        accuracy = 100 * right / replies
        if name == "llama3_2_qbench":  # letters alone give 64.9; its longer replies are read here
            assert 67.5 < accuracy < 68.2
        elif not name.endswith("fp16"):  # of the two precisions of a model the other is in the table
            assert min(abs(accuracy - value) for value in overall) < 0.01, name
        assert unread < 0.012 * replies
    assert sum(each[2] for each in found.values()) <= 0.003 * sum(each[0] for each in found.values())


def test_ratings_after_thoughts_are_read_as_by_their_authors(shared_data: Path) -> None:
    # Theirs take the first number, which is the 3 of "3D model" in these two.
    assert sorted(ratings(shared_data), key=str) == [(3.0, 7.6), (3.0, None)]
