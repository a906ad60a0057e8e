"""The tables of the UniSim paper as shipped: complete, adding up to the printed page, every oddity flagged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from qbench.records import Estimate, Result

pytestmark = pytest.mark.slow(reason="the tables seldom change")

PUBLISHED = Path(__file__).resolve().parents[2] / "assets" / "published"
FILES = {
    "1": "table_01_core.json",
    "2": "table_02_ood_means.json",
    "3": "table_03_it_training_data.json",
    "7": "table_07_core_complete.json",
    "8": "table_08_ood_complete.json",
}
CORE = {
    "img-2afc": ("nights", "bapps", "pieapp"),
    "it-2afc": ("imagereward", "hpdv2", "agiqa-3k-alignment", "magicbrush", "hq-edit"),
    "text-2afc": ("cd-coco", "polaris", "hq-edit-text"),
    "iqa-2afc": ("kadid-10k", "koniq-10k", "pieapp-quality", "agiqa-3k", "pipal"),
}
OOD = {
    "attributes": ("sice-brightness", "koniq-brightness", "koniq-colorfulness", "koniq-contrast", "koniq-sharpness"),
    "odd-one-out": ("imagenet-ooo", "cifar-100-ooo"),
    "retrieval": ("r-oxford", "r-paris"),
}
TASKS = CORE | OOD
HELD_OUT = {"bapps", "imagereward", "agiqa-3k-alignment", "cd-coco", "koniq-10k", "agiqa-3k"}
"""Core datasets that no UniSim model was trained on (Sec. 3.3)."""
ROWS = {
    "clip-vit-base-32-laion2b": (15096, 2476, 8306),
    "clip-vit-large-14-336": (16111, 2375, 7943),
    "clip-vit-huge-14-laion2b": (15195, 2516, 8336),
    "siglip-so400m-14": (14525, None, 8435),
    "blip-vit-large-14": (14495, 2205, 7497),
    "llava-next-interleave-0.5b": (12721, 976, 4845),
    "llava-next-interleave-7b": (16049, 1293, 5929),
    "mantis-8b-idefics2": (15519, 1123, 5415),
    "dreamsim-vit-b-32": (15328, 2267, 7788),
    "dreamsim-ensemble": (3437, None, 3276),
    "imagereward": (15136, 2360, 7854),
    "hpsv2": (15342, 2143, 7396),
    "pac-s": (15625, 2466, 8136),
    "compare2score": (5412, 612, 3674),
    "liqe": (15975, 1998, 7124),
    "unisim-vit-b-32": (17333, 2253, 7817),
    "unisim-vit-l-14": (17847, 1952, 6905),
    "unisim-ll-n-0.5b": (17712, 890, 4613),
    "unisim-ll-n-0.5b-unisim-data": (17653, None, 4290),
    "unisim-ll-n-7b": (17487, None, 4192),
}
"""Model -> its row in Tables 7, 2 and 8, summed from the page itself in tenths of a percent, overall average included.

Table 1 repeats the rows of Table 7 for the models of Table 2.
"""
IT_DATA_ROWS = {
    "unisim-vit-b-32-it-hq-edit": 5862,
    "unisim-vit-b-32-it-hq-edit-hpdv2": 5990,
    "unisim-vit-b-32": 6160,
    "unisim-vit-l-14-it-hq-edit": 5772,
    "unisim-vit-l-14-it-hq-edit-hpdv2": 5987,
    "unisim-vit-l-14": 6443,
}
"""The same for Table 3."""
PAGE_TOTALS = {
    "1": {model: core for model, (core, means, _) in ROWS.items() if means is not None},
    "2": {model: means for model, (_, means, _) in ROWS.items() if means is not None},
    "3": IT_DATA_ROWS,
    "7": {model: core for model, (core, _, _) in ROWS.items()},
    "8": {model: complete for model, (_, _, complete) in ROWS.items()},
}
COLUMN_TOTALS = {
    "3": [5116, 4636, 4013, 4123, 4236, 4181, 4426, 5483],
    "7": [
        *(16282, 12776, 15094, 14716),
        *(12040, 12995, 12063, 13966, 15223, 13259),
        *(12274, 15040, 14942, 14086),
        *(14414, 12822, 15600, 13743, 14755, 14267),
        13641,
    ],
    "8": [*(16922, 12048, 11436, 11102, 12040, 12709), *(10197, 10626, 10418), *(3348, 6909, 5127), 6889],
}
"""The same by column; Tables 1 and 2 are compared with 7 and 8 cell by cell."""
HALF_DIGIT = 0.0005 + 1e-9

Place = tuple[str, str]  # task, dataset
MEANS: dict[str, Place] = {task: (task, f"mean-of-{len(datasets)}") for task, datasets in TASKS.items()}


def places(tasks: dict[str, tuple[str, ...]]) -> list[Place]:
    """The columns of a table, each task's mean after its datasets."""
    return [place for task, names in tasks.items() for place in (*((task, name) for name in names), MEANS[task])]


IT_2AFC = ("hq-edit", "hpdv2", "magicbrush", "imagereward", "agiqa-3k-alignment", "mean-of-2", "mean-of-5")
COLUMNS: dict[str, list[Place]] = {
    "1": places(CORE),
    "2": [MEANS[task] for task in OOD],
    "3": [*(("it-2afc", name) for name in IT_2AFC), MEANS["text-2afc"]],
    "7": places(CORE),
    "8": places(OOD),
}


def read(table: str) -> list[Result]:
    rows = json.loads((PUBLISHED / "unisim" / FILES[table]).read_text(encoding="utf-8"))
    return [Result.from_json(row) for row in rows]


def load(name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((PUBLISHED / name).read_text(encoding="utf-8"))
    return rows


def cells(table: str) -> dict[str, dict[Place, Estimate]]:
    """Model -> task and dataset -> printed figure."""
    found: dict[str, dict[Place, Estimate]] = {}
    for result in read(table):
        (estimate,) = result.metrics.values()
        row = found.setdefault(result.model, {})
        assert (result.task, result.dataset) not in row, "a cell is there twice"
        row[result.task, result.dataset] = estimate
    return found


def overall(table: str) -> dict[str, dict[str, Any]]:
    """Model -> its average over the tasks, as printed."""
    return {
        row["model"]: {"printed": None, "recomputed": None, "note": None, **row["metrics"]["task_mean"]}
        | {"printed": row["metrics"]["task_mean"]["value"], "of": row["protocol"]["average_of"]}
        for row in load("unisim/table_averages.json")
        if row["source"]["table"] == f"Table {table}"
    }


@pytest.mark.parametrize("table", FILES)
def test_every_cell_is_there_once(table: str) -> None:
    shipped = cells(table)
    assert set(shipped) == set(PAGE_TOTALS[table])
    for model, row in shipped.items():
        assert list(row) == COLUMNS[table], model


def test_every_overall_average_is_there_once() -> None:
    assert len(load("unisim/table_averages.json")) == 16 + 16 + 20 + 20
    for table, tasks in (("1", CORE), ("2", OOD), ("7", CORE), ("8", OOD)):
        assert set(overall(table)) == set(PAGE_TOTALS[table])
        assert {tuple(row["of"]) for row in overall(table).values()} == {tuple(tasks)}


def tenths(table: str) -> dict[str, list[int]]:
    """Model -> its printed row in tenths of a percent, a missing cell counting nothing."""
    averages = overall(table)
    return {
        model: [
            round(1000 * (value or 0))
            for value in (
                *(metric.value for metric in row.values()),
                *([averages[model]["printed"]] if averages else []),
            )
        ]
        for model, row in cells(table).items()
    }


@pytest.mark.parametrize("table", FILES)
def test_rows_add_up_to_the_printed_page(table: str) -> None:
    assert {model: sum(row) for model, row in tenths(table).items()} == PAGE_TOTALS[table]


@pytest.mark.parametrize("table", COLUMN_TOTALS)
def test_columns_add_up_to_the_printed_page(table: str) -> None:
    assert [sum(column) for column in zip(*tenths(table).values(), strict=True)] == COLUMN_TOTALS[table]


def test_what_was_not_evaluated_is_missing_and_nothing_else() -> None:
    generative = {"llava-next-interleave-0.5b", "llava-next-interleave-7b", "mantis-8b-idefics2", "compare2score"}
    generative |= {"unisim-ll-n-0.5b", "unisim-ll-n-0.5b-unisim-data", "unisim-ll-n-7b"}
    for table in FILES:
        for model, row in cells(table).items():
            expected = {"retrieval"} if model in generative else set()
            if model == "compare2score":
                expected = {*TASKS} - {"iqa-2afc", "attributes"}
            if model == "dreamsim-ensemble":
                expected = {"it-2afc", "text-2afc", "iqa-2afc", "attributes"}
            for (task, dataset), estimate in row.items():
                assert (estimate.value is None) is (task in expected), (table, model, dataset)


def test_tables_that_repeat_each_other_agree() -> None:
    """Table 1 recurs in 7, Table 2's columns are 8's means, Table 3's full training is Table 1's model."""
    one, two, three, seven, eight = (cells(table) for table in ("1", "2", "3", "7", "8"))
    core, complete = overall("1"), overall("7")
    for model, row in one.items():
        assert row == seven[model]
        assert core[model]["printed"] == complete[model]["printed"]
    for model, row in two.items():
        assert row == {place: eight[model][place] for place in row}
    for model in ("unisim-vit-b-32", "unisim-vit-l-14"):
        shared = {place: cell for place, cell in three[model].items() if place != ("it-2afc", "mean-of-2")}
        assert shared == {place: one[model][place] for place in shared}


def test_what_the_paper_contradicts_or_chance_explains_is_flagged() -> None:
    for model, row in cells("8").items():
        for (task, _), cell in row.items():
            worse_than_chance = task == "odd-one-out" and cell.value is not None and cell.value < 0.30
            assert worse_than_chance is ("below the chance level" in (cell.note or "")), model
    for model in ("unisim-vit-b-32", "unisim-vit-l-14"):
        assert "the text (Sec. 4.3)" in (cells("8")[model][MEANS["odd-one-out"]].note or "")
    assert "the text (Sec. 4.2)" in (cells("7")["unisim-vit-b-32"]["it-2afc", "hq-edit"].note or "")


def test_dataset_facts_agree_with_the_text() -> None:
    facts = load("datasets/unisim.json")
    test = [row for row in facts if row["table"] == "4" and row["dataset"]]
    train = [row for row in facts if row["table"] == "5" and row["dataset"]]
    assert [(row["task"], row["dataset"]) for row in test if row["scope"] == "core"] == [
        (task, name) for task, names in CORE.items() for name in names
    ]
    assert {(row["task"], row["dataset"]) for row in test if row["scope"] == "ood"} == {
        (task, name) for task, names in OOD.items() for name in names
    }
    assert len(test) == 25
    assert {row["dataset"] for row in test if row["unisim_trains_on"]} == {row["dataset"] for row in train}
    assert {row["dataset"] for row in test if row["scope"] == "core" and not row["unisim_trains_on"]} == HELD_OUT
    assert sum(row["train_samples"] for row in train) == 1_302_200
    (total,) = (row for row in facts if row["table"] == "4" and row["row"] == "Total")
    assert (total["test_samples"], total["recomputed"]) == (88_000, sum(row["test_samples"] for row in test))
    assert total["recomputed"] == 86_339
