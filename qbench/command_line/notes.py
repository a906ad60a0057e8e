"""What stands on stderr beside the records that a command prints."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from qbench.commands.text import printable
from qbench.records import Result


def tell_notes(results: Sequence[Result]) -> None:
    """What the reader of a record must know stands on stderr too, each sentence once."""
    for note in dict.fromkeys(str(result.protocol["note"]) for result in results if "note" in result.protocol):
        print(f"qbench: {printable(note)}", file=sys.stderr)
