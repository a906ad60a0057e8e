from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from leaderboard.__main__ import main
from leaderboard.boards import all_boards
from leaderboard.export.site import export_site
from leaderboard.snapshot import Snapshot
from tests.leaderboard.published import published

ASSETS = Path(__file__).resolve().parents[3] / "assets"


def read_data(site: Path, name: str) -> Any:
    begins, text = (site / "data" / f"{name}.js").read_text(encoding="utf-8").split("\n", 1)
    assert begins == f"qbData[{json.dumps(name)}] ="
    return json.loads(text)


BOARDS = tuple(one for one in all_boards() if one.key in ("description", "2afc-coarse"))
"""Some of each kind; the command writes all of them in tests/browser/test_from_nothing.py."""


def test_the_site_holds_every_board_a_page_of_every_model_and_all_it_needs(tmp_path: Path) -> None:
    """Of the published figures of two tasks."""
    site, whole = tmp_path / "site", published()
    records = tuple(one for one in whole.loaded.records if one.result.task in ("description", "comparison"))
    some = Snapshot(replace(whole.loaded, records=records), BOARDS, whole.find_model, whole.papers)
    export_site(some, ASSETS, site)
    index = read_data(site, "index")
    assert [listed["key"] for listed in index["boards"]] == [known.key for known in BOARDS]
    for known in BOARDS:
        payload = read_data(site, known.key)
        assert (payload["board"], payload["empty"]) == (known.key, known.empty)
        overview = read_data(site, f"overview-{known.key}")
        assert bool(overview["charts"]) != bool(overview["empty"])
    between = read_data(site, "overview")
    assert between["charts"][0]["key"] == "map"
    for needed in re.findall(r'(?:src|href)="(board/[^"]+)"', (site / "index.html").read_text(encoding="utf-8")):
        assert (site / needed).is_file(), f"index.html needs {needed}"
    script = (site / "board" / "modules.js").read_text(encoding="utf-8")
    texts = json.loads(script.removeprefix("const qbModules = ").removesuffix(";\n"))
    named = {name for text in texts.values() for name in re.findall(r'from "([^"]+)"', text)}
    assert named <= {f"qb/{name}" for name in texts}
    listed = read_data(site, "models")
    assert {"gpt-4v", "shikra"} <= {model["id"] for model in listed}
    assert len({model["file"] for model in listed}) == len(listed)
    for model in listed:
        page = read_data(site, model["file"])
        assert (page["id"], page["name"]) == (model["id"], model["name"])


def test_a_place_that_cannot_be_written_is_said_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    assert main(["export", str(tmp_path / "file")]) == 1
    assert capsys.readouterr().err.startswith("The files could not be written: ")
