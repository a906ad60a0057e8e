"""UniSim-Bench's averages of records: as the paper takes them, and absent where a dataset is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qbench.commands.average import average, averaged_datasets, whole_records
from qbench.errors import DataError, UserError
from qbench.records import Estimate, Result, Source
from tests.commands.asking import document, text, write

PUBLISHED = Path(__file__).resolve().parents[2] / "assets" / "published"


def record(task: str, dataset: str, value: float, model: str = "a", **protocol: object) -> Result:
    metric = "retrieval_map" if task == "retrieval" else "accuracy"
    estimate = Estimate(value, value - 0.03, value + 0.04, n=100, method="wilson")
    return Result(task, dataset, model, {metric: estimate}, Source("live"), protocol=protocol)


def store(folder: Path, *results: Result) -> Path:
    for number, result in enumerate(results):
        write(folder, result.to_json(), f"{number}.json")
    return folder


@pytest.mark.parametrize("scope", ["core", "ood"])
def test_means_are_where_the_board_looks_for_the_printed_ones(scope: str, tmp_path: Path) -> None:
    """The printed cells of a model give its printed means, up to their rounding."""
    table = {"core": "table_07_core_complete.json", "ood": "table_08_ood_complete.json"}[scope]
    printed = [Result.from_json(row) for row in json.loads((PUBLISHED / "unisim" / table).read_text(encoding="utf-8"))]
    printed += [Result.from_json(row) for row in json.loads((PUBLISHED / "unisim" / "table_averages.json").read_text())]
    mine = [result for result in printed if result.model == "clip-vit-large-14-336"]
    cells = [result for result in mine if not result.dataset.startswith("mean-of")]
    folder = store(tmp_path / "records", *cells)
    found = {(result.task, result.dataset): result.metrics for result in average(whole_records([folder]))}
    tasks = averaged_datasets()[scope]
    assert list(found) == [
        *((task, f"mean-of-{len(names)}") for task, names in tasks.items()),
        ("similarity", f"mean-of-{len(tasks)}-tasks"),
    ]
    means = [result for result in mine if (result.task, result.dataset) in found]
    assert len(means) >= len(found)
    for mean in means:
        (metric, estimate), (own, value) = *mean.metrics.items(), *found[mean.task, mean.dataset].items()
        assert (own, value.value) == (metric, pytest.approx(estimate.value, abs=0.0011))


def test_what_is_missing_is_named_and_leaves_no_average(tmp_path: Path) -> None:
    folder = store(
        tmp_path / "records",
        record("img-2afc", "nights", 0.9),
        record("img-2afc", "bapps", 0.6),
        record("img-2afc", "pieapp", 0.75),
        record("text-2afc", "polaris", 0.8),
        record("text-2afc", "cd-coco", 0.8, limit=20),
        record("text-2afc", "hpdv2-3-way", 0.8),
        record("assessment", "koniq-10k", 0.8),
    )
    found = {result.task: result for result in average(whole_records([folder]))}
    assert set(found) == {*averaged_datasets()["core"], "similarity"}  # nothing of the other scope
    image = found["img-2afc"].metrics["accuracy"]
    assert (image.value, image.n) == (pytest.approx(0.75), 300)
    assert image.low == pytest.approx(0.75 - 0.03 * 3**0.5 / 3)
    text = found["text-2afc"].metrics["accuracy"]
    assert (text.value, text.note) == (None, "no value of cd-coco, hq-edit-text")
    overall = found["similarity"].metrics["task_mean"]
    assert (overall.value, overall.note) == (None, "no value of it-2afc, text-2afc, iqa-2afc")


def test_two_records_of_one_cell_are_not_chosen_between(tmp_path: Path) -> None:
    folder = store(tmp_path / "r", *(record("img-2afc", "nights", 0.5, prompt=prompt) for prompt in ("paper", "code")))
    with pytest.raises(UserError, match=r"0\.json and .*1\.json are both a on nights; name the files that are to"):
        average(whole_records([folder]))
    assert average(whole_records([folder / "1.json"]))[0].metrics["accuracy"].note == "no value of bapps, pieapp"


def test_files_that_are_no_records(tmp_path: Path) -> None:
    folder = store(tmp_path / "records", record("assessment", "koniq-10k", 0.8))
    with pytest.raises(UserError, match="holds no record of a whole dataset of UniSim-Bench; run one"):
        whole_records([folder])
    (folder / "list.json").write_text("[[]]")
    with pytest.raises(DataError, match=r"list\.json is no record of a run \(result is list; expected an object\)"):
        whole_records([folder])
    (folder / "list.json").write_text("[" * 100_000)
    with pytest.raises(DataError, match=r"list\.json is no record of a run \(maximum recursion depth"):
        whole_records([folder])
    with pytest.raises(DataError, match=r"cannot read .*nowhere\.json: No such file"):
        whole_records([tmp_path / "nowhere.json"])


def test_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = store(tmp_path / "r", record("retrieval", "r-oxford", 0.4), record("retrieval", "r-paris", 0.6))
    found = {row["task"]: row for row in document(capsys, "average", folder)}
    assert found["retrieval"]["metrics"]["retrieval_map"]["value"] == pytest.approx(0.5)
    assert "no value of attributes, odd-one-out" in text(capsys, "average", folder)
