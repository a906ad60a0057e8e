"""Boards that an owner declares in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from leaderboard.settings import Settings
from leaderboard.snapshot import SnapshotWatch, open_snapshot
from leaderboard.store.submission import record_bytes
from leaderboard.tables.words import told_unshown
from tests.leaderboard.made import result

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
