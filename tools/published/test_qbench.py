"""The tables of the Q-Bench paper and its README as shipped: complete, adding up, every oddity flagged.

Accuracies are shares of whole questions, so each must be a whole count over its `n`, and the counts must add up. The
denominators of Table 8 are not printed: 670 and 420 are the only ones under 840 that every Yes and every No accuracy
is a whole count of (cut off or rounded), out of the 1,098 yes-or-no questions.
"""

from __future__ import annotations

import re
from math import floor

import pytest
from scipy.stats import binomtest

from qbench.records import Estimate
from tools.published.qbench_tables import FILES, best, cells, records, value

pytestmark = pytest.mark.slow(reason="the tables seldom change")

TYPES = tuple(f"question_type/{name}" for name in ("yes-or-no", "what", "how"))
CONCERNS = tuple(f"concern/{name}" for name in ("distortion", "other", "in-context-distortion", "in-context-other"))
PERCEPTION = (*TYPES, *CONCERNS, "accuracy")
DESCRIPTION = (
    *(
        f"{dimension}{end}"
        for dimension in ("completeness", "precision", "relevance")
        for end in ("/P0", "/P1", "/P2", "")
    ),
    "sum",
)
WILD = ("koniq-10k", "spaq", "live-fb", "live-itw")
SEVEN = (*WILD, "cgiqa-6k", "agiqa-3k", "kadid-10k")
SIX = (*WILD, "agiqa-3k", "kadid-10k")


def correlations(datasets: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{dataset} {metric}" for dataset in datasets for metric in ("srcc", "plcc"))


AVERAGED = correlations((*SEVEN, "average-of-7"))
COLUMNS = {
    **dict.fromkeys(("2", "5", "7", "GPT-4V", "closed"), PERCEPTION),
    "3": DESCRIPTION,
    "8": ("accuracy", "yes_accuracy", "no_accuracy", "debiased_accuracy"),
    **dict.fromkeys(("4", "11"), AVERAGED),
    **dict.fromkeys(("9", "10"), correlations(SIX)),
}
ROWS = {"2": 18, "3": 15, "4": 17, "5": 3, "7": 15, "8": 10, "9": 10, "10": 2, "11": 30, "GPT-4V": 2, "closed": 6}
PAGE_TOTALS = {
    "2": (120360, 103564, 93178, 95317, 112228, 105726, 119462, 106347),
    "3": (39310, 81613, 29078, 139700, 48102, 37696, 64204, 166100, 8681, 67582, 73737, 215200, 520800),
    "4": (
        *(64830, 68930, 89050, 90910, 40570, 45240, 57270, 61560),
        *(38920, 40510, 96870, 102470, 63400, 65690, 64430, 67900),
    ),
    "5": (16968, 9444, 10828, 11568, 13367, 12493, 13885, 12660),
    "7": (93454, 79093, 72825, 74547, 86395, 80012, 94235, 82307),
    "8": (62555, 73995, 44164, 59080),
    "9": (27270, 29800, 44700, 45830, 18640, 22370, 25900, 30490, 53990, 58560, 28740, 29880),
    "10": (6220, 6510, 11630, 12170, 4690, 4980, 1300, 1330, 6420, 6810, 4750, 3990),
    "11": (
        *(143300, 152820, 176230, 180230, 86930, 95910, 146280, 155540),
        *(201160, 216410, 75470, 80560, 128700, 133350, 136900, 144970),
    ),
    "GPT-4V": (16040, 15857, 12297, 14620, 14511, 15103, 15095, 14767),
    "closed": (46988, 47215, 38522, 42704, 44180, 45378, 46414, 44302),
}
"""Each printed column summed from the page itself, in ten-thousandths: a mistyped cell cannot hide."""
CENT = 0.00005 + 1e-9
"""Half of the last digit of a percentage printed with two decimals."""
HEADS_SWAPPED = ("cgiqa-6k", "agiqa-3k")
"""Table 11 prints the figures of each under the name of the other."""


def count(one: Estimate) -> int:
    """The whole number of questions a share stands for."""
    assert one.n
    whole = round(best(one) * one.n)
    assert abs(whole / one.n - best(one)) < CENT, f"{one.value} is no whole count of {one.n}"
    return whole


def count_cut(one: Estimate) -> int:
    """The same where a table cuts its percentages off as often as it rounds them."""
    assert one.n
    least = floor(value(one) * one.n)
    fits = [
        whole
        for whole in (least, least + 1)
        if round(10_000 * value(one)) in (floor(10_000 * whole / one.n + 1e-9), round(10_000 * whole / one.n))
    ]
    assert len(fits) == 1, f"{one.value} is no whole count of {one.n}"
    return fits[0]


every_table = pytest.mark.parametrize("table", FILES)


@every_table
def test_every_cell_is_there(table: str) -> None:
    rows = cells(table)
    assert len(rows) == ROWS[table]
    for row, figures in rows.items():
        extra = {"debiased_rank"} if table == "8" and row != "random guess" else set()
        assert set(figures) == set(COLUMNS[table]) | extra, row
    expected = len(rows) * (len(COLUMNS[table]) // 2 if records(table)[0].task == "assessment" else 1)
    assert len(records(table)) == expected


@every_table
def test_columns_add_up_to_the_page(table: str) -> None:
    rows = cells(table).values()
    assert PAGE_TOTALS[table] == tuple(
        sum(round(10_000 * value(row[column])) for row in rows) for column in COLUMNS[table]
    )


@every_table
def test_intervals_are_wilsons_where_the_count_is_known(table: str) -> None:
    for row, figures in cells(table).items():
        for column, figure in figures.items():
            if figure.method == "printed":
                assert figure.low is figure.high is None
                continue
            assert figure.method == "printed, wilson"
            assert figure.n
            hits = count_cut(figure) if table == "8" else count(figure)
            interval = binomtest(hits, figure.n).proportion_ci(method="wilson")
            assert (figure.low, figure.high) == pytest.approx((interval.low, interval.high), abs=1e-5), (row, column)


def names_figure(note: str, figure: float) -> bool:
    """Whether a note spells this figure out, to as many digits as it cares to."""
    spelled = re.findall(r"\d+\.(\d+)( %)?", note)
    return any(f"{figure * (100 if percent else 1):.{len(digits)}f}{percent}" in note for digits, percent in spelled)


@every_table
def test_what_we_recomputed_is_flagged_and_named(table: str) -> None:
    for row, figures in cells(table).items():
        for column, figure in figures.items():
            assert figure.note != ""
            if figure.recomputed is not None:
                assert abs(figure.recomputed - value(figure)) > CENT, (row, column)
                assert figure.note, (row, column)
                assert "swapped" in figure.note or names_figure(figure.note, figure.recomputed), (row, column)


@pytest.mark.parametrize(("table", "rows"), [("2", 17), ("5", 2), ("7", 14), ("GPT-4V", 2), ("closed", 3)])
def test_question_counts_add_up(table: str, rows: int) -> None:
    dev, test = (550, 452, 493, 514, 432, 304, 245, 1495), (548, 461, 486, 521, 419, 292, 263, 1495)
    both = tuple(a + b for a, b in zip(dev, test, strict=True))
    released = dict(zip(PERCEPTION, {"7": dev, "5": both}.get(table, test), strict=True))
    counted = {row: figures for row, figures in cells(table).items() if figures["accuracy"].n}
    assert len(counted) == rows
    for row, figures in counted.items():
        for column, figure in figures.items():  # where another list of questions was counted, the note says so
            assert figure.n == released[column] or figure.note, (row, column)
        for columns in (TYPES, CONCERNS):
            assert sum(figures[column].n or 0 for column in columns) == figures["accuracy"].n, row
            assert sum(count(figures[column]) for column in columns) == count(figures["accuracy"]), row


def test_swapped_heads_are_flagged_with_the_neighbours_figure() -> None:
    for row, figures in cells("11").items():
        for metric in ("srcc", "plcc"):
            first, second = (figures[f"{dataset} {metric}"] for dataset in HEADS_SWAPPED)
            assert (first.recomputed, second.recomputed) == (second.value, first.value), row
            assert "swapped" in (first.note or "")
            assert "swapped" in (second.note or "")


FLAGS = [
    ("2", "random guess", "question_type/what", 0.284888),
    ("2", "Shikra(Vicuna-7B)", "question_type/yes-or-no", 379 / 548),
    ("2", "Shikra(Vicuna-7B)", "question_type/what", 221 / 461),
    ("5", "random guess", "concern/distortion", 0.375604),
    ("5", "random guess", "accuracy", None),
    ("5", "Kosmos-2 (normal)", "concern/in-context-distortion", 244 / 596),
    ("5", "Kosmos-2 (normal)", "accuracy", None),
    ("5", "Kosmos-2 (close-set)", "accuracy", None),
    ("7", "random guess", "question_type/how", 0.333164),
    ("7", "random guess", "concern/in-context-distortion", 0.38295),
    ("8", "Shikra (Vicuna-7B)", "accuracy", None),
    ("8", "LLaMA-Adapter-V2", "accuracy", None),
    ("4", "InternLM-XComposer-VL (InternLM)", "kadid-10k srcc", 0.5402),
    ("4", "InternLM-XComposer-VL (InternLM)", "live-fb plcc", None),
    ("4", "IDEFICS-Instruct (LLaMA-7B)", "cgiqa-6k srcc", 0.1993),
    ("4", "Shikra (Vicuna-7B)", "spaq srcc", 0.3274),
    ("4", "Shikra (Vicuna-7B)", "live-fb srcc", None),
    ("4", "Shikra (Vicuna-7B)", "average-of-7 srcc", 0.3374),
    ("4", "InstructBLIP (Flan-T5-XL)", "kadid-10k plcc", 0.1665),
    ("9", "Shikra (Vicuna-7B), softmax", "spaq srcc", None),
    ("9", "LLaVA-v1 (Vicuna-13B), argmax", "kadid-10k srcc", 0.051),
    ("10", "InstructBLIP (Flan-T5-XL), high↔low", "kadid-10k srcc", 0.181),
    ("10", "InstructBLIP (Flan-T5-XL), good↔poor", "kadid-10k plcc", 0.2208),
    ("11", "Qwen-VL, good↔poor", "live-fb plcc", None),
    ("11", "LLaVA-v1.5 (Vicuna-v1.5-13B), good↔poor", "average-of-7 plcc", 0.4736),
    ("closed", "Qwen-VL-Plus (`qwen-vl-plus`)", "accuracy", 0.6899),
    ("closed", "GPT-4V-Turbo (`gpt-4-vision-preview`)", "accuracy", 0.7408),
]


@pytest.mark.parametrize(("table", "row", "column", "recomputed"), FLAGS)
def test_known_inconsistencies_are_flagged(table: str, row: str, column: str, recomputed: float | None) -> None:
    one = cells(table)[row][column]
    assert one.note
    assert one.recomputed == (None if recomputed is None else pytest.approx(recomputed, abs=0.0005))
