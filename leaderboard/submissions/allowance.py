"""What the files of one upload may take together: records and seconds."""

from __future__ import annotations

import time
from collections.abc import Callable

from qbench.errors import UserError
from qbench.formats.archives import FileLimits
from qbench.formats.reading import Reading


class TookTooMuchError(UserError):
    """Time or memory ran out, which says something of this server now, and may not be so of the file next time."""


class Allowance:
    """What is left for the files of one upload."""

    def __init__(self, limits: FileLimits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._clock = clock
        self._until = clock() + limits.seconds
        self._rows = limits.all_rows

    @property
    def rows(self) -> int:
        """Most records of the next file.

        Raises:
            UserError: The files before it held as many as all may.
        """
        if self._rows <= 0:
            raise UserError(f"the files hold more than {self._limits.all_rows:,} records; hand them in in parts")
        return min(self._limits.rows, self._rows)

    def take(self, reading: Reading) -> Reading:
        """Count the records of a file; those that repeat an earlier one are among those read."""
        self._rows -= reading.status.get("read", 0)
        return reading

    def check(self) -> None:
        """Go on while there is time.

        Raises:
            TookTooMuchError: There is none left.
        """
        if self._clock() > self._until:
            raise TookTooMuchError(
                f"checking took longer than {self._limits.seconds:.0f} seconds; hand the files in in parts, or score "
                "them on your own computer with `python -m qbench score` and hand in the records"
            )
