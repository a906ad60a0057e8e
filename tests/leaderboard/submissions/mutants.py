"""Damaged and hostile uploads, made from the examples: `python -m tests.leaderboard.submissions.mutants 10000`."""

from __future__ import annotations

import io
import json
import random
import resource
import sys
import tempfile
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from leaderboard.submissions.answer_keys import AnswerKeys
from leaderboard.submissions.check import check
from leaderboard.submissions.report import Report
from leaderboard.submissions.scoring import ScoringOptions

EXAMPLES = sorted((Path(__file__).resolve().parents[3] / "assets" / "examples").iterdir())
HOSTILE = [
    "<script>document.title='owned'</script>",
    "<img src=x onerror=alert(1)>",
    '=HYPERLINK("http://x")',
    "+1+cmd|' /C calc'!A0",
    "@SUM(1)",
    "../../../etc/passwd",
    "\u202egnp.exe",
    "\x00\x07",
    "\ud800",
    "a" * 100_000,
    "",
]
NAMES = [
    "../../../etc/cron.d/x_VS_y.json",
    "/etc/passwd",
    "C:\\x.json",
    "a/" * 50 + "x.json",
    "\u202egpj_VS_.json",
    "x",
]
"""Of members of archives."""
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError, NotImplementedError)
NUMBERS = ["NaN", "Infinity", "-Infinity", "1e999", "1" * 5000, "-0.0", "1e-320", "true", "null", "[]", "{}", '"x"']


def flip(data: bytes, rng: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(rng.choice([1, 2, 8, 64])):
        out[rng.randrange(len(out))] = rng.randrange(256)
    return bytes(out)


def truncate(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data))]


def repeat(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + data[at : at + rng.randrange(1, 400)] * rng.choice([2, 50]) + data[at:]


def swap_number(data: bytes, rng: random.Random) -> bytes:
    """Another kind of value in place of a digit, a huge one among them."""
    digits = [place for place, byte in enumerate(data) if 48 <= byte <= 57]
    if not digits:
        return data
    at = rng.choice(digits)
    return data[:at] + rng.choice(NUMBERS).encode() + data[at + 1 :]


def hostile_text(data: bytes, rng: random.Random) -> bytes:
    """Text that a page or spreadsheet might run, in place of some text of the file."""
    quotes = [place for place, byte in enumerate(data) if byte == 34]
    if len(quotes) < 2:
        return data
    first = rng.randrange(len(quotes) - 1)
    text = json.dumps(rng.choice(HOSTILE)).encode()
    return data[: quotes[first]] + text + data[quotes[first + 1] + 1 :]


def nest(data: bytes, rng: random.Random) -> bytes:
    depth = rng.choice([50, 5_000, 200_000])
    opening, closing = rng.choice([(b"[", b"]"), (b'{"a":', b"}")])
    at = data.find(b":") + 1
    return data[:at] + opening * depth + b"1" + closing * depth + data[at:]


PLAIN: list[Callable[[bytes, random.Random], bytes]] = [flip, truncate, repeat, swap_number, hostile_text, nest]


def pack_anew(data: bytes, rng: random.Random) -> bytes:
    """An archive with one member damaged or hostile, or called something else; other files are left as they are."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [(member.filename, archive.read(member)) for member in archive.infolist()]
    except (*BROKEN, UnicodeDecodeError):
        return data
    at = rng.randrange(len(members)) if members else 0
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two members of one name are meant
        for place, (name, content) in enumerate(members):
            if place == at and content:
                name = rng.choice([name, name, name, *NAMES, rng.choice(members)[0]])
                content = rng.choice(PLAIN)(content, rng)
            archive.writestr(name, content)
    return packed.getvalue()


MUTATIONS = [*PLAIN, pack_anew, pack_anew]


def mutants(count: int, seed: int, folder: Path, watch: Callable[[Path, Report], None]) -> Counter[str]:
    """Check so many mutants; how many were accepted and refused."""
    rng = random.Random(seed)
    contents = {path.name: path.read_bytes() for path in EXAMPLES}
    outcomes: Counter[str] = Counter()
    keys = AnswerKeys(folder)
    for number in range(count):
        name = rng.choice(list(contents))
        data = contents[name]
        for _ in range(rng.choice([1, 1, 1, 3])):
            data = rng.choice(MUTATIONS)(data, rng) if data else data
        path = folder / name
        path.write_bytes(data)
        try:
            report = check(path, "my-model", ScoringOptions(keys, rng.choice(["", "", "koniq-10k", "nowhere"])))
            watch(path, report)
        except BaseException:  # whatever it is, the mutant must be found again
            print(f"mutant {number} of seed {seed}, from {name}, is kept at {path}", file=sys.stderr)
            raise
        outcomes["accepted" if report.accepted else "refused"] += 1
    return outcomes


def is_answered(_path: Path, report: Report) -> None:
    """Every upload is rightly scored or gets sentences that people can read, and JSON can hold what is said."""
    assert report.problems or report.results
    for problem in report.problems:
        assert 10 < len(problem.sentence) < 1000, problem
        assert all(len(place) < 1000 for place in problem.places)
    json.dumps(report.to_json(), allow_nan=False)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        print(dict(mutants(int(sys.argv[1]), int((sys.argv[2:] or ["1"])[0]), Path(made), is_answered)))
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB at most")
