"""A read-only copy of the overview, the boards and the models' pages as plain files that any web server can host."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from leaderboard.analysis.between_boards import agreements, map_boards
from leaderboard.analysis.overview import boards_with_people, overview_of
from leaderboard.charts.chart import plotly_script
from leaderboard.export.feed import atom_feed
from leaderboard.export.model_pages import model_pages
from leaderboard.html.between_boards import between_json
from leaderboard.html.overview import board_json
from leaderboard.snapshot import Snapshot
from leaderboard.tables.chance import read_simulated

SITE = "site.html"
"""The page, kept among the board's other assets."""
FEED = "feed.xml"


def export_site(snapshot: Snapshot, assets: Path, folder: Path, *, with_models: bool = True) -> list[Path]:
    """Write the site into a folder, over an earlier export; returns the files.

    Args:
        snapshot: The data.
        assets: Where the page's own files are.
        folder: Where to write.
        with_models: Whether each model gets its page, which takes some hundredths of a second each.
    """
    board = folder / "board"
    data = folder / "data"
    for part in (board, data):
        part.mkdir(parents=True, exist_ok=True)
    written = [_copy(path, board / path.name) for path in sorted((assets / "board").iterdir()) if path.name != SITE]
    written.append(_copy(assets / "board" / SITE, folder / "index.html"))
    written.append(_write(data / "index.json", json.dumps(snapshot.index(), ensure_ascii=False)))
    written += [_write(data / f"{board.key}.json", snapshot.payload(board.key)) for board in snapshot.boards]
    written.append(_write(folder / FEED, atom_feed(snapshot)))
    written.append(_copy(plotly_script(), board / plotly_script().name))
    texts = _overview(snapshot, assets) | (model_pages(snapshot, assets) if with_models else {})
    return written + [_write(data / name, text) for name, text in texts.items()]


def _overview(snapshot: Snapshot, assets: Path) -> dict[str, str]:
    """Files of the overview: one of each board, and one of all together."""
    simulated = read_simulated(assets / "recomputed" / "chance_2afc.json")
    revision = snapshot.loaded.revision
    found = map_boards(snapshot, simulated)
    with_people = boards_with_people(snapshot.table(board.key) for board in snapshot.boards)
    pages = {
        f"overview-{board.key}.json": board_json(
            overview_of(snapshot.table(board.key), simulated, with_people), revision
        )
        for board in snapshot.boards
    }
    pages["overview.json"] = between_json(found, agreements(found.scales), revision)
    return {name: json.dumps(page, ensure_ascii=False) for name, page in pages.items()}


def _copy(source: Path, target: Path) -> Path:
    shutil.copyfile(source, target)
    return target


def _write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path
