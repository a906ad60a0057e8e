from __future__ import annotations

from typing import Any

import pytest

from leaderboard.analysis.overview import find_timeline
from leaderboard.charts.overview import LARGEST, mark_size, timeline_chart
from tests.leaderboard.dated import dated_table


@pytest.fixture(scope="module")
def drawn() -> dict[str, Any]:
    """Name of a trace -> the trace."""
    chart = timeline_chart(find_timeline(dated_table(), {}))
    return {trace.name: trace for trace in chart.figure.data}


def test_each_kind_of_weights_has_marks_of_its_own(drawn: dict[str, Any]) -> None:
    assert list(drawn["open weights"].y) == [60, 50, 49, 70, 75]
    assert list(drawn["closed"].y) == [80]
    assert drawn["open weights"].marker.symbol != drawn["closed"].marker.symbol


def test_the_best_so_far_runs_to_the_newest_model(drawn: dict[str, Any]) -> None:
    assert list(drawn["best so far"].x) == ["2023-05", "2024-01", "2024-03"]
    assert list(drawn["best so far"].y) == [60, 80, 80]
    assert [name.strip() for name in drawn["names"].text] == ["Twin", "Level"]


def test_a_mark_tells_its_model_and_leads_to_its_row(drawn: dict[str, Any]) -> None:
    said, address = drawn["closed"].customdata[0]
    assert said == "Level: 80.0 % (size not known, closed, released 2024-01)"
    assert address == "?tab=leaderboard&board=made&q=Level"


def test_the_area_of_a_mark_grows_with_the_parameters() -> None:
    assert mark_size(4.0) - mark_size(0.0) == pytest.approx((mark_size(16.0) - mark_size(0.0)) / 2)
    assert mark_size(1e6) == LARGEST


def test_the_words_tell_the_best_in_turn() -> None:
    text = timeline_chart(find_timeline(dated_table(), {})).text
    assert text.startswith("Accuracy on Made up of 6 models by release month from 2023-05 to 2024-03.")
    assert text.index("Twin: 60.0 %") < text.index("Level: 80.0 %")
