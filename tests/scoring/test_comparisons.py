"""Comparisons against human truth: direction, datasets, what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from qbench.scoring import score_file
from tests.scoring.made_files import QUALITY, complaint, judged, one, rated, value, write


def test_a_perfect_judge_of_csiq_prefers_low_dmos(tmp_path: Path) -> None:
    dmos = {name: -score for name, score in QUALITY.items()}
    truth = write(tmp_path, rated(dmos), "truth.json")
    rows = judged(QUALITY, dataset="CSIQ")
    result = one(write(tmp_path, rows), truth=truth)
    assert result.dataset == "csiq"
    assert [value(result.metrics, name) for name in ("srcc", "accuracy_joint", "accuracy")] == pytest.approx([1, 1, 1])
    assert value(one(write(tmp_path, rows, "csiq.json"), truth=truth).metrics, "srcc") == pytest.approx(1)
    unnamed = one(write(tmp_path, [{**row, "dataset": None} for row in rows]), truth=truth)
    assert value(unnamed.metrics, "srcc") == pytest.approx(-1)


def test_several_datasets_in_one_file_are_several_results(tmp_path: Path) -> None:
    truth = write(tmp_path, rated(QUALITY), "truth.json")
    rows = [*judged(QUALITY, dataset="KonIQ"), *judged(QUALITY, reverse=True, dataset="mine"), *judged(QUALITY)]
    koniq, mine, unnamed = score_file(write(tmp_path, rows), truth=truth)
    assert [result.dataset for result in (koniq, mine, unnamed)] == ["koniq-10k", "mine", "unnamed"]
    assert [round(value(result.metrics, "srcc"), 9) for result in (koniq, mine, unnamed)] == [1, -1, 1]
    assert koniq.status == {"read": 56, "scored": 56, "in_one_order_only": 0}
    chance = koniq.groups["chance"]["coin-flip judge"]
    assert set(chance) == {"srcc", "plcc", "correlation", "correlation_rising"}
    assert abs(value(chance, "srcc")) < 0.3 < value(chance, "correlation")


def test_a_part_of_the_published_list_says_so(tmp_path: Path) -> None:
    rows = judged(QUALITY, dataset="CSIQ")  # of eight images every pair in both orders, as often as seven rounds ask
    [result] = score_file(write(tmp_path, rows), dataset="2afc-coarse")
    assert (result.dataset, result.split) == ("csiq", "coarse")
    assert (result.protocol["limit"], result.protocol["rounds"]) == (8, 7)


def test_unanswered_and_unpaired_comparisons_are_counted(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"first": "a", "second": "b", "choice": "first"},
        {"first": "b", "second": "a", "choice": None},
        {"first": "a", "second": "c", "choice": "tie"},
    ]
    result = one(write(tmp_path, rows))
    assert result.status == {"read": 3, "scored": 2, "in_one_order_only": 1}
    assert result.unscored == {"no usable answer": 1}
    assert result.groups == {}
    assert result.metrics["consistency"].value is None
    assert [value(result.metrics, name) for name in ("first_rate", "second_rate", "tie_rate")] == [0.5, 0, 0.5]


def test_every_compared_image_needs_a_truth(tmp_path: Path) -> None:
    path = write(tmp_path, judged(QUALITY))
    fewer = write(tmp_path, rated({name: score for name, score in QUALITY.items() if score > 1}), "truth.json")
    assert "'images/1.png' is not in truth.json (the only such record)" in complaint(path, truth=fewer)
    unrated = write(tmp_path, [{"img_path": name} for name in QUALITY], "truth.json")
    assert "'images/1.png' has no human score in the truth" in complaint(path, truth=unrated)
