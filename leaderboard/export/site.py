"""A read-only copy of the boards as plain files that any web server can host."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from leaderboard.snapshot import Snapshot

SITE = "site.html"
"""The page, kept among the board's other assets."""


def export_site(snapshot: Snapshot, assets: Path, folder: Path) -> list[Path]:
    """Write the site into a folder, over an earlier export; returns the files."""
    board = folder / "board"
    data = folder / "data"
    for part in (board, data):
        part.mkdir(parents=True, exist_ok=True)
    written = [_copy(path, board / path.name) for path in sorted((assets / "board").iterdir()) if path.name != SITE]
    written.append(_copy(assets / "board" / SITE, folder / "index.html"))
    written.append(_write(data / "index.json", json.dumps(snapshot.index(), ensure_ascii=False)))
    written += [_write(data / f"{board.key}.json", snapshot.payload(board.key)) for board in snapshot.boards]
    return written


def _copy(source: Path, target: Path) -> Path:
    shutil.copyfile(source, target)
    return target


def _write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path
