"""A read-only copy of the overview, the boards and the models' pages as plain files that any web server can host."""

from __future__ import annotations

import shutil
from pathlib import Path

from leaderboard.charts.chart import plotly_script
from leaderboard.data_files import data_file, data_names
from leaderboard.export.feed import atom_feed
from leaderboard.export.model_pages import model_pages
from leaderboard.snapshot import Snapshot

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
    for name in data_names(snapshot):
        text = data_file(snapshot, name, assets)
        assert text is not None
        written.append(_write(data / f"{name}.json", text))
    written.append(_write(folder / FEED, atom_feed(snapshot)))
    written.append(_copy(plotly_script(), board / plotly_script().name))
    texts = model_pages(snapshot, assets) if with_models else {}
    return written + [_write(data / name, text) for name, text in texts.items()]


def _copy(source: Path, target: Path) -> Path:
    shutil.copyfile(source, target)
    return target


def _write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path
