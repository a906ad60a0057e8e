"""The boards against the published tables: figures typed here from the papers stand where a reader looks for them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from leaderboard.boards import all_boards, unisim
from leaderboard.settings import read_settings
from leaderboard.snapshot import Snapshot, open_snapshot
from leaderboard.store import records_of
from leaderboard.tables.columns import EVERYTHING, Board
from leaderboard.tables.models import group_by_model
from leaderboard.tables.table import build_table
from leaderboard.tables.unranked import find_unranked
from qbench.records import Result
from tests.leaderboard import made

ROOT = Path(__file__).resolve().parents[3]
BOARDS = all_boards()
WITHOUT_PUBLISHED_FIGURES = ("unisim-n-way", "a-bench-dev")


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return open_snapshot(read_settings({"QBENCH_RESULTS": str(tmp_path_factory.mktemp("none"))}, ROOT))


def test_every_published_record_can_be_read(snapshot: Snapshot) -> None:
    assert snapshot.loaded.problems == ()


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
        ("unisim-ood", "CLIP ViT-H/14", "retrieval/mean", 0.502),  # Table 2
        ("2afc-rankings", "gpt-4v", "kadid-10k/mle", 0.575),  # 2AFC Table V
        ("2afc-rankings", "gpt-4v", "spaq/trueskill", 0.887),
        ("unisim-training-data", "unisim-vit-l-14", "magicbrush", 0.918),  # UniSim Table 3, + MagicBrush
        ("unisim-training-data", "unisim-vit-b-32-it-hq-edit", "text-2afc/mean", 0.899),
        ("perception-close-set", "kosmos-2", "overall", 0.4726),  # Q-Bench Table 5
        ("perception-close-set", "kosmos-2", "by-reply", 0.4147),
        ("a-bench", "gpt-4v", "category/generative", 0.5711),  # A-Bench's README
    ],
)
def test_a_printed_figure_stands_in_its_cell(
    snapshot: Snapshot, board: str, model: str, column: str, printed: float
) -> None:
    table = snapshot.table(board, EVERYTHING)
    facts = snapshot.find_model(model)
    assert facts is not None
    assert table.ranked.value.loc[facts.id, column] == printed


@pytest.mark.parametrize(
    ("board", "models", "references"),
    [
        ("perception-test", 51, 3),  # Table 2 and the README have 18 and two humans; later tables add 33 models
        ("perception-dev", 51, 1),  # Table 7 has 14
        ("description", 28, 0),  # Table 3 has 15
        ("assessment", 29, 0),  # Table 4 has 17, one of them a metric
        ("2afc-coarse", 12, 0),  # Table II has 5
        ("2afc-fine", 5, 1),
        ("unisim-core", 20, 0),
        ("unisim-ood", 20, 0),
        ("2afc-rankings", 1, 0),  # GPT-4V alone was ranked in four ways
        ("unisim-training-data", 6, 0),  # two models after three trainings
        ("a-bench", 4, 2),  # the README's four models, and the best and worst of people
        ("a-bench-dev", 0, 0),
        ("unisim-n-way", 0, 0),  # Fig. 3 is a plot, and not transcribed
        ("demo-n-way", 2, 0),
    ],
)
def test_every_row_of_the_tables_is_there(snapshot: Snapshot, board: str, models: int, references: int) -> None:
    table = snapshot.table(board, EVERYTHING)
    assert (len(table.ranked.value), len(table.reference.value)) == (models, references)


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.key)
def test_every_column_has_figures_and_can_be_chosen(snapshot: Snapshot, board: Board) -> None:
    table = snapshot.table(board.key, EVERYTHING)
    assert table.columns == board.columns
    if board.key not in WITHOUT_PUBLISHED_FIGURES:
        assert table.ranked.value.notna().any().all()
    assert {part for column in board.columns for part in column.parts} == {part.key for part in board.parts}
    for view in board.views:
        for part in (EVERYTHING, *(part.key for part in board.parts)):
            assert board.shown(board.choose(view.key, part))


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.key)
def test_keys_are_unique_and_means_average_known_columns(board: Board) -> None:
    keys = Counter(column.key for column in board.columns)
    assert max(keys.values()) == 1
    places = Counter((column.find, *column.protocol.items()) for column in board.columns if column.find)
    assert max(places.values()) == 1
    for column in board.columns:
        assert set(column.mean_of) <= keys.keys()
        assert len(column.weights) in (0, len(column.mean_of))


@pytest.mark.parametrize(("board", "tasks"), [("unisim-core", 4), ("unisim-ood", 3)])
def test_overall_is_the_printed_average(snapshot: Snapshot, board: str, tasks: int) -> None:
    printed: dict[str, set[float]] = {}
    for result in snapshot.loaded.results:
        if result.dataset == f"mean-of-{tasks}-tasks":
            printed.setdefault(result.model, set()).add(result.metrics["task_mean"].value)
    overall = snapshot.table(board).ranked.value["overall"]
    shown = {model: values for model, values in printed.items() if None not in values}
    assert len(shown) == {4: 18, 3: 12}[tasks]
    for model, values in shown.items():
        assert overall[model] in values


def test_figures_of_pairs_join_those_of_more_images_and_make_no_row_alone() -> None:
    """The published pairs of HPDv2 stand on the core board; here they are where the curve of a model begins."""

    def of(model: str, dataset: str, accuracy: float, **protocol: object) -> Result:
        return made.result(model, dataset, None, task="it-2afc", accuracy=accuracy, protocol=protocol)

    results = (of("alpha", "hpdv2", 0.7), of("beta", "hpdv2", 0.8), of("beta", "hpdv2-4-way", 0.5))
    board = unisim.more_images_board()
    for part in (EVERYTHING, "2-way", "4-way"):
        table = build_table(group_by_model(records_of(results), made.find_model), board, board.choose("", part))
        assert list(table.ranked.value.index) == ["beta"]
    table = build_table(group_by_model(records_of(results), made.find_model), board, board.choose())
    assert table.ranked.value.loc["beta"].dropna().to_dict() == {"2-way": 0.8, "4-way": 0.5}
    assert table.ranks[table.primary].rank.isna().all()  # ranked by nine images, and by whatever column is chosen
    assert board.ranks_by(board.choose("", "4-way")).key == "4-way"
    parts = records_of((of("alpha", "hpdv2", 0.7, limit=9), of("alpha", "hpdv2-4-way", 0.5, limit=9)))
    few = group_by_model(parts, made.find_model)
    assert [row.figures for row in find_unranked(few, (), board, made.find_model).partial] == [{"4-way": 0.5}]


def test_our_mean_stands_beside_a_printed_one_that_differs(snapshot: Snapshot) -> None:
    table = snapshot.table("unisim-ood")
    assert table.ranked.value.loc["siglip-so400m-14", "overall"] == 0.637
    assert table.notes["siglip-so400m-14", "overall"].recomputed == 0.6377


def test_an_incomplete_model_has_no_overall(snapshot: Snapshot) -> None:
    table = snapshot.table("unisim-core")
    facts = snapshot.find_model("Compare2Score")
    assert facts is not None
    note = table.notes[facts.id, "overall"]
    assert note.kind == "absent"
    assert "no figure for Nights" in note.text
    assert facts.id not in table.ranks["overall"].rank.dropna().index


def test_people_cannot_be_told_apart_from_gpt_4v_only_where_they_cannot(snapshot: Snapshot) -> None:
    """GPT-4V (1,096 of 1,494) is ahead of InternLM-XComposer-VL (962 of 1,495) beyond doubt, z = 5.3."""
    ranges = snapshot.table("perception-test").ranks["overall"].ranges
    assert ranges["gpt-4v"].worst < ranges["internlm-xcomposer-vl"].worst
    assert ranges["internlm-xcomposer-vl"].best > ranges["gpt-4v"].best
