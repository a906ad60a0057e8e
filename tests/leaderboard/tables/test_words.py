from __future__ import annotations

import json

import pytest

from leaderboard.tables import words
from leaderboard.tables.columns import Metric
from qbench.records import Source
from tests.leaderboard.published import published
from tests.split_references import split_reference

SHARE = Metric("accuracy", "Accuracy", "", unit="%", scale=100, decimals=2)


@pytest.mark.parametrize(("value", "text"), [(0.7336, "73.36"), (-0.05, "−5.00"), (-0.00001, "0.00"), (1, "100.00")])
def test_figures_have_true_minus_signs_and_no_negative_zero(value: float, text: str) -> None:
    assert words.figure(value, SHARE) == text


def test_ranges_of_shares() -> None:
    assert words.between([0.49, 0.117]) == "12 to 49\u00a0%"
    assert words.between([0.501, 0.499]) == "50\u00a0%"
    assert words.percent(0.8868, 1) == "88.7\u00a0%"


def test_shares_in_remarks_are_in_the_unit_of_their_column() -> None:
    percent = Metric("accuracy", "Accuracy", "", unit="%", scale=100, decimals=2)
    remark = "weighted they give 0.7408, below 0.852 and 0.7; version 1.0.25"
    assert words.in_unit(remark, percent) == (
        "weighted they give 74.08\u00a0%, below 85.2\u00a0% and 0.7; version 1.0.25"
    )
    assert words.in_unit("the logits give 0.568.", Metric("srcc", "SRCC", "")) == "the logits give 0.568."


def test_sources_are_named_once_by_table() -> None:
    references = [
        "Q-Bench (ICLR 2024), Table 2, row 'Shikra (Vicuna-7B)'",
        "Q-Bench (ICLR 2024), Table 2, row 'Qwen-VL'",
        "2AFC prompting (2024), Table II, first row 'Weighted average', column 'GPT-4V [5]'",
        "2AFC prompting (2024), Table IV, row 'AWGN'",
        "answers.jsonl",
    ]
    assert words.cite([Source("paper", **split_reference(reference)) for reference in references], "abc1234") == (
        "Source: Q-Bench (ICLR 2024), Table 2; 2AFC prompting (2024), Table II, Table IV; answers.jsonl. "
        "Data as of abc1234."
    )
    assert words.cite([], "abc1234") == "Source: not stated. Data as of abc1234."


def test_half_an_interval_is_written_alike_on_every_page() -> None:
    """GPT-4V's 73.36 % of A1, Wilson's interval of 1494 questions: half of 71.07 to 75.54 is 2.235; (.62 - .58) / 2."""
    assert words.half_interval(0.71067, 0.75540, SHARE) == "±2.2"
    assert words.half_interval(0.58, 0.62, Metric("srcc", "SRCC", "")) == "±0.020"
    assert words.half_interval(None, 0.62, SHARE) == ""
    columns = json.loads(published().payload("perception-test"))["columns"]
    assert {column["half_decimals"] for column in columns} == {1}  # by which the board in the browser writes it
