"""All records of a dataset on the Hub in one file of it, so that a new machine asks once and not for each of thousands.

It is never the truth: of what is in it only that is taken which the dataset's listing names, by git's name of the
content; all else is fetched by itself. The Hub's viewer shows it.
"""

from __future__ import annotations

import gzip
import io
import json
import logging
from collections.abc import Iterable, Iterator

NAME = "records.jsonl.gz"
FEWEST = 200
"""Records to be fetched that it is asked for."""
DUE = 1000
"""Records that it lacks when it is written anew."""
LARGEST = 2**30
"""Bytes."""

log = logging.getLogger(__name__)


def pack(files: Iterable[tuple[str, bytes]]) -> bytes:
    """The file of these records: path and text of one a line."""
    lines = (json.dumps({"path": path, "text": content.decode()}) + "\n" for path, content in files)
    return gzip.compress("".join(lines).encode(), mtime=0)


def unpack(content: bytes, most: int) -> Iterator[tuple[str, bytes]]:
    """The records in such a file, up to so many bytes; what is damaged ends it."""
    try:
        with gzip.open(io.BytesIO(content)) as file:
            while (line := file.readline(most + 1)) and file.tell() <= most:
                row = json.loads(line)
                yield str(row["path"]), str(row["text"]).encode()
    except (OSError, EOFError, ValueError, KeyError, TypeError) as fault:
        log.warning("the rest of %s is fetched file by file: %s", NAME, fault)
