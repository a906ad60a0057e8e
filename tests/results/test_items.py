"""What single items add to a record, stored beside it and read again."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

import leaderboard
from leaderboard.store.records import RecordFolder
from qbench.records import Estimate, Items, Result, Score, Source
from qbench.results import build_results
from qbench.results.items import items_lines, items_path, read_items
from qbench.tasks import Outcome

ITEMS = {
    "accuracy": Items("mean", ("a", "b"), (1.0, 0.0), clusters=("photo", "photo")),
    "srcc": Items("srcc", ("a", "b"), (0.123456789012, 1e300), (1.0, -2.5)),
}
STATISTICS: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "mean": lambda values, _: float(values.mean()),
    "srcc": lambda values, truth: float(spearmanr(values, truth).statistic),
    "krcc": lambda values, truth: float(kendalltau(values, truth).statistic),
    "plcc": lambda values, truth: float(pearsonr(values, truth).statistic),
}
SHIPPED = RecordFolder(Path(leaderboard.__file__).parents[1] / "assets" / "demo").load().results
RECORD = Result("assessment", "made", "mine", {"srcc": Estimate(0.5)}, Source("live"), raw="5" * 64, items=ITEMS)


def test_what_is_stored_is_read_again() -> None:
    read = read_items(items_lines(RECORD), RECORD.raw)
    assert read["accuracy"] == ITEMS["accuracy"]
    assert read["srcc"] == replace(ITEMS["srcc"], values=(0.123456789, 1e300))
    assert read_items(items_lines(RECORD), "6" * 64) == {}  # of other answers
    assert items_lines(replace(RECORD, items={})) == b""


@pytest.mark.parametrize("recorded", SHIPPED, ids=lambda result: f"{result.dataset}-{result.model}")
def test_what_shipped_items_add_up_to_is_the_figure_of_their_record(recorded: Result) -> None:
    assert recorded.items or recorded.task == "description"
    for metric, items in recorded.items.items():
        values, truth = np.array(items.values), np.array(items.truth)
        places = [[i for i, part in enumerate(items.parts) if part == name] for name in dict.fromkeys(items.parts)]
        each = [STATISTICS[items.statistic](values[i], truth[i] if items.truth else truth) for i in places or [...]]
        assert np.mean(each) == pytest.approx(recorded.metrics[metric].value, abs=1e-6), metric


@pytest.mark.parametrize(
    "change",
    [{"values": [1]}, {"statistic": "median"}, {"metric": None, "names": 3}],
)
def test_a_broken_file_is_refused(change: dict[str, object]) -> None:
    lines = items_lines(RECORD).decode().splitlines()
    lines[2] = json.dumps(json.loads(lines[2]) | change)
    with pytest.raises(ValueError, match=r"no mean|lists of different|no number|no file of items"):
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
    assert [problem.where for problem in loaded.problems] == [f"items/{file.stem}.jsonl"]


def built(task: str, scores: dict[str, list[Score]], **more: object) -> Result:
    base = Result(task, "made", "mine", {}, Source("live"))
    [result] = build_results(Outcome(scores=scores, **more), base, [])
    return result


def test_records_hold_what_paired_tests_need() -> None:
    questions = [Score(name, 1.0, right=0, chosen=0) for name in "ab"]
    asked = built("perception", {"accuracy": questions}, options={"a": ("Yes", "No"), "b": ("No", "Yes")})
    assert {"accuracy", "yes_accuracy", "no_accuracy", "debiased_accuracy"} == asked.items.keys()
    levels = {name: [Score(f"q{i}", 0.5) for i in range(3)] for name in ("map_easy", "map_medium", "map_hard")}
    searched = built("retrieval", {**levels, "embedded": []})
    assert {"retrieval_map", *levels} == searched.items.keys()
