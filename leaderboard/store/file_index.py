"""An index of stored files beside them: one SQLite file that is read at once where thousands would be opened.

It holds the bytes of files that were checked, and when they were written. A file that changed since is read itself,
and whatever is wrong with the index, it is made anew: the files are the truth, and nothing is lost with it.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

NAME = ".index.sqlite"
FEWEST = 200
"""Files that an index is worth having for."""
_TABLE = "CREATE TABLE IF NOT EXISTS files_1 (path TEXT PRIMARY KEY, written INTEGER, inode INTEGER, content BLOB)"

log = logging.getLogger(__name__)
Checked = Mapping[tuple[str, int, int], bytes]
"""Path, time and inode of a file -> its content."""


def read_index(folder: Path) -> Checked:
    """What the index of a folder holds; nothing where there is none, or it cannot be read."""
    if not (folder / NAME).is_file():
        return {}
    try:
        with closing(_open(folder)) as index:
            rows = index.execute("SELECT path, written, inode, content FROM files_1").fetchall()
            return {(str(path), int(written), int(inode)): bytes(content) for path, written, inode, content in rows}
    except (sqlite3.Error, OSError, ValueError, TypeError) as fault:
        log.warning("the index %s is made anew: %s", folder / NAME, fault)
        (folder / NAME).unlink(missing_ok=True)
        return {}


def write_index(folder: Path, new: Checked, there: set[str]) -> None:
    """Add files that were checked, and forget those that are not there any more."""
    try:
        with closing(_open(folder)) as index, index:
            index.execute(_TABLE)
            known = {path for (path,) in index.execute("SELECT path FROM files_1")}
            index.executemany("DELETE FROM files_1 WHERE path = ?", [(path,) for path in known - there])
            rows = [(*key, content) for key, content in new.items()]
            index.executemany("INSERT OR REPLACE INTO files_1 VALUES (?, ?, ?, ?)", rows)
    except (sqlite3.Error, OSError) as fault:
        log.warning("no index is kept in %s: %s", folder, fault)


def _open(folder: Path) -> sqlite3.Connection:
    return sqlite3.connect(folder / NAME, timeout=5)
