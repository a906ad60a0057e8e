"""Damaged and hostile uploads, made from the examples: each is scored rightly or answered in a sentence."""

from __future__ import annotations

import io
import json
import random
import tracemalloc
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from leaderboard.submissions.check import check
from leaderboard.submissions.report import Report
from leaderboard.submissions.scoring import AnswerKeys, ScoringOptions

MB = 2**20
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


PLAIN: list[Callable[[bytes, random.Random], bytes]] = [flip, truncate, swap_number, hostile_text, nest]


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


def mutants(count: int, seed: int, folder: Path) -> Iterator[Report]:
    """What is answered to so many mutants; a file that raises is left in the folder, to be looked at."""
    rng = random.Random(seed)
    contents = {path.name: path.read_bytes() for path in EXAMPLES}
    for _ in range(count):
        name = rng.choice(list(contents))
        data = contents[name]
        for _ in range(rng.choice([1, 1, 1, 3])):
            data = rng.choice(MUTATIONS)(data, rng) if data else data
        (folder / name).write_bytes(data)
        chosen = rng.choice(["", "", "koniq-10k", "nowhere"])
        yield check(folder / name, "my-model", ScoringOptions(AnswerKeys(folder), chosen))


def is_answered(report: Report) -> None:
    """Every upload is rightly scored or gets sentences that people can read, and JSON can hold what is said."""
    assert report.problems or report.results
    for problem in report.problems:
        assert 10 < len(problem.sentence) < 1000, problem
        assert all(len(place) < 1000 for place in problem.places)
    json.dumps(report.to_json(), allow_nan=False)
    for result in report.results:
        for name, estimate in result.metrics.items():
            assert estimate.note if estimate.value is None else name == "rmse" or abs(estimate.value) <= 1, name


def test_every_mutant_is_answered_and_nothing_else_is_written(tmp_path: Path) -> None:
    uploads = tmp_path / "uploads"
    uploads.mkdir()
    outcomes: Counter[bool] = Counter()
    for report in mutants(150, 12, uploads):
        is_answered(report)
        outcomes[report.accepted] += 1
    assert outcomes[True] > 5  # or the mutants say nothing about what is right
    assert outcomes[False] > 50
    assert list(tmp_path.iterdir()) == [uploads]


def test_files_of_other_kinds_are_told_what_is_read(tmp_path: Path) -> None:
    files = {b"\x1f\x8b\x08\x00": "give the file itself or a zip", b"%PDF-1.7": "begins with '%PDF-1.7'; expected JSON"}
    for content, said in files.items():
        (tmp_path / "koniq.json").write_bytes(content)
        [problem] = check(tmp_path / "koniq.json", "m", ScoringOptions(AnswerKeys(tmp_path / "none"))).problems
        assert said in problem.sentence


@pytest.mark.parametrize(
    ("packed", "said"),
    [
        (zipfile.ZIP_DEFLATED, "is not a whole zip archive"),
        (zipfile.ZIP_BZIP2, "compressed in a way that is not read here"),
        (zipfile.ZIP_LZMA, "compressed in a way that is not read here"),
    ],
)
def test_no_more_is_unpacked_than_an_archive_declares(tmp_path: Path, packed: int, said: str) -> None:
    path = tmp_path / "koniq.zip"
    with zipfile.ZipFile(path, "w", packed) as archive:
        archive.writestr("koniq.json", bytes(10 * MB))
    content = bytearray(path.read_bytes())
    at = content.index(b"PK\x01\x02")
    content[at + 24 : at + 28] = (1000).to_bytes(4, "little")
    path.write_bytes(content)
    tracemalloc.start()
    try:
        [problem] = check(path, "m", ScoringOptions(AnswerKeys(tmp_path / "none"))).problems
        assert tracemalloc.get_traced_memory()[1] < 4 * MB
    finally:
        tracemalloc.stop()
    assert said in problem.sentence
