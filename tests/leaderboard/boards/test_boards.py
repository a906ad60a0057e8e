"""The boards against the published tables: figures typed here from the papers stand where a reader looks for them.

Every other published figure stands on a board too, or About says why it does not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from leaderboard.boards import all_boards
from leaderboard.settings import Settings
from leaderboard.snapshot import SnapshotWatch, open_snapshot
from leaderboard.store import records_of
from leaderboard.store.submission import record_bytes
from leaderboard.tables.cells import figures
from leaderboard.tables.classes import classed_protocol
from leaderboard.tables.columns import EVERYTHING, Address, Board, Column, find_board
from leaderboard.tables.models import group_by_model
from leaderboard.tables.unranked import find_unranked
from leaderboard.tables.words import told_unshown
from qbench.models.catalogue import find_model
from qbench.records import Result
from tests.leaderboard import made
from tests.leaderboard.made import result
from tests.leaderboard.published import ROOT, published

BOARDS = all_boards()
WITHOUT_PUBLISHED_FIGURES = ("unisim-n-way", "a-bench-dev")


def test_every_published_record_can_be_read() -> None:
    assert published().loaded.problems == ()


@pytest.mark.parametrize(
    ("board", "model", "column", "printed"),
    [
        ("perception-test", "gpt-4v", "overall", 0.7336),  # Q-Bench Table 2
        ("perception-test", "internlm-xcomposer-vl", "concern/in-context-other", 0.7719),
        ("perception-test", "shikra", "question_type/what", 0.4793),
        ("perception-dev", "instructblip-vicuna-7b", "question_type/yes-or-no", 0.7164),  # Table 7
        ("perception-dev", "llama-adapter-v2", "concern/in-context-distortion", 0.6316),
        ("description", "kosmos-2", "completeness", 1.12),  # Table 3
        ("description", "mplug-owl", "precision/p2", 0.5507),
        ("description", "internlm-xcomposer-vl", "sum", 4.21),
        ("assessment-metrics", "niqe", "spaq/srcc", 0.693),  # Table 4; a metric is never ranked with models
        ("assessment-metrics", "niqe", "spaq/plcc", 0.669),
        ("assessment", "otter-v1", "live-itw/srcc", -0.008),
        ("assessment", "internlm-xcomposer-vl", "cgiqa-6k/plcc", 0.265),
        ("assessment", "instructblip-flan-t5-xl", "kadid-10k/srcc", 0.211),  # its own words are high and low
        ("assessment", "shikra", "spaq/srcc", 0.320),  # and not Table 9's 0.327
        ("2afc-coarse", "gpt-4v", "spaq/accuracy_joint", 0.736),  # 2AFC Table II
        ("2afc-coarse", "idefics-instruct", "sqad/correlation", 0.746),
        ("2afc-coarse", "gpt-4v", "csiq/correlation", 0.764),  # by MAP, not Table V's other methods
        ("2afc-fine", "mplug-owl", "fine-types/level-1/consistency", 0.552),  # Table III
        ("2afc-fine", "gpt-4v", "fine-levels/correlation", 0.906),  # Table IV
        ("unisim-core", "UniSim ViT-L/14", "text-2afc/cd-coco", 0.942),  # UniSim Table 7
        ("unisim-core", "UniSim ViT-L/14", "overall", 0.853),
        ("unisim-ood", "CLIP ViT-H/14", "retrieval/mean", 0.502),  # Table 2
        ("unisim-ood", "siglip-so400m-14", "overall", 0.637),  # Table 8, and not the 0.6377 of its own means
        ("2afc-rankings", "gpt-4v", "kadid-10k/mle", 0.575),  # 2AFC Table V
        ("2afc-rankings", "gpt-4v", "spaq/trueskill", 0.887),
        ("unisim-training-data", "unisim-vit-l-14", "magicbrush", 0.918),  # UniSim Table 3, + MagicBrush
        ("unisim-training-data", "unisim-vit-b-32-it-hq-edit", "text-2afc/mean", 0.899),
        ("perception-close-set", "kosmos-2", "overall", 0.4726),  # Q-Bench Table 5
        ("perception-close-set", "kosmos-2", "by-reply", 0.4147),
        ("perception-close-set", "kosmos-2", "by-reply/question_type/what", 0.2913),
        ("perception-close-set", "kosmos-2", "by-reply/concern/in-context-other", 0.4420),
        ("assessment-words", "llava-v1-13b", "koniq-10k/argmax/srcc", 0.038),  # Table 9
        ("assessment-words", "shikra", "agiqa-3k/argmax/plcc", 0.562),
        ("assessment-words", "instructblip-flan-t5-xl", "koniq-10k/good/poor/srcc", 0.288),  # Table 10
        ("assessment-words", "qwen-vl", "average-of-7/good+high/poor+low/srcc", 0.495),  # Table 11
        ("assessment-words", "internlm-xcomposer-vl", "kadid-10k/good+high+fine/poor+low+bad/plcc", 0.538),
        ("2afc-coarse", "co-instruct", "average-6/correlation", 0.754),  # Co-Instruct Table 4
        ("assessment-trained", "q-realign-pro-9b", "printed/q-realign/srcc", 0.896),  # its README
        ("assessment-trained", "q-insight", "printed/q-insight/plcc", 0.806),  # Q-Insight Table 1
        ("assessment-number", "qwen2.5-vl-7b", "printed/visualquality-r1/srcc", 0.708),  # VisualQuality-R1 Table 2
        ("assessment-metrics", "niqe", "printed/q-insight/srcc", 0.481),  # and not Q-Bench's 0.387 of other seven
        ("a-bench", "gpt-4v", "category/generative", 0.5711),  # A-Bench's README
        ("a-bench", "llava-next-110b", "part/part2", 0.6188),  # A-Bench's part2.png
        ("a-bench", "qwen-vl", "part/part1", 0.7643),  # A-Bench's part1.png
        ("perception-chinese", "qwen-vl", "dev/Chinese", 0.5712),  # Chinese-Q-Bench's README
        ("perception-chinese", "visualglm-6b", "test/English/in-context-other", 0.5779),
        ("diag-bench", "gemini-3-pro", "where_f1", 0.633),  # GS-IQA Table 1
        ("q-bench-video", "gemini-1.5-pro", "open-ended", 0.4757),  # Q-Bench-Video's README
        ("medq-bench", "grok-4", "question_type/what", 0.4884),  # MedQ-Bench's README
        ("assessment-trained", "mr-iqa-2-frozen-vision", "csiq/plcc", 0.840),  # MR-IQA-2 Table 1
        ("assessment-trained", "q-scorer-1-token", "live-itw/srcc", 0.888),  # Q-Scorer's README
        ("assessment-number", "pace-slow", "csiq/srcc", 0.697),  # PACE's README
        ("assessment-number", "gpt-4o", "printed/unipercept/plcc", 0.655),  # UniPercept Table 1
    ],
)
def test_a_printed_figure_stands_in_its_cell(board: str, model: str, column: str, printed: float) -> None:
    table = published().table(board, EVERYTHING)
    facts = published().find_model(model)
    assert facts is not None
    assert table.ranked[facts.id].cells[column].value == printed


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.key)
def test_every_column_has_figures_and_can_be_chosen(board: Board) -> None:
    table = published().table(board.key, EVERYTHING)
    assert table.columns == board.columns
    if board.key not in WITHOUT_PUBLISHED_FIGURES:
        assert {key for row in table.ranked.values() for key in row.cells} == {column.key for column in board.columns}
    assert {part for column in board.columns for part in column.parts} == {part.key for part in board.parts}
    for view in board.views:
        for part in (EVERYTHING, *(part.key for part in board.parts)):
            assert board.shown(view.key, part)


def test_figures_of_pairs_join_those_of_more_images_and_make_no_row_alone() -> None:
    """The published pairs of HPDv2 stand on the core board; here they are where the curve of a model begins."""

    def of(model: str, dataset: str, accuracy: float, **protocol: object) -> Result:
        return made.result(model, dataset, None, task="it-2afc", accuracy=accuracy, protocol=protocol)

    results = (of("alpha", "hpdv2", 0.7), of("beta", "hpdv2", 0.8), of("beta", "hpdv2-4-way", 0.5))
    board = find_board(BOARDS, "unisim-n-way")
    for part in (EVERYTHING, "2-way", "4-way"):
        assert list(made.make_table(results, board, part=part).ranked) == ["beta"]
    table = made.make_table(results, board)
    assert {key: cell.value for key, cell in table.ranked["beta"].cells.items()} == {"2-way": 0.8, "4-way": 0.5}
    assert table.ranks[table.primary.key] == {}  # ranked by nine images, and by whatever column is chosen
    assert made.make_table(results, board, part="4-way").primary.key == "4-way"
    parts = records_of((of("alpha", "hpdv2", 0.7, limit=9), of("alpha", "hpdv2-4-way", 0.5, limit=9)))
    few = group_by_model(parts, made.find_model)
    assert [row.figures for row in find_unranked(few, (), board, made.find_model).partial] == [{"4-way": 0.5}]


def test_a_printed_average_that_its_cells_do_not_give_is_marked_with_ours_beside_it() -> None:
    """Co-Instruct's Table 4, mPLUG-Owl2: 0.460, above all six cells; weighted by images these give
    (0.435 x 30 + 0.402 x 81 + 0.378 x 129 + 0.375 x 100 + 0.386 x 160 + 0.362 x 160) / 660 = 0.3811."""
    table = published().table("2afc-coarse")
    assert table.ranked["mplug-owl2"].cells["average-6/consistency"].value == 0.460
    note = table.ranked["mplug-owl2"].cells["average-6/consistency"].note
    assert (note.kind, note.recomputed) == ("flag", 0.3811)


SOURCES = (ROOT / "assets" / "prose" / "sources.md").read_text(encoding="utf-8")
OTHER_DATABASES = {
    *("ava", "lsvq", "lsvq-1080p", "konvid-1k", "maxwell", "liu13-deblurring", "sriqa-bench", "min19-dehazing"),
    *("tid2008", "agi-unnamed", "live-unnamed"),
}
_OF_YES_AND_NO = ("yes_accuracy", "no_accuracy", "debiased_accuracy", "dprime", "criterion")
Place = Callable[[Result, Address], bool]


def _in(*references: str) -> Place:
    return lambda result, _: any(reference in result.source.cited for reference in references)


def _of(*datasets: str) -> Place:
    return lambda result, _: result.dataset in datasets


REASONS: tuple[tuple[str, Place, int], ...] = (
    ("mixes the two halves", _of("llvisionqa-half-not-stated"), 6),
    ("does not name the half", _of("q-bench2-half-not-stated"), 9),
    ("how ties count", _in("(Compare2Score), Table 4"), 36),
    ("five anchor images", _in("(Compare2Score), Table 3"), 48),
    ("within each quarter", lambda _, address: address.grouping == "quarter", 320),
    ("Kendall's correlations", lambda _, address: address.metric == "krcc", 239),
    ("Databases of video", _of(*OTHER_DATABASES), 180),
    ("at 1,024 pixels", lambda result, _: "pixels" in result.protocol, 8),
    (
        "does not say whether they were trained on the database",
        lambda result, _: "class" in result.protocol and "trained_on" not in result.protocol,
        14,
    ),
    (
        "OneAlign in 8 bits on LIVE-FB",
        lambda result, _: (result.model, result.dataset) == ("one-align-8bit", "live-fb"),
        2,
    ),
    (
        "on parts of KonIQ-10k and SPAQ",
        lambda result, address: "limit" in result.protocol and address.metric in ("srcc", "plcc"),
        20,
    ),
    ("lack 116 of the 1,495", lambda result, _: result.protocol.get("limit") == 1379, 14),
    (
        "and released replies",
        lambda result, address: result.dataset == "llvisionqa-dev" and address.metric in _OF_YES_AND_NO,
        80,
    ),
    ("Table 8", _in("Q-Bench (ICLR 2024), Table 8"), 49),
    ("prefers the good word", lambda _, address: address.metric == "positive_rate", 90),
)
"""Words of About -> the figures that they are about, and how many these are."""
COLUMNS: dict[Address | None, list[tuple[Board, Column]]] = {}
for _board in BOARDS:
    for _column in _board.columns:
        COLUMNS.setdefault(_column.find, []).append((_board, _column))


def _in_no_column(result: Result) -> Iterator[Address]:
    model = find_model(result.model)
    assert model is not None, result.model
    protocol = classed_protocol(result, model)
    for address, _ in figures(result):
        places = COLUMNS.get(address, [])
        if not any(board.admits(protocol, model) and column.takes(protocol) for board, column in places):
            yield address


def _reason(result: Result, address: Address) -> str:
    found = [words for words, applies, _ in REASONS if applies(result, address)]
    assert found, (result.source.cited, address)
    return found[0]


def test_what_stands_on_no_board_has_its_reason_on_about() -> None:
    results = [result for result in published().loaded.results if not result.dataset.startswith("demo-")]
    counted = Counter(_reason(result, address) for result in results for address in _in_no_column(result))
    assert counted == {words: number for words, _, number in REASONS}
    assert [words for words, _, _ in REASONS if words not in SOURCES] == []


AVERAGE = re.compile(r"(weighted-)?average-of-|mean-of-")


def test_every_printed_average_is_on_a_page() -> None:
    """In a cell, or among the row's sources where the cell has another source's."""
    on_pages = {
        (id(origin.record.result), column)
        for table in published().tables
        for row in table.rows.values()
        for origin in row.origins
        for column in (*origin.shown, *origin.passed_over)
    }
    printed = [
        (result, address)
        for result in published().loaded.results
        if AVERAGE.match(result.dataset)
        for address, estimate in figures(result)
        if estimate.value is not None
    ]
    assert len(printed) == 588
    missing = [
        (result.source.cited, address)
        for result, address in printed
        if not any((id(result), column.key) in on_pages for _, column in COLUMNS.get(address, []))
    ]
    assert missing == []


NIGHT = """\
title = "Night shots"
sentence = "200 photos taken at night."
question = "Which model scores night photos as people do?"
columns = [
  {task = "assessment", dataset = "night", metric = "srcc"},
  {task = "assessment", dataset = "night", metric = "plcc", label = "Linear"},
]
"""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """An installation whose results have two models on a dataset of its own."""
    for model, srcc in (("nano-iqa", 0.5), ("sharpness", 0.25)):
        record = result(model, "night", srcc=srcc, plcc=srcc + 0.125)
        (tmp_path / f"{model}.json").write_bytes(record_bytes(record))
    (tmp_path / "boards").mkdir()
    return Settings(assets=tmp_path / "nothing published", results=tmp_path)


def declare(settings: Settings, text: str, name: str = "night") -> None:
    (settings.results / "boards" / f"{name}.toml").write_text(text, encoding="utf-8")


def test_a_file_makes_a_board_that_comes_first_unless_its_name_is_taken(settings: Settings) -> None:
    declare(settings, NIGHT)
    declare(settings, NIGHT, "assessment")
    snapshot = open_snapshot(settings)
    board = snapshot.boards[0]
    assert (board.key, board.title, board.group and board.group.title) == ("night", "Night shots", "Own boards")
    rows = snapshot.table("night").rows
    assert list(rows) == ["nano-iqa", "sharpness"]
    assert [cell.value for cell in rows["sharpness"].cells.values()] == [0.25, 0.375]
    assert [column.label for column in board.columns] == ["SRCC", "Linear"]
    assert snapshot.unshown == {}
    [problem] = snapshot.loaded.problems
    assert problem.reason == "a board is called assessment already; give the file another name"


def test_a_running_app_shows_the_board_of_the_line_that_it_proposes(settings: Settings) -> None:
    watch = SnapshotWatch(settings)
    [place] = watch().unshown
    assert place == ("assessment", "night", None)
    proposed = told_unshown(watch().unshown).partition("shows them: ")[2].removesuffix(".")
    for before, after in ((", sentence", "\nsentence"), (", columns", "\ncolumns"), ("…", "srcc")):
        proposed = proposed.replace(before, after)
    declare(settings, proposed)
    watch.look_again()
    assert watch().boards[0].key == "night"
    assert list(watch().table("night").rows) == ["nano-iqa", "sharpness"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('"srcc"', '"SRC"'), "assessment has no metric 'SRC'; it has srcc, plcc"),
        (('"assessment"', '"scoring"'), "scoring has no metric 'srcc'; tasks are assessment, attributes"),
        (('title = "Night shots"', ""), "title is missing or no text"),
        (("question", "ask"), "a board has no 'ask'; it has columns, question, sentence, title"),
        (("label", "name"), "a column has no 'name'; it has dataset, label, metric, split, task"),
        (('"plcc"', '"srcc"'), "the board night has the key 'assessment/night/srcc' twice"),
        (("columns = [", "columns = ["[:-1]), "line 4"),
        ((NIGHT[NIGHT.index("columns") :], ""), "it has no columns; write columns = "),
    ],
)
def test_a_file_that_is_wrong_is_named_with_the_reason(settings: Settings, change: tuple[str, str], said: str) -> None:
    declare(settings, NIGHT.replace(*change))
    snapshot = open_snapshot(settings)
    [problem] = snapshot.loaded.problems
    assert problem.where == "boards/night.toml"
    assert said in problem.reason
    assert snapshot.boards[0].key != "night"
