"""Spreadsheets: what tools write is read, what only an attacker writes is refused before it costs anything."""

from __future__ import annotations

import tracemalloc
import zipfile
from pathlib import Path

import pytest

from qbench.errors import DataError
from qbench.formats import sheets
from qbench.formats.sheets import read_sheet as read_sheet_of
from qbench.rows import Row, read_file

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
HEAD = '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>pre</t><t>diction</t></is></c></row>'
TEXTS = f'<sst xmlns="{MAIN}"><si><t>index</t></si><si><r><t>B. </t></r><r><t>Yes</t></r></si></sst>'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
MB = 2**20


def read_sheet(path: Path, most: int | None = None) -> list[Row]:
    return list(read_sheet_of(read_file(path), most))


def sheet(body: str) -> str:
    return f'<worksheet xmlns="{MAIN}"><sheetData>{body}</sheetData></worksheet>'


def book(folder: Path, first: str, texts: str = TEXTS, packed: int = zipfile.ZIP_STORED) -> Path:
    return workbook(folder, [("Answers", "visible", "sheet1.xml", first)], texts, packed)


def workbook(
    folder: Path, tabs: list[tuple[str, str, str, str]], texts: str = TEXTS, packed: int = zipfile.ZIP_STORED
) -> Path:
    """A spreadsheet of tabs: name, state, file and content of each, in the order that they are shown in."""
    path, listed, links = folder / "book.xlsx", "", ""
    with zipfile.ZipFile(path, "w", packed) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        for number, (name, state, file, content) in enumerate(tabs):
            listed += f'<sheet name="{name}" sheetId="{9 - number}" state="{state}" r:id="rId{number}"/>'
            kind = "chartsheet" if file.startswith("chart") else "worksheet"
            links = f'<Relationship Id="rId{number}" Type="{OFFICE}/{kind}" Target="worksheets/{file}"/>{links}'
            archive.writestr(f"xl/worksheets/{file}", content)
        links += f'<Relationship Id="texts" Type="{OFFICE}/sharedStrings" Target="/xl/sharedStrings.xml"/>'
        archive.writestr("xl/sharedStrings.xml", texts)
        archive.writestr("xl/workbook.xml", f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}">{listed}</workbook>')
        archive.writestr("xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{PACKAGE}">{links}</Relationships>')
    return path


def test_cells_are_read_by_their_places_and_kinds(tmp_path: Path) -> None:
    """The file holds 1 for TRUE, which would be read as a score of 1."""
    rows = [
        HEAD,
        '<row r="2"/>',
        '<row r="4"><c r="C4" t="s"><v>1</v></c></row>',
        '<row r="5"><c r="A5"><v>7.0</v></c><c r="C5" t="str"><f>A1</f><v>&lt;b&gt;</v></c><c><v>9</v></c></row>',
        '<row r="6"><c r="A6" t="b"><v>1</v></c><c r="C6" t="b"><v>0</v></c></row>',
    ]
    text, number, truth = read = read_sheet(book(tmp_path, sheet("".join(rows))))
    assert text.data == {"index": None, "prediction": "B. Yes"}
    assert number.data == {"index": 7, "prediction": "<b>"}
    assert truth.data == {"index": "TRUE", "prediction": "FALSE"}
    assert [row.place for row in read] == ["record 1 (row 4)", "record 2 (row 5)", "record 3 (row 6)"]
    with pytest.raises(DataError, match="index is 'TRUE', not a finite number"):
        truth.number("index")


def of_one(value: int) -> str:
    return sheet(f'{HEAD}<row r="2"><c r="A2"><v>{value}</v></c></row>')


@pytest.mark.parametrize(
    "tabs",
    [
        [("Answers", "visible", "sheet2.xml", of_one(7)), ("Notes", "visible", "sheet1.xml", of_one(8))],
        [("Old", "hidden", "sheet1.xml", of_one(8)), ("Answers", "visible", "sheet3.xml", of_one(7))],
    ],
)
def test_the_first_tab_that_is_shown_is_read(tmp_path: Path, tabs: list[tuple[str, str, str, str]]) -> None:
    [read] = read_sheet(workbook(tmp_path, tabs))
    assert read.data["index"] == 7


def test_an_empty_first_tab_is_named(tmp_path: Path) -> None:
    tabs = [("Read me", "visible", "sheet2.xml", sheet("")), ("Answers", "visible", "sheet1.xml", of_one(7))]
    with pytest.raises(DataError, match="its first sheet, 'Read me', holds no records"):
        read_sheet(workbook(tmp_path, tabs))


HOSTILE = {
    "entities": (f'<!DOCTYPE a [<!ENTITY x "y">]>{sheet("")}', "declares entities"),
    "a text that is not there": (sheet('<row><c t="s"><v>2</v></c></row>'), "a cell names text 2 of 2"),
    "no XML": ("\x00", "is not a whole spreadsheet"),
    "half of it": (sheet(HEAD)[:-30], "is not a whole spreadsheet"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_what_no_tool_writes_is_refused(tmp_path: Path, case: str) -> None:
    content, said = HOSTILE[case]
    with pytest.raises(DataError, match=said):
        read_sheet(book(tmp_path, content))


def test_more_elements_than_a_million_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sheets.MOST_ELEMENTS == 1_000_000
    monkeypatch.setattr(sheets, "MOST_ELEMENTS", 1000)  # which takes a thousandth of the time
    with pytest.raises(DataError, match="its cells are too many"):
        read_sheet(book(tmp_path, sheet("<a/>" * 1_001)))


def test_a_cell_far_away_takes_no_room(tmp_path: Path) -> None:
    """A reader that makes a table of all cells between the first and the last needs gigabytes for this kilobyte."""
    far = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    tracemalloc.start()
    [read] = read_sheet(book(tmp_path, sheet(f'{HEAD}<row r="2"><c r="A2"><v>7</v></c></row>{far}')), most=9)[:1]
    assert read.data == {"index": 7, "prediction": None}
    assert tracemalloc.get_traced_memory()[1] < MB
    tracemalloc.stop()


def test_a_part_that_unpacks_to_many_times_its_size_is_not_unpacked(tmp_path: Path) -> None:
    padded = sheet(HEAD + " " * (2 * MB))
    with pytest.raises(DataError, match=r"unpacks to [0-9,]+ times its size"):
        read_sheet(book(tmp_path, padded, packed=zipfile.ZIP_DEFLATED))
    with pytest.raises(DataError, match="more than 12 MB"):
        read_sheet(book(tmp_path, sheet(" " * (13 * MB))))


def with_declared_size(path: Path, size: int) -> Path:
    """The book whose list of contents gives its sheet another size."""
    content = bytearray(path.read_bytes())
    at = content.index(b"PK\x01\x02", content.index(b"PK\x01\x02") + 4)
    content[at + 24 : at + 28] = size.to_bytes(4, "little")
    path.write_bytes(content)
    return path


def test_no_more_than_the_declared_size_is_inflated(tmp_path: Path) -> None:
    path = book(tmp_path, sheet(HEAD + "<row><c><v>1</v></c></row>" * 1000), packed=zipfile.ZIP_DEFLATED)
    with pytest.raises(DataError, match="is not a whole spreadsheet"):
        read_sheet(with_declared_size(path, 500))


def test_what_unpacks_at_once_is_not_unpacked(tmp_path: Path) -> None:
    path = with_declared_size(book(tmp_path, sheet(" " * (10 * MB)), packed=zipfile.ZIP_LZMA), 500)
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match="packed in a way that no spreadsheet is"):
            read_sheet(path)
        assert tracemalloc.get_traced_memory()[1] < 4 * MB
    finally:
        tracemalloc.stop()
