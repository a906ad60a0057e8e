from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from leaderboard.__main__ import main
from leaderboard.boards import all_boards

ASSETS = Path(__file__).resolve().parents[3] / "assets"


def test_the_site_holds_every_board_and_all_it_needs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    site = tmp_path / "site"
    assert main(["export", str(site)]) == 0
    assert str(site) in capsys.readouterr().out
    index = json.loads((site / "data" / "index.json").read_text(encoding="utf-8"))
    assert [board["key"] for board in index["boards"]] == [board.key for board in all_boards()]
    for board in all_boards():
        payload = json.loads((site / "data" / f"{board.key}.json").read_text(encoding="utf-8"))
        assert (payload["board"], payload["empty"]) == (board.key, board.empty)
        overview = json.loads((site / "data" / f"overview-{board.key}.json").read_text(encoding="utf-8"))
        assert overview["board"] == board.key
    between = json.loads((site / "data" / "overview.json").read_text(encoding="utf-8"))
    assert [chart["key"] for chart in between["charts"]] == ["map", "agreement"]
    for page in (site / "index.html", *site.glob("board/*.js")):
        for needed in re.findall(
            r'(?:src|href|from|import)=?\s*"((?:\./|board/)[^"]+)"', page.read_text(encoding="utf-8")
        ):
            assert (page.parent / needed).is_file(), f"{page.name} needs {needed}"


def test_the_site_asks_nobody_else(tmp_path: Path) -> None:
    main(["export", str(tmp_path)])
    for path in (*tmp_path.glob("*.html"), *tmp_path.glob("board/*.css")):
        assert "//" not in re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL), path


def test_an_export_can_be_repeated(tmp_path: Path) -> None:
    main(["export", str(tmp_path)])
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    main(["export", str(tmp_path)])
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_place_that_cannot_be_written_is_said_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    assert main(["export", str(tmp_path / "file")]) == 1
    assert capsys.readouterr().err.startswith("The files could not be written: ")
