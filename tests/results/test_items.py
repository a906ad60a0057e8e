"""What single items add to a record, stored and read again; two models on the same items, by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

import leaderboard
from leaderboard.store.records import RecordFolder
from qbench.errors import UndefinedError
from qbench.records import Estimate, Items, Result, Score, Source
from qbench.results.items import (
    common_items,
    compare_items,
    items_lines,
    items_of_quality,
    items_path,
    join_parts,
    read_items,
    same_items,
)
from qbench.tasks import Outcome
from tests.leaderboard.published import published
from tests.tasks.drive import record_of

ITEMS = {
    "accuracy": Items("mean", ("a", "b"), (1.0, 0.0), clusters=("photo", "photo")),
    "srcc": Items("srcc", ("a", "b"), (0.123456789012, 1e300), (1.0, -2.5)),
}
STATISTICS: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "mean": lambda values, _: float(values.mean()),
    "srcc": lambda values, truth: float(spearmanr(values, truth).statistic),
    "plcc": lambda values, truth: float(pearsonr(values, truth).statistic),
}
RECORD = Result("assessment", "made", "mine", {"srcc": Estimate(0.5)}, Source("live"), raw="5" * 64, items=ITEMS)


def test_what_is_stored_is_read_again() -> None:
    read = read_items(items_lines(RECORD), RECORD.raw)
    assert read["accuracy"] == ITEMS["accuracy"]
    assert read["srcc"] == replace(ITEMS["srcc"], values=(0.123456789, 1e300))
    assert read_items(items_lines(RECORD), "6" * 64) == {}  # of other answers
    assert items_lines(replace(RECORD, items={})) == b""


def test_what_shipped_items_add_up_to_is_the_figure_of_their_record() -> None:
    shipped = RecordFolder(Path(leaderboard.__file__).parents[1] / "assets" / "demo").load().results
    assert len(shipped) > 80
    released = [one.result for one in published().loaded.records if one.result.items and one.result not in shipped]
    assert {one.task for one in released} == {"perception", "description"}
    for recorded in (*shipped, *released):
        assert recorded.items or recorded.task == "description"
        for metric, items in recorded.items.items():
            values, truth = np.array(items.values), np.array(items.truth)
            places = [[i for i, part in enumerate(items.parts) if part == name] for name in dict.fromkeys(items.parts)]
            each = [STATISTICS[items.statistic](values[i], truth[i] if items.truth else truth) for i in places or [...]]
            wrong = f"{metric} of {recorded.model} on {recorded.dataset}"
            figure = recorded.metrics[metric]
            assert np.mean(each) == pytest.approx(figure.value, abs=1e-6), wrong
            assert recorded in shipped or items.parts or len(values) == figure.n, wrong


@pytest.mark.parametrize(
    "change",
    [{"values": [1]}, {"statistic": "median"}, {"metric": None, "names": 3}],
)
def test_a_broken_file_is_refused(change: dict[str, object]) -> None:
    lines = items_lines(RECORD).decode().splitlines()
    lines[2] = json.dumps(json.loads(lines[2]) | change)
    with pytest.raises(ValueError, match=r"statistic|lists of different|names|no file of items"):
        read_items("\n".join(lines).encode(), RECORD.raw)


def test_the_board_reads_them_with_the_record(tmp_path: Path) -> None:
    file = tmp_path / "assessment--made--mine.json"
    file.write_text(json.dumps(RECORD.to_json()))
    folder = RecordFolder(tmp_path)
    before = folder.stamp()
    assert folder.load().results[0].items == {}
    items_path(file).parent.mkdir()
    items_path(file).write_bytes(items_lines(RECORD))
    assert set(folder.load().results[0].items) == {"accuracy", "srcc"}
    assert folder.stamp() != before
    items_path(file).write_text("nothing of the kind")
    loaded = folder.load()
    assert loaded.results[0].items == {}
    [problem] = loaded.problems
    assert problem.where == file.name
    assert problem.reason.startswith("the items of a record cannot be read: ")


def test_records_hold_what_paired_tests_need() -> None:
    questions = [Score(name, 1.0, right=0, chosen=0) for name in "ab"]
    asked = record_of(
        "perception", Outcome({"accuracy": questions}, options={"a": ("Yes", "No"), "b": ("No", "Yes")}), []
    )
    assert {"accuracy", "yes_accuracy", "no_accuracy", "debiased_accuracy"} == asked.items.keys()
    levels = {name: [Score(f"q{i}", 0.5) for i in range(3)] for name in ("map_easy", "map_medium", "map_hard")}
    searched = record_of("retrieval", Outcome({**levels, "embedded": []}), [])
    assert {"retrieval_map", *levels} == searched.items.keys()


NAMES = tuple(f"item{number}" for number in range(47))
FIRST = Items("mean", NAMES, (1.0,) * 10 + (0.0,) * 2 + (1.0,) * 30 + (0.0,) * 5)
SECOND = Items("mean", NAMES, (0.0,) * 10 + (1.0,) * 2 + (1.0,) * 30 + (0.0,) * 5)


def test_shares_of_independent_items_have_the_exact_test() -> None:
    found = compare_items(FIRST, SECOND)
    assert found.estimate.value == pytest.approx(8 / 47)
    # 10 items only the first got right, 2 only the second: 2 * (C(12,0)+C(12,1)+C(12,2)) / 2^12
    assert (found.p, found.test) == (pytest.approx(2 * 79 / 4096), "McNemar, exact")
    assert found.estimate.low is not None
    assert 0 < found.estimate.low < 8 / 47


def test_items_are_joined_by_name_and_those_of_one_file_alone_are_left_out() -> None:
    backwards = Items("mean", NAMES[::-1][:40], SECOND.values[::-1][:40])
    one, other = common_items(FIRST, backwards)
    assert one.names == other.names == NAMES[7:]
    assert (sum(one.values), sum(other.values)) == (33, 32)
    assert not same_items(FIRST, backwards)
    assert same_items(FIRST, replace(SECOND, names=NAMES))


def test_correlations_differ_as_those_of_all_items_do() -> None:
    rng = np.random.default_rng(3)
    truth = rng.normal(size=80)
    good, bad = truth + 0.3 * rng.normal(size=80), truth + 2 * rng.normal(size=80)

    def scores(values: np.ndarray) -> list[Score]:
        return [Score(f"{i}", float(value), truth=float(truth[i])) for i, value in enumerate(values)]

    better, worse = items_of_quality(scores(good)), items_of_quality(scores(bad))
    found = compare_items(better["srcc"], worse["srcc"])
    assert found.estimate.value == pytest.approx(spearmanr(good, truth).statistic - spearmanr(bad, truth).statistic)
    assert found.p < 0.01
    assert compare_items(better["plcc"], better["plcc"]).p == 1.0


def test_parts_are_measured_apart_and_averaged() -> None:
    truth = (1.0, 2.0, 3.0, 4.0)
    right, swapped = (
        Items("srcc", tuple("abcd"), truth, truth),
        Items("srcc", tuple("abcd"), (1.0, 3.0, 2.0, 4.0), truth),
    )
    mixed = join_parts({"one": {"srcc": right}, "two": {"srcc": swapped}})["srcc"]
    perfect = join_parts({"one": {"srcc": right}, "two": {"srcc": right}})["srcc"]
    # One neighbouring pair swapped of four: 1 - 6 * 2 / (4 * 15) = 0.8, and the mean of 1 and 0.8 is 0.9.
    assert compare_items(perfect, mixed).estimate.value == pytest.approx(0.1)
    with pytest.raises(UndefinedError):
        compare_items(*(replace(items, values=(1.0,) * 4 + items.values[4:]) for items in (perfect, mixed)))


def test_a_mean_over_parts_is_compared_part_by_part_and_photos_are_drawn_whole() -> None:
    parts, clusters = ("yes",) * 6 + ("no",) * 2, tuple("abcdefaa")
    first = Items("mean", tuple("12345678"), (1.0,) * 6 + (0.0, 1.0), parts=parts, clusters=clusters)
    found = compare_items(first, replace(first, values=(0.0,) * 6 + (1.0, 1.0)))
    assert found.estimate.value == pytest.approx((1 + 0.5) / 2 - (0 + 1) / 2)
    assert found.estimate.n == 6
