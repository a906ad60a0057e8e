from __future__ import annotations

from leaderboard.analysis.between_boards import agreements, map_boards
from leaderboard.charts.between_boards import agreement_chart, map_chart
from tests.leaderboard.several_boards import several_boards

LEFT = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4, "e": 0.5, "people": 1.0}
RIGHT = {"a": 0.5, "b": 0.4, "c": 0.3, "d": 0.2, "e": 0.1, "f": -0.05}
SMALL = {"e": 0.4, "f": 0.2}


def test_a_cell_for_each_figure_and_a_blank_for_none() -> None:
    """Models in the order of the first board: e d c b a, then f."""
    [trace] = map_chart(map_boards(several_boards(left=LEFT, right=RIGHT, small=SMALL), {})).figure.data
    assert [list(row) for row in trace.text] == [
        ["50", "20", "100"],
        ["40", "40", ""],
        ["30", "60", ""],
        ["20", "80", ""],
        ["10", "100", ""],
        ["", "−10", "50"],
    ]
    assert trace.z[1][2] is None
    assert list(trace.customdata[1][2]) == ["", ""]
    assert (trace.zmin, trace.zmax) == (0, 100)


def test_a_cell_tells_its_figure_and_the_scale_and_leads_to_the_board() -> None:
    [trace] = map_chart(map_boards(several_boards(left=LEFT, right=RIGHT), {})).figure.data
    said, address = trace.customdata[0][0]
    assert said == "E, Left: 50 of 100 (0.500).<br>0 is chance (0.000), 100 is people (PEOPLE, 1.000)"
    assert address == "?tab=leaderboard&board=left&q=E"


def test_pairs_of_boards_stand_below_the_diagonal() -> None:
    """Left and right are in opposite order; small shares two models with right and one with left."""
    scales = map_boards(several_boards(left=LEFT, right=RIGHT, small=SMALL), {}).scales
    [trace] = agreement_chart([scale.board for scale in scales], agreements(scales)).figure.data
    assert [list(row) for row in trace.text] == [["−1.00", ""], ["", ""]]
    assert trace.customdata[0][0][0] == "Left and Right: −1.00, 5 models in common"
    assert trace.customdata[1][0][0] == "Left and Small: 1 model in common, too few to say"
    assert trace.customdata[0][1][0] == ""
