from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from leaderboard.boards import all_boards
from leaderboard.html.about import chapters
from qbench.__main__ import _parser
from tests.leaderboard.made import board
from tests.leaderboard.published import ROOT, published, simulated

PROSE = ROOT / "assets" / "prose"
CHAPTERS = chapters(PROSE, all_boards())
TEXT = "\n\n".join((PROSE / f"{name}.md").read_text(encoding="utf-8") for name in CHAPTERS)


def test_every_file_is_a_chapter_and_every_board_has_its_heading() -> None:
    assert {path.stem for path in PROSE.glob("*.md")} == {*CHAPTERS, "formats"}  # the last is on the Submit page
    headings = re.findall(r"^## (.+)$", TEXT, flags=re.MULTILINE)
    assert {board.method for board in all_boards()} <= set(headings)
    assert len(set(headings)) == len(headings)


def test_a_boards_method_is_the_file_under_its_heading(tmp_path: Path) -> None:
    for name in ("about", "later", "first", "unused", "habits"):
        (tmp_path / f"{name}.md").write_text(f"## On {name}\n\nText.\n", encoding="utf-8")
    boards = [board(key=key, method=f"On {name}") for key, name in (("a", "first"), ("b", "later"), ("c", "first"))]
    assert chapters(tmp_path, boards)[:4] == ["about", "first", "later", "habits"]
    with pytest.raises(ValueError, match="begins with “## Nowhere”, which the board made names"):
        chapters(tmp_path, [board(method="Nowhere")])


def test_formulas_and_code_are_closed() -> None:
    prose = re.sub(r"^```.*?^```$", "", TEXT, flags=re.MULTILINE | re.DOTALL)
    assert "```" not in prose
    assert prose.replace("$$", "").count("$") % 2 == 0
    assert prose.count("$$") % 2 == 0


@pytest.mark.parametrize("line", re.findall(r"^python -m qbench (.+)$", TEXT, flags=re.MULTILINE))
def test_commands_are_understood(line: str) -> None:
    assert _parser(shlex.split(line)).parse_args(shlex.split(line)).run is not None


def test_numbers_in_the_text_are_those_of_the_data() -> None:
    guess = {
        board: published().table(board).references["random-guess"].cells["overall"].value
        for board in ("perception-test", "perception-dev")
    }
    assert f"{guess['perception-test'] * 100:.2f} % on test and {guess['perception-dev'] * 100:.2f} % on dev" in TEXT
    levels = [
        f"{simulated()[key].value:.2f} with {images}"
        for key, images in (
            ("fine-levels/awgn/correlation", "5 images"),
            ("csiq/correlation", "30"),
            ("spaq/correlation", "160"),
        )
    ]
    assert ", ".join(levels) in TEXT
