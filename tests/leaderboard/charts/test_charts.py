"""Charts against figures that were worked out by hand or printed."""

from __future__ import annotations

from itertools import pairwise

import plotly.graph_objects as go
import pytest

from leaderboard.analysis.compare import compare_models
from leaderboard.analysis.findings import find_habits
from leaderboard.analysis.overview import map_boards
from leaderboard.boards.similarity import BOARDS
from leaderboard.charts import habits
from leaderboard.charts.chart import Chart, assign_looks
from leaderboard.charts.comparison import draw
from leaderboard.charts.overview import map_chart
from qbench.models.catalogue import find_model, load
from qbench.records import Estimate, Result
from tests.leaderboard import made
from tests.leaderboard.made import several_boards
from tests.leaderboard.published import published, simulated

MODELS = [model for model in load() if model.kind not in ("human", "reference")]


def chart(board: str, *models: str, above: bool = False, metric: str = "", as_dots: bool = False) -> Chart:
    return draw(compare_models(published(), board, models, metric), above, as_dots)


def drawn(shown: Chart) -> go.Figure:
    """As plotly's own objects, which refuse what its script does not know."""
    return go.Figure(shown.figure)


def trace(shown: Chart, model: str) -> go.Scatter | go.Scatterpolar:
    [one] = [value for value in drawn(shown).data if value.meta == model]
    return one


def test_dots_of_a_row_have_their_intervals_and_stand_apart() -> None:
    """Wilson's interval of 77.92 % of 548 questions is 74.26 to 81.19; marks are 8 pixels from each other."""
    shown = chart("perception-test", "gpt-4v", "qwen-vl", as_dots=True)
    dots = trace(shown, "gpt-4v")
    assert dots.error_x.array[0] == pytest.approx(81.19 - 77.92, abs=0.005)
    assert dots.error_x.arrayminus[0] == pytest.approx(77.92 - 74.26, abs=0.005)
    first = sorted(value.y[0] for value in drawn(shown).data)
    assert len(first) == 5
    assert all(below - above == pytest.approx(8 / 48) for above, below in pairwise(first))


@pytest.mark.parametrize(
    ("board", "axes"),
    [
        ("perception-test", 7),
        ("2afc-pair-accuracy", 3),
        ("2afc-coarse", 9),
        ("a-bench", None),  # 11 axes
    ],
)
def test_three_to_nine_axes_are_a_radar(board: str, axes: int | None) -> None:
    models = list(published().table(board).ranked)[:2]
    lines = drawn(chart(board, *models)).data
    assert {len(line.r) - 1 if isinstance(line, go.Scatterpolar) else None for line in lines} == {axes}
    assert all(isinstance(line, go.Scatter) for line in drawn(chart(board, *models, as_dots=True)).data)


def of_images(count: int, value: float, half: float | None = None) -> Result:
    dataset = "hpdv2" if count == 2 else f"hpdv2-{count}-way"
    accuracy = Estimate(value) if half is None else Estimate(value, value - half, value + half)
    return made.result("alpha", dataset, None, task="it-2afc", accuracy=accuracy)


def test_a_curve_runs_over_the_number_of_images_in_its_order() -> None:
    results = (of_images(5, 0.4, 0.05), of_images(3, 0.5), of_images(2, 0.75))
    snapshot = made.snapshot(results, *BOARDS)
    shown = draw(compare_models(snapshot, "unisim-n-way", ["alpha"]), False)
    line = trace(shown, "alpha")
    assert (list(line.x), list(line.y)) == ([2, 3, 5], [75, 50, 40])  # nobody asked with four
    assert list(line.error_y.array) == pytest.approx([0, 0, 5])
    assert list(drawn(shown).layout.xaxis.tickvals) == [2, 3, 4, 5, 6, 7, 8, 9]
    assert list(drawn(shown).layout.yaxis.range) == [0, 100]


def test_looks_never_change_and_any_six_models_differ_in_colour_and_in_marker() -> None:
    """A reader who knows a model's colour from one page or release finds it again."""
    expected = {
        "gpt-4v": ("#cc79a7", "star"),
        "internlm-xcomposer-vl": ("#d55e00", "triangle-up"),
        "qwen-vl": ("#009e73", "diamond"),
        "niqe": ("#56b4e9", "x"),
    }
    found = [model for model in map(find_model, expected) if model]
    looks = [assign_looks([model])[model.id] for model in found]
    assert {model.id: (look.colour, look.marker) for model, look in zip(found, looks, strict=True)} == expected
    for start in range(len(MODELS)):
        six = assign_looks((MODELS * 2)[start : start + 6]).values()
        assert len({look.colour for look in six}) == len({look.marker for look in six}) == 6


def test_names_from_anybody_are_inert() -> None:
    name = '<a href="javascript:alert(1)">%{x}' + "y" * 300
    results = (made.result(name, "a", 0.5), made.result("alpha", "b", 0.6))
    shown = draw(compare_models(made.snapshot(results), "made", [name, "alpha"]), False)
    [line] = [value for value in drawn(shown).data if value.meta == name]
    assert line.name.startswith("&lt;a href=")
    assert len(line.name) < 60
    assert name not in line.hovertemplate


def test_yes_and_no_has_both_accuracies_their_whiskers_and_the_line_of_guessing() -> None:
    finding, _ = find_habits(published()).yes_no
    shown = habits.yes_no_chart(finding)
    yes, no = (value for value in drawn(shown).data if value.name in ("Yes", "No"))
    row = list(drawn(shown).layout.yaxis.ticktext).index("IDEFICS-Instruct")
    assert (yes.x[row], no.x[row]) == (pytest.approx(88.65), pytest.approx(13.09))
    assert yes.error_x.array[row] == pytest.approx(90.841 - 88.65)
    assert yes.error_x.width == 0
    assert [shape.x0 for shape in drawn(shown).layout.shapes] == [50]
    assert "guessing" in [note.text for note in drawn(shown).layout.annotations]


def test_correlations_stand_against_coin_flips() -> None:
    shown = habits.chance_chart(find_habits(published()).position["coarse"])
    dots = [x for value in drawn(shown).data if value.name == "InternLM-XComposer-VL" for x in value.x]
    assert min(dots) == pytest.approx(0.489 - (simulated()["csiq/correlation"].high or 0))
    open_dots = [len(value.x) for value in drawn(shown).data if value.marker.symbol.endswith("-open")]
    assert sum(open_dots) == 24  # as the finding says


LEFT = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4, "e": 0.5, "people": 1.0}
RIGHT = {"a": 0.5, "b": 0.4, "c": 0.3, "d": 0.2, "e": 0.1, "f": -0.05}
SMALL = {"e": 0.4, "f": 0.2}


def test_a_cell_for_each_figure_and_a_blank_for_none() -> None:
    """Models in the order of the first board: e d c b a, then f."""
    [trace] = drawn(map_chart(map_boards(several_boards(left=LEFT, right=RIGHT, small=SMALL)))).data
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
