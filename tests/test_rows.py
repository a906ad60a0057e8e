"""Rows of any file people have; whatever else a file holds is one sentence."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from qbench import rows
from qbench.errors import DataError
from qbench.rows import finite, read_file, read_rows, shorten

AS_TEXT = '{"img_path": "a.png", "score": 1}', '{"img_path": "b.png", "score": 2}'


def write(folder: Path, data: str | bytes, name: str = "file.json") -> Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def complaint(path: Path) -> str:
    with pytest.raises(DataError) as caught:
        list(read_rows(path))
    return str(caught.value)


LAYOUTS = {
    "glued": "".join(AS_TEXT),
    "jsonl": "\n".join(AS_TEXT),
    "crlf": "\r\n".join(AS_TEXT) + "\r\n",
    "array": f"[{', '.join(AS_TEXT)}]",
    "two arrays": f"[{AS_TEXT[0]}]\n[{AS_TEXT[1]}]",
    "bom and blanks": f"\ufeff{AS_TEXT[0]}\n\n  {AS_TEXT[1]}  ",
    "csv": "img_path,score\na.png,1\nb.png,2\n",
    "csv, bom, crlf and spaces": "\ufeffimg_path, score\r\na.png, 1\r\nb.png, 2",
    "csv, quoted": '"img_path","score"\n"a.png","1"\n"b.png","2"\n',
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(tmp_path: Path, layout: str) -> None:
    read = [row.data for row in read_rows(write(tmp_path, LAYOUTS[layout]))]
    as_read = str if layout.startswith("csv") else int
    assert read == [{"img_path": "a.png", "score": as_read(1)}, {"img_path": "b.png", "score": as_read(2)}]


def test_csv_fields_may_hold_commas_quotes_and_newlines(tmp_path: Path) -> None:
    [row] = read_rows(write(tmp_path, 'id,reply\n1,"A, ""sharp""\nindeed"\n'))
    assert row.data == {"id": "1", "reply": 'A, "sharp"\nindeed'}


def test_places_count_records_and_lines(tmp_path: Path) -> None:
    path = write(tmp_path, f'[\n{AS_TEXT[0]},\n\n{{"img_path":\n"b"}}, {AS_TEXT[1]}]')
    assert [row.place for row in read_rows(path)] == ["record 1 (line 2)", "record 2 (line 4)", "record 3 (line 5)"]


@pytest.mark.parametrize("code", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("text", ['\n[{"a": "1"}]', "a,é\n1,2\n"])
def test_text_of_two_or_four_bytes_a_character(tmp_path: Path, code: str, text: str) -> None:
    [row] = read_rows(write(tmp_path, text.encode(code)))
    assert row.data["a"] == "1"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf\n", "holds nothing but blanks"),
        (b"[]", "holds no records"),
        (b"img_path,score\n", "holds no records"),
        (b'{"img_path": "a.png", "sco', "record 1 (line 1) is cut off; 0 complete records"),
        (b'{"a": 1}\n{"a": 2}\n{"a": ', "record 3 (line 3) is cut off; 2 complete records"),
        (b'[{"a": 1}, {"a": 2}', "ends inside its list after 2 complete records"),
        (b"{'a': 1}", "record 1 (line 1) is not valid JSON"),
        (b"[[1, 2]]", "record 1 (line 1) is [1, 2], not an object"),
        (b'{"a": %s}' % (b"[" * 100_000), "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b'{"a": %s}' % (b"1" * 5_000), "holds a number too long to read"),
        ('[{"a": "é"}]'.encode("latin-1"), "is not UTF-8 text (byte 0xe9 at offset 8)"),
        (
            b"\xff\xd8\xff\xe0\x00\x10JFIF",
            "is not UTF-8 text (byte 0xff at offset 0); what is read here is JSON, JSON lines, CSV or TSV",
        ),
        (b"img_path,score\x00", "is no text; what is read here is"),
        (b"img_path;score\na;1;2\n", "record 1 (line 2) does not have the header's 2 fields"),
        (b"img_path,score\na,1\nb\n", "record 2 (line 3) does not have the header's 2 fields"),
        (b'img_path,score\n"a"x,1\n', "line 2 is not valid CSV"),
        (b"img_path,score,score\na,1,2\n", "names 'score' twice"),
        (b"\nimg_path,score\na,1\n", "begins with a blank line"),
    ],
    ids=lambda given: given[:24] if isinstance(given, bytes) else "",
)
def test_malformed_files_are_one_sentence(tmp_path: Path, data: bytes, says: str) -> None:
    told = complaint(write(tmp_path, data))
    assert says in told
    assert told.startswith("file.json")
    assert len(told) < 300
    assert told.isprintable()


def test_too_many_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert rows.MOST_ROWS > 1_000_000  # studies of that size are ranked
    monkeypatch.setattr(rows, "MOST_ROWS", 2)
    assert len(list(read_rows(write(tmp_path, '{"a": 1}' * 2)))) == 2
    assert "more than 2 records" in complaint(write(tmp_path, '{"a": 1}' * 3))


def test_a_file_that_was_read_keeps_its_bytes(tmp_path: Path) -> None:
    path = write(tmp_path, AS_TEXT[0])
    file = read_file(path)
    path.write_text("something else")
    assert (
        [row.data for row in read_rows(file)]
        == [row.data for row in read_rows(file)]
        == [{"img_path": "a.png", "score": 1}]
    )
    assert (file.stem, file.sha256) == ("file", hashlib.sha256(AS_TEXT[0].encode()).hexdigest())


@pytest.mark.parametrize(("value", "number"), [(3, 3.0), (2.5, 2.5), ("2.82 ", 2.82), ("-1e3", -1000.0)])
def test_numbers_also_as_text(value: object, number: float) -> None:
    assert finite(value, "score") == number


@pytest.mark.parametrize(
    "value",
    [None, True, "", [], float("nan"), "-inf", "1e999", 10**400, "9" * 5000],
    ids=lambda given: type(given).__name__,
)
def test_what_is_not_a_finite_number(value: object) -> None:
    with pytest.raises(DataError, match=r"^score is .*, not a finite number$"):
        finite(value, "score")


def test_quoting_is_short_and_safe_whatever_the_value() -> None:
    nested: list[object] = []
    for _ in range(5000):
        nested = [nested]
    for value in ("x" * 10**6, nested, ["<b>\n\x1b[31m"] * 99, {"a" * 99: "b" * 99}, "\ud800"):
        text = shorten(value)
        assert len(text) <= 60
        assert text.isprintable()
    assert shorten("a.png") == "'a.png'"
