"""What single items of a submission add to its figures, so that models are tested on the same items.

A file a result, `items/ab/<digest>-<place>.jsonl` below the store's folder, of submissions that were scored here and
came with an account. They stay on this machine: they hold people's scores of each image, which not every dataset lets
one publish, so they are never sent to the Hub. Where one is missing, models are compared by their figures alone. What
was scored against private answers leaves nothing here.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from leaderboard.store.files import read_limited, write_durably
from leaderboard.store.submission import Entry, Submission
from qbench.records import Items, Result
from qbench.results.items import FOLDER, items_lines, read_items

MOST_BYTES = 4 * 2**20
"""Of the items of one result; 10,000 images by three correlations take one."""

log = logging.getLogger(__name__)


def keep_items(folder: Path, submission: Submission) -> None:
    """Write the items of a submission into a store whose lock is held."""
    if submission.identity is None:
        return
    for place, result in enumerate(submission.results):
        content = b"" if "answers" in result.protocol else items_lines(result)
        if 0 < len(content) <= MOST_BYTES:
            write_durably(folder, _path(folder, submission.digest, place), content)


def with_items(folder: Path, entry: Entry) -> tuple[Result, ...]:
    """Results of a submission with their items."""
    results = entry.submission.results
    for name in entry.names:
        paths = [_path(folder, name, place) for place in range(len(results))]
        results = tuple(
            replace(result, items=_read(path, path.stat().st_mtime_ns, result.raw)) if path.is_file() else result
            for path, result in zip(paths, results, strict=True)
        )
    return results


def _path(folder: Path, digest: str, place: int) -> Path:
    return folder / FOLDER / digest[:2] / f"{digest}-{place}.jsonl"


@lru_cache(maxsize=2000)
def _read(path: Path, _changed: int, raw: str | None) -> Mapping[str, Items]:
    """The items in a file; none, with a line in the log, where it cannot be read."""
    try:
        return read_items(read_limited(path), raw)
    except (OSError, ValueError) as fault:
        log.warning("%s holds no items: %s", path, fault)
        return {}
