"""The folder of a run as parquet files that are only ever added, and back.

    runs/DATE/ID/answers-OFFSET-DIGEST.parquet    some lines of its answers, from this byte of their file on
    runs/DATE/ID/run.parquet                      what became of it, with its records and what lies behind them

A row is one line of one file. Parts of answers are named by their content: sending one again changes nothing, and two
installations that go on with the same run never write the same part. `run.parquet` is written anew when it changes.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

from leaderboard.store.files import locked, write_durably

ANSWERS = "responses.jsonl"
STATE = "run.json"
PART_BYTES = 16 * 2**20
"""Of answers in one parquet file, before they are compressed."""
_MARK = ".on-hub.json"
_PLACE = re.compile(r"runs/(\d{4}-\d\d-\d\d)/([0-9a-f]{32})/(run|answers-\d{12}-[0-9a-f]{12})\.parquet")


@dataclass(frozen=True)
class Sent:
    """How much of a run's folder is on the Hub."""

    answers: int = 0
    """Bytes of its answers."""
    state: str = ""
    """Digest of all its other files."""


@dataclass(frozen=True)
class Packed:
    """What is to be sent of one run."""

    folder: Path
    parts: Mapping[str, bytes]
    """By their paths in the dataset."""
    after: Sent
    """What is on the Hub then."""


def place_of(path: str) -> tuple[str, str] | None:
    """Date and name of the run that a file of the dataset belongs to; None where it is none of ours."""
    found = _PLACE.fullmatch(path)
    return (found[1], found[2]) if found else None


def pack(folder: Path) -> Packed | None:
    """What is new in a run's folder since it was sent last; None where nothing is, or it is no run."""
    try:
        sent, files = read_sent(folder), _files(folder)
        begun = str(json.loads(files[STATE])["begun"])[:10]
        answers = (folder / ANSWERS).read_bytes() if (folder / ANSWERS).exists() else b""
    except (OSError, ValueError, KeyError, TypeError):
        return None  # deleted or written just now
    there = f"runs/{begun}/{folder.name}"
    if place_of(f"{there}/run.parquet") is None:
        return None
    parts = {}
    state = hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()
    if state != sent.state:
        rows = [(name, line) for name, text in files.items() for line in text.split("\n")]
        parts[f"{there}/run.parquet"] = _write(rows)
    whole = answers[: answers.rfind(b"\n") + 1]
    for start, lines in _split(whole, min(sent.answers, len(whole))):
        name = f"answers-{start:012d}-{hashlib.sha256(lines).hexdigest()[:12]}"
        rows = [(ANSWERS, line) for line in lines.decode("utf-8", "replace").split("\n")[:-1]]
        parts[f"{there}/{name}.parquet"] = _write(rows)
    return Packed(folder, parts, Sent(len(whole), state)) if parts else None


def unpack(folder: Path, parts: Mapping[str, bytes]) -> bool:
    """Make a run's folder of its parts, unless it is there; whether it is then.

    Raises:
        ValueError: A part is damaged.
    """
    files: dict[str, list[str]] = {}
    for path in sorted(parts):
        for name, line in _read(parts[path]):
            files.setdefault(name, []).append(line)
    if STATE not in files:
        return False
    answers = list(dict.fromkeys(files.pop(ANSWERS, [])))  # a part that was sent twice may overlap another
    known = "".join(f"{line}\n" for line in answers).encode()
    texts = {name: "\n".join(lines) for name, lines in files.items() if _is_inside(name)}
    with locked(folder):
        if (folder / STATE).exists():
            return True
        write_durably(folder, folder / ANSWERS, known)
        for name in sorted(texts, key=lambda name: name == STATE):  # last what makes it a run
            write_durably(folder, folder / name, texts[name].encode())
    state = hashlib.sha256(json.dumps(_files(folder), sort_keys=True).encode()).hexdigest()
    mark_sent(folder, Sent(len(known), state))
    return True


def read_sent(folder: Path) -> Sent:
    """How much of a run's folder is on the Hub; an unreadable mark only means that it is sent again."""
    try:
        data = json.loads((folder / _MARK).read_bytes())
        return Sent(int(data["answers"]), str(data["state"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Sent()


def mark_sent(folder: Path, sent: Sent) -> None:
    """Note how much of a run's folder is on the Hub."""
    if (folder / STATE).exists():  # not deleted meanwhile
        with locked(folder):
            write_durably(folder, folder / _MARK, json.dumps(asdict(sent)).encode())


def _files(folder: Path) -> dict[str, str]:
    """Every file of a run but its answers, by its path."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        hidden = any(part.startswith(".") for part in name.parts) or path.suffix == ".part"
        if path.is_file() and not hidden and name.as_posix() != ANSWERS:
            found[name.as_posix()] = path.read_bytes().decode()
    return found


def _split(whole: bytes, start: int) -> Iterable[tuple[int, bytes]]:
    """Pieces of whole lines, each with the byte that it begins at."""
    while start < len(whole):
        end = whole.rfind(b"\n", start, start + PART_BYTES) + 1 or whole.index(b"\n", start) + 1
        yield start, whole[start:end]
        start = end


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and not any(part.startswith(".") for part in path.parts)


def _write(rows: Sequence[tuple[str, str]]) -> bytes:
    import pyarrow as pa  # takes a while to import
    from pyarrow import parquet

    files, lines = zip(*rows, strict=True)
    buffer = io.BytesIO()
    parquet.write_table(pa.table({"file": list(files), "line": list(lines)}), buffer, compression="zstd")
    return buffer.getvalue()


def _read(content: bytes) -> list[tuple[str, str]]:
    from pyarrow import parquet

    try:
        table = parquet.read_table(io.BytesIO(content), columns=["file", "line"])
        return [(str(row["file"]), str(row["line"])) for row in table.to_pylist()]
    except Exception as fault:  # of many kinds, by what is wrong with the file
        raise ValueError(f"is no parquet file of a run: {type(fault).__name__}") from fault
