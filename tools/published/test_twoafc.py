"""The tables of the 2AFC paper as shipped: complete, adding up to the printed page, every oddity flagged."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

from qbench.records import Estimate, Result

pytestmark = pytest.mark.slow(reason="the tables seldom change")

PUBLISHED = Path(__file__).resolve().parents[2] / "assets" / "published"
FILES = {
    "II": "table_02_coarse.json",
    "III": "table_03_fine_consistency_accuracy.json",
    "IV": "table_04_fine_correlation.json",
    "V": "table_05_rank_aggregation.json",
}
METRICS = {
    "II": ("consistency", "accuracy_joint", "correlation"),
    "III": ("consistency", "accuracy_joint"),
    "IV": ("correlation",),
    "V": ("correlation",),
}
MODELS = ("idefics-instruct", "mplug-owl", "internlm-xcomposer-vl", "q-instruct", "gpt-4v")
JUDGES = (*MODELS, "human-single-subject")
SAMPLES = {"csiq": 30, "kadid-10k": 81, "mm21": 129, "live-itw": 100, "koniq-10k": 160, "spaq": 160}
UNSEEN = {"kadis-700k": 100, "sqad": 100}
MIXED = {"mixed": 200}
"""Not stated; 200 is what the printed correlations imply."""
FINE = {
    "fine-levels": ("awgn", "jpeg", "jp2k", "pink", "blur"),
    "fine-types": ("level-1", "level-2", "level-3", "level-4", "level-5"),
    "fine-intervals": ("0-25", "25-50", "50-75", "75-100"),
}
FINE_ROWS = [f"{split}/{group}" for split, groups in FINE.items() for group in (*groups, "average")]
ROWS = {
    "II": [*SAMPLES, "weighted-average-of-6", *UNSEEN, *MIXED, "weighted-average-of-3"],
    "III": FINE_ROWS,
    "IV": FINE_ROWS,
    "V": ["mle", "perron", "trueskill", "map"],
}
COLUMNS = {"II": MODELS, "III": JUDGES, "IV": JUDGES, "V": (*SAMPLES, *UNSEEN)}
ROW_TOTALS = {
    "II": [6094, 5753, 5453, 5931, 6251, 6205, 5963, 6717, 6890, 6240, 6330],
    "III": [
        *(3677, 4168, 4815, 4219, 4583, 4292),
        *(2010, 2878, 3813, 4499, 5218, 3684),
        *(4180, 5222, 4681, 4433, 4631),
    ],
    "IV": [
        *(3312, 3052, 4064, 2916, 3674, 3404),
        *(1280, 2152, 2833, 3069, 2973, 2462),
        *(2174, 2458, 2283, 2048, 2242),
    ],
    "V": [5454, 5385, 5754, 5675],
}
COLUMN_TOTALS = {
    "II": [3037, 1496, 6052, 4142, 1970, 5273, 2132, 1065, 5647, 4583, 2941, 5677, 9022, 7023, 7767],
    "III": [3450, 2385, 7456, 3786, 5535, 2558, 3629, 2064, 7727, 5865, 14353, 12195],
    "IV": [3479, 6873, 5537, 7478, 10568, 12461],
    "V": [3026, 2229, 1908, 3063, 3085, 3451, 2719, 2787],
}
"""Rows and columns summed from the page itself, in thousandths: a cell mistyped or moved changes one of them."""
HALF_DIGIT = 0.0005 + 1e-9

Cell = tuple[str, str, str]  # row and column as printed, metric


def read(table: str) -> list[Result]:
    rows = json.loads((PUBLISHED / "twoafc" / FILES[table]).read_text(encoding="utf-8"))
    return [Result.from_json(row) for row in rows]


def cells(table: str) -> dict[Cell, Estimate]:
    """Every printed cell of a table, its printed averages included."""
    found: list[tuple[Cell, Estimate]] = []
    for result in read(table):
        row, column = result.dataset, result.model
        if table == "V":
            row, column = result.protocol["ranking"], result.dataset
        elif table != "II":
            row = f"{result.split}/average"
        rows = {row: result.metrics}
        for members in result.groups.values():
            rows |= {f"{result.split}/{group}": metrics for group, metrics in members.items()}
        found += [((row, column, metric), cell) for row, metrics in rows.items() for metric, cell in metrics.items()]
    assert len(dict(found)) == len(found), "a cell is there twice"
    return dict(found)


def number(estimate: Estimate) -> float:
    assert estimate.value is not None
    return estimate.value


@pytest.mark.parametrize("table", FILES)
def test_every_cell_is_there_once(table: str) -> None:
    assert set(cells(table)) == set(product(ROWS[table], COLUMNS[table], METRICS[table]))


@pytest.mark.parametrize("table", FILES)
def test_rows_and_columns_add_up_to_the_printed_page(table: str) -> None:
    shipped = {cell: round(1000 * number(estimate)) for cell, estimate in cells(table).items()}
    heads = list(product(COLUMNS[table], METRICS[table]))
    by_row = [[shipped[row, column, metric] for column, metric in heads] for row in ROWS[table]]
    assert [sum(row) for row in by_row] == ROW_TOTALS[table]
    assert [sum(column) for column in zip(*by_row, strict=True)] == COLUMN_TOTALS[table]


def test_a_correlation_printed_as_zero_is_flagged_as_undefined() -> None:
    consistency = cells("III")
    zeros = [cell for cell, estimate in cells("IV").items() if estimate.value == 0]
    assert len(zeros) == 7
    for cell, estimate in cells("IV").items():
        assert (cell in zeros) is ("undefined, printed" in (estimate.note or "")), cell
    for row, model, _ in zeros:
        assert number(consistency[row, model, "consistency"]) <= 0.010
        assert "counts the undefined" in (cells("IV")[row.split("/")[0] + "/average", model, "correlation"].note or "")


@pytest.mark.parametrize(
    ("table", "cell", "words"),
    [
        ("III", ("fine-levels/average", "gpt-4v", "consistency"), "the text says GPT-4V outperforms"),
        ("III", ("fine-intervals/average", "q-instruct", "accuracy_joint"), "underlined as second best although"),
        ("IV", ("fine-levels/average", "q-instruct", "correlation"), "the text (Sec. III-C) says"),
        ("V", ("map", "kadid-10k", "correlation"), "set in bold although MLE"),
        *(
            ("II", ("sqad", model, metric), "name is missing in the copy transcribed")
            for model, metric in product(MODELS, METRICS["II"])
        ),
    ],
)
def test_what_the_paper_contradicts_or_our_copy_lost_is_flagged(table: str, cell: Cell, words: str) -> None:
    assert words in (cells(table)[cell].note or "")


def test_table_one_adds_up_to_the_images_of_the_text() -> None:
    facts = json.loads((PUBLISHED / "datasets" / "twoafc.json").read_text(encoding="utf-8"))
    coarse = {row["dataset"]: row["samples"] for row in facts if row["subset"] == "coarse"}
    assert coarse == SAMPLES | UNSEEN
    assert sum(coarse.values()) == 860
    assert sum(row["samples"] for row in facts) == 1060
    assert all(row["note"] for row in facts if row["printed"] is None or row["printed"][0] in ("", "SPAQ [22]"))
