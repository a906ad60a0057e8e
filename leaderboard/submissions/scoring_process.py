"""Scoring of an upload in a process of its own, which is ended where it takes too long or too much memory.

Small files are scored in this process: starting another would take longer. The other one has no keys of this server,
leaves no files behind, and lets this one go first.
"""

from __future__ import annotations

import os
import pickle
import resource
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import leaderboard
from leaderboard.submissions.report import Report
from leaderboard.submissions.scoring import ScoringOptions, explain_fault, score_upload
from qbench.errors import UserError

SMALL = 2**18
"""Bytes of a file, and of all files in an archive unpacked, that are scored in a second or two."""
FEW = 200
"""Files of an archive, likewise."""
TOO_MUCH_MEMORY = 3
"""Exit status of a process that had no more."""
SECRETS = ("TOKEN", "SECRET", "KEY", "PASSWORD")
_KNOWN = ("leaderboard.submissions.report", "qbench.records")
"""Modules whose records come back."""


class TookTooMuchError(UserError):
    """Time or memory ran out, which says something of this server now, and may not be so of the file next time."""


@dataclass(frozen=True)
class ProcessLimits:
    """What one upload may take."""

    seconds: int = 60
    """Of a core."""
    longest: float = 180.0
    """Seconds by the clock, however busy the server is."""
    memory: int = 3 * 2**30
    """Bytes of addresses; the libraries take a part of them before anything is read."""


LIMITS = ProcessLimits()


def score_apart(path: Path, options: ScoringOptions, limits: ProcessLimits = LIMITS) -> Report:
    """Read and score an upload, as `score_upload` does; one that takes too much is said to."""
    if is_small(path):
        return score_upload(path, options)
    try:
        return _score_in_process(path, options, limits)
    except UserError as fault:
        return Report(problems=(explain_fault(path.name, fault),), by_load=isinstance(fault, TookTooMuchError))


def is_small(path: Path) -> bool:
    """Whether a file can take no more than seconds, whatever it holds."""
    if path.stat().st_size > SMALL:
        return False
    if not zipfile.is_zipfile(path):  # workbooks are archives too
        return True
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return True  # it is refused at once
    return len(members) <= FEW and sum(member.file_size for member in members) <= SMALL


def _score_in_process(path: Path, options: ScoringOptions, limits: ProcessLimits) -> Report:
    with TemporaryDirectory() as scratch:
        environment = {
            name: value for name, value in os.environ.items() if not any(map(name.upper().__contains__, SECRETS))
        }
        places = [str(Path(leaderboard.__file__).parents[1]), environment.get("PYTHONPATH", "")]
        environment |= {"TMPDIR": scratch, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(filter(None, places))}
        command = [sys.executable, "-m", __name__]
        with subprocess.Popen(  # noqa: S603 - this module
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as process:
            try:
                answer, _ = process.communicate(pickle.dumps((path.resolve(), options, limits)), limits.longest)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                raise TookTooMuchError(_too_much(f"longer than {limits.longest:.0f} seconds")) from None
    if process.returncode == TOO_MUCH_MEMORY:
        raise TookTooMuchError(_too_much(f"more than {limits.memory / 2**30:.0f} GB of memory"))
    if process.returncode < 0:  # ended by the system, as it was asked to
        raise TookTooMuchError(_too_much(f"longer than {limits.seconds} seconds of a core, or too much memory"))
    if process.returncode:
        raise RuntimeError(f"scoring in a process of its own failed with status {process.returncode}")
    report: Report = _Records(BytesIO(answer)).load()
    return report


def _too_much(what: str) -> str:
    return (
        f"checking it took {what} and was stopped; hand it in in parts, or score it on your own computer with "
        "`python -m qbench score` and hand in the record"
    )


class _Records(pickle.Unpickler):
    """What comes back is made of records alone, whatever the file did to the process that read it."""

    def find_class(self, module: str, name: str) -> Any:
        if module not in _KNOWN or "." in name:
            raise pickle.UnpicklingError(f"{module}.{name} is no record")
        return super().find_class(module, name)


def _work() -> int:
    path, options, limits = pickle.load(sys.stdin.buffer)  # noqa: S301 - of the process that began this one
    _limit(limits)
    answers, sys.stdout = sys.stdout.buffer, sys.stderr  # whatever a library prints is no part of the answer
    try:
        report = score_upload(path, options)
    except MemoryError:
        return TOO_MUCH_MEMORY
    answers.write(pickle.dumps(report))
    answers.flush()
    return 0


def _limit(limits: ProcessLimits) -> None:
    """Have the system end this process once it took too much."""
    resource.setrlimit(resource.RLIMIT_CPU, (limits.seconds, limits.seconds))
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
    os.nice(5)


if __name__ == "__main__":
    raise SystemExit(_work())
