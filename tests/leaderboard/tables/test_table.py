"""From records to cells, ranks, verdicts, the browser's payload and the answer of the endpoint."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd
import pytest

from leaderboard.store import records_of
from leaderboard.tables.cells import Cell, Note, Row, make_row, unread_share
from leaderboard.tables.columns import EVERYTHING, Address, Board, Column, Metric, MetricView, Part
from leaderboard.tables.differences import differences
from leaderboard.tables.models import group_by_model
from leaderboard.tables.payload import answer, make_payload
from leaderboard.tables.table import Rank, Table
from qbench.records import Estimate, Items, Result, Source
from qbench.stats.intervals import wilson
from tests.leaderboard.made import board, find_model, make_table, result
from tests.leaderboard.published import published

ACCURACY = Metric("accuracy", "Accuracy", "", proportion=True)
FULL = (
    result("beta", "a", 0.6),
    result("beta", "b", 0.6),
    result("alpha", "a", 0.7),
    result("alpha", "b", 0.5),
    result("gamma", "a", 0.9),
    result("people", "a", 0.95),
    result("people", "b", 0.95),
    result("chance", "a", 0.0),
)


def table_of(*results: Result, metric: str = "srcc") -> Table:
    return make_table(results, metric=metric, part=EVERYTHING)


def ranks_by(metric: Metric, **figures: Estimate) -> dict[str, Rank]:
    """How models rank by one column."""
    column = Column("only", "Only", ("only",), metric, Address("assessment", "a", None, metric.key))
    view = MetricView("only", "Only", (metric.key,))
    made = board(columns=(column,), parts=(Part("only", "Only"),), views=(view,), primary="only")
    results = [result(name, "a", None, **{metric.key: figure}) for name, figure in figures.items()]
    return dict(make_table(results, made).ranks["only"])


def test_best_first_ties_by_name_incomplete_last_and_references_beside() -> None:
    table = table_of(*FULL)
    assert list(table.ranked) == ["alpha", "beta", "gamma"]
    assert table.ranks["mean/srcc"] == {"alpha": (1, None), "beta": (1, None)}
    assert "mean/srcc" not in table.ranked["gamma"].cells
    assert table.ranked["gamma"].absent == {"mean/srcc": "no average, because there is no figure for B"}
    assert list(table.references) == ["people", "chance"]
    assert table.ranks["a/srcc"] == {"gamma": (1, None), "alpha": (2, None), "beta": (3, None)}
    assert set(table.rows) == {"people", "alpha", "beta", "gamma", "chance"}


def test_remarks_say_what_kind_they_are() -> None:
    flagged = Estimate(0.5, method="printed, wilson", note="mistyped", recomputed=0.6)
    table = table_of(
        result("alpha", "a", flagged),
        result("beta", "a", Estimate(None, note="not evaluated")),
        result("beta", "b", Estimate(0.4, method="bootstrap-1000", note="wide")),
    )
    assert table.ranked["alpha"].cells["a/srcc"].note == Note("flag", "mistyped", 0.6)
    assert table.ranked["beta"].absent["a/srcc"] == "not evaluated"
    assert table.ranked["beta"].cells["b/srcc"].note == Note("info", "wide")


def test_figures_on_what_a_model_was_trained_on_are_marked() -> None:
    seen, unseen = {"trained_on": True}, {"trained_on": False}
    table = table_of(
        result("alpha", "a", 0.5, protocol=seen),
        result("alpha", "b", 0.5, protocol=unseen),
        result("beta", "a", Estimate(None, note="not evaluated"), protocol=seen),
        result("beta", "b", 0.5),
    )
    marked = {(name, key) for name, row in table.rows.items() for key, cell in row.cells.items() if cell.trained}
    assert marked == {("alpha", "a/srcc"), ("alpha", "mean/srcc")}  # the mean is over what it was trained on
    payload, columns = make_payload(table, "r"), [column.key for column in table.columns]
    assert {columns[place % len(columns)] for place in payload["trained"]} == {"a/srcc", "mean/srcc"}
    assert payload["images_seen"] == []


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_ranks_are_those_of_pandas(direction: Literal["higher", "lower"]) -> None:
    generator = np.random.default_rng(0)
    for models in (1, 7, 300):
        value = pd.Series(generator.integers(0, models, models) / 10, [f"m{i}" for i in range(models)])  # with ties
        expected = value.rank(method="min", ascending=direction == "lower").astype(int).to_dict()
        figures = {str(name): Estimate(figure) for name, figure in value.items()}
        found = ranks_by(Metric("made", "Made", "", direction=direction), **figures)
        assert {name: rank.rank for name, rank in found.items()} == expected


def test_where_neither_end_is_better_nothing_is_ranked() -> None:
    assert ranks_by(Metric("p1", "1", "", direction="neither"), alpha=Estimate(0.2), beta=Estimate(0.1)) == {}


def test_models_that_cannot_be_told_apart_claim_the_same_ranks() -> None:
    """Of 1,000 questions: 700 and 690 differ by 0.49 standard errors, 500 is more than 8 away from both.

    A figure without a count claims nothing and widens the others.
    """
    shares = {"a": Estimate(0.70, n=1000), "b": Estimate(0.69, n=1000), "c": Estimate(0.50, n=1000)}
    for added, worst in ({}, 3), ({"d": Estimate(0.10)}, 4):
        found = ranks_by(ACCURACY, **shares, **added)
        claimed = {name: (rank.claimed.best, rank.claimed.worst) for name, rank in found.items() if rank.claimed}
        assert claimed == {"a": (1, worst - 1), "b": (1, worst - 1), "c": (3, worst)}
        assert found.get("d", (4, None)) == (4, None)


def test_averages_that_differ_by_rounding_alone_are_a_tie() -> None:
    """In floating point (0.1 + 0.2) / 2 is 0.15000000000000002; the mean of 0.15 and 0.15 is 0.15."""
    figures_on = {"alpha": (0.15, 0.15), "beta": (0.1, 0.2), "gamma": (0.1, 0.1)}
    table = table_of(
        *(result(name, on, value) for name, both in figures_on.items() for on, value in zip("ab", both, strict=True))
    )
    means = {name: row.cells["mean/srcc"].value for name, row in table.ranked.items()}
    assert means["beta"] != means["alpha"]
    assert table.ranks["mean/srcc"] == {"alpha": (1, None), "beta": (1, None), "gamma": (3, None)}
    assert list(table.ranked) == ["alpha", "beta", "gamma"]  # ties by name
    lower = replace(table.columns[0], metric=replace(table.columns[0].metric, direction="lower"))
    for column in (table.columns[0], lower):
        [difference] = differences(column, {name: Cell(means[name]) for name in ("beta", "alpha")})
        assert (difference.value, difference.leader) == (0, "beta")  # of two equal ones, the first asked for


def row_of(*results: Result, on: Board | None = None) -> Row | None:
    [only] = group_by_model(records_of(results), find_model).values()
    shown = on or board()
    return make_row(only, shown, shown.columns)


def value(key: str, *results: Result, on: Board | None = None) -> float:
    row = row_of(*results, on=on)
    assert row is not None
    return row.cells[key].value


def test_the_published_figure_stands_among_equals_the_newest_then_the_first_and_any_before_a_reason() -> None:
    """Each of these takes the place of all before it."""
    better = [
        result("alpha", srcc=Estimate(None, note="not evaluated")),
        result("alpha", srcc=0.1, kind="self-reported"),
        result("alpha", srcc=0.2, kind="live"),
        result("alpha", srcc=0.3, kind="rescored", at="2024-01-01"),
        result("alpha", srcc=0.4, kind="rescored", at="2025-01-01"),
        result("alpha", srcc=0.5),
    ]
    shown = [value("a/srcc", *better[: n + 1]) for n in range(1, 6)]
    assert shown == [0.1, 0.2, 0.3, 0.4, 0.5]
    assert value("a/srcc", *better, result("alpha", srcc=0.6)) == 0.5


def test_a_figure_with_a_doubtful_label_yields_to_another_paper() -> None:
    """The card of Co-Instruct prints figures of LLaVA variants, 67.42 and 62.14, in the rows of mPLUG-Owl2."""
    [dev] = [table for table in published().tables if table.board.key == "perception-dev"]
    shown = {name: dev.ranked[name].cells["overall"].value for name in ("q-instruct-mplug-owl2", "mplug-owl2")}
    assert shown == pytest.approx({"q-instruct-mplug-owl2": 0.6756, "mplug-owl2": 0.6161})


def test_the_printed_average_is_shown_where_it_averages_the_figures_shown_and_ours_elsewhere() -> None:
    rows = [result("alpha", "a", 0.4), result("alpha", "average-of-2", 0.44)]
    assert value("mean/srcc", *rows, result("alpha", "b", 0.5)) == 0.44
    row = row_of(*rows, result("alpha", "b", 0.5, kind="rescored"))
    assert row is not None
    assert row.cells["mean/srcc"].value == pytest.approx(0.45)
    assert row.cells["mean/srcc"].note == ("info", "our mean of the 2 figures it averages", None)
    assert row.cells["mean/srcc"].record is None


def test_weights_and_averages_of_averages() -> None:
    first, *others = board().columns
    weighted = replace(first, weights=(3.0, 1.0), find=None)
    whole = replace(first, key="whole", find=None, mean_of=("mean/srcc", "a/srcc"), weights=())
    made = board(columns=(whole, weighted, *others))
    rows = [result("alpha", "a", 0.4), result("alpha", "b", 0.8)]
    assert value("mean/srcc", *rows, on=made) == pytest.approx(0.5)
    assert value("whole", *rows, on=made) == pytest.approx(0.45)


def test_replies_that_were_not_read_are_counted_beside_the_accuracy() -> None:
    items = {"accuracy": Items("mean", tuple("abcdefgh"), (1.0,) * 3 + (0.0,) * 5)}
    rescored = Source("rescored")
    accuracy = {"accuracy": Estimate(3 / 8, n=8)}
    made = replace(
        result("alpha"), metrics=accuracy, items=items, source=rescored, unscored={"refused": 1, "unparseable": 1}
    )
    assert unread_share(made) == Estimate(
        0.25, n=8, method="count", note="1 refused, 1 unparseable of 8; accuracy without them 50.00 %"
    )
    assert unread_share(replace(made, unscored={})) == Estimate(0.0, n=8, method="count")
    assert unread_share(replace(made, source=Source("paper"))) is None  # papers count nobody's


def test_rows_carry_ranks_figures_and_sources() -> None:
    table = table_of(
        result("alpha", "a", Estimate(0.7, 0.6, 0.8)),
        result("alpha", "b", 0.5),
        result("beta", "a", 0.1),
        result("people", "a", 0.9),
    )
    said = json.loads(json.dumps(answer(table, "abc1234"), allow_nan=False))
    first, second = said["rows"]
    assert (first["model"], first["rank"], first["open"], first["parameters"]) == ("alpha", 1, True, 7.0)
    assert first["figures"]["a/srcc"] == {"value": 0.7, "low": 0.6, "high": 0.8}
    assert first["sources"] == [
        {"kind": "paper", "reference": "Table 1", "columns": ["a/srcc"]},
        {"kind": "paper", "reference": "Table 1", "columns": ["b/srcc"]},
    ]
    assert second["rank"] is None
    assert second["figures"]["b/srcc"] == {"value": None, "low": None, "high": None}
    assert second["figures"]["mean/srcc"]["note"] == "no average, because there is no figure for B"
    assert [row["model"] for row in said["references"]] == ["people"]
    assert said["references"][0]["rank"] is None


def test_records_of_one_upload_are_one_entry() -> None:
    upload = {"kind": "rescored", "reference": "answers.jsonl"}
    how = {"words": {"positive": ["good", "fine"]}, "cot": False}
    table = table_of(
        result("alpha", "a", 0.5, **upload),
        result("alpha", "b", 0.6, **upload),
        result("alpha", "a", 0.55, reference="Table 4", protocol=how),
        metric=EVERYTHING,
    )
    payload = make_payload(table, "abc1234")
    (origins,) = payload["origins"]
    said = [(origin["reference"], origin.get("shown"), origin.get("passed")) for origin in origins]
    keys = [column["key"] for column in payload["columns"]]
    a, b = keys.index("a/srcc"), keys.index("b/srcc")
    assert sorted(said) == [("Table 4", [a], None), ("answers.jsonl", [b], [[a, 0.5]])]
    assert {"words: positive good + fine", "cot: no"} <= {
        how for origin in origins for how in origin.get("protocol", ())
    }


USAGE = {"prompt_tokens": 900, "completion_tokens": 100, "cost": 0.5}


def run(model: str, dataset: str, raw: str, asked: int, **usage: float) -> Result:
    made = result(model, dataset, 0.5, protocol={"usage": usage} if usage else {})
    return replace(made, raw=raw, status={"asked": asked})


def test_prompts_of_a_run_with_several_records_count_once_and_what_one_record_does_not_say_nobody_knows() -> None:
    """Alpha's one run: 1,000 tokens and 0.50 for 100 prompts. Beta's second record says nothing. Gamma's two runs:
    1,000 + 2,000 tokens for 100 + 50 prompts; only one of them has a price."""
    table = table_of(
        run("alpha", "a", "one", 100, **USAGE),
        run("alpha", "b", "one", 100, **USAGE),
        run("beta", "a", "two", 100, **USAGE),
        run("beta", "b", "three", 100),
        run("gamma", "a", "four", 100, **USAGE),
        run("gamma", "b", "five", 50, prompt_tokens=2000),
        metric=EVERYTHING,
    )
    told = answer(table, "abc1234")
    found = {row["model"]: [row["figures"][f"effort/{name}"] for name in ("tokens", "cost")] for row in told["rows"]}
    assert {name: [figure["value"] for figure in both] for name, both in found.items()} == {
        "alpha": [10.0, 5.0],
        "beta": [None, None],
        "gamma": [20.0, None],
    }
    assert found["gamma"][0]["note"] == "150 prompts: 2,900 tokens read, 100 written"


SHARE = Column("share", "Share", ("share",), Metric("accuracy", "Accuracy", "", unit="%", proportion=True))
SCORE = Column("score", "Score", ("score",), Metric("srcc", "SRCC", ""))
ERROR = Column("error", "Error", ("error",), Metric("rmse", "RMSE", "", direction="lower"))


def share(right: int, n: int) -> Cell:
    one = wilson(right, n)
    assert one.value is not None
    return Cell(one.value, one.low, one.high, n)


def test_holm_corrects_over_the_pairs_of_the_column() -> None:
    """z = 0.2 / sqrt(0.5 * 0.5 * 2 / 100) is 2.828, p = .0046777; z = 0.1 / sqrt(.45 * .55 * .02) is 1.421, p = .15522.

    Newcombe's interval of the widest gap, from Wilson's .5020 to .6906 and .3094 to .4980.
    """
    widest, *others = differences(SHARE, {"a": share(60, 100), "b": share(50, 100), "c": share(40, 100)})
    assert (widest.leader, widest.other, widest.value) == ("a", "c", pytest.approx(0.2))
    assert (widest.low, widest.high) == (pytest.approx(0.0614, abs=5e-5), pytest.approx(0.3281, abs=5e-5))
    assert widest.p == pytest.approx(3 * 0.0046777, abs=3e-6)
    assert [other.p for other in others] == [pytest.approx(2 * 0.15522, abs=2e-5)] * 2
    assert widest.apart is True
    assert [other.apart for other in others] == [False, False]


def test_intervals_without_counts_are_compared_too() -> None:
    [one] = differences(SCORE, {"a": Cell(0.5, 0.4, 0.6), "b": Cell(0.7, 0.6, 0.8)})
    assert one.leader == "b"
    assert one.p == pytest.approx(0.0056, abs=5e-5)  # z = 0.2 / hypot(0.1, 0.1) * 1.96 = 2.772
    assert (one.low, one.high) == (pytest.approx(0.2 - 2**0.5 / 10), pytest.approx(0.2 + 2**0.5 / 10))


def test_a_verdict_never_contradicts_its_interval() -> None:
    """At a share of 1 the interval ends where the scale does: only its side towards zero tells of chance."""
    [one] = differences(SCORE, {"a": Cell(1.0, 0.7847, 1.0), "b": Cell(0.7857, 0.6424, 0.9107)})
    assert one.low == pytest.approx(0.2143 - 0.2489, abs=1e-4)  # hypot(0.2153, 0.125)
    assert one.high == pytest.approx(0.2143 + 0.1433, abs=1e-4)
    assert one.p == pytest.approx(0.0915, abs=5e-4)  # z = 0.2143 / 0.2489 * 1.96 = 1.687
    assert one.apart is False


def test_without_evidence_there_is_no_verdict_and_the_lower_error_leads() -> None:
    [one] = differences(SCORE, {"a": Cell(0.5), "b": Cell(0.7, 0.6, 0.8)})
    assert (one.value, one.low, one.high, one.p, one.apart) == (pytest.approx(0.2), None, None, None, None)
    [one] = differences(SHARE, {"a": Cell(0.5), "b": Cell(0.7, n=100)})
    assert one.apart is None
    [one] = differences(ERROR, {"a": Cell(3.0), "b": Cell(2.0)})
    assert (one.leader, one.value) == ("b", 1.0)


def test_on_the_same_items_little_is_enough() -> None:
    """56 and 50 of 70 right, on different questions or on the same: then six alone differ, and p = 2 / 2^6."""
    names = tuple(map(str, range(70)))
    first = Items("mean", names, (1.0,) * 56 + (0.0,) * 14)
    second = Items("mean", names, (1.0,) * 50 + (0.0,) * 20)
    figures = {"a": share(50, 70), "b": share(56, 70)}
    [alone] = differences(SHARE, figures)
    [paired] = differences(SHARE, figures, {"a": second, "b": first})
    assert (alone.apart, alone.paired) == (False, False)
    assert (paired.leader, paired.apart, paired.paired) == ("b", True, True)
    assert paired.p == pytest.approx(2 / 2**6)
    other_list = replace(second, names=tuple(map(str, range(1, 71))))
    assert differences(SHARE, figures, {"a": other_list, "b": first}) == [alone]
