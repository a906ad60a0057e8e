"""docs/datasets.md says what known.json says; `python -m tests.datasets.test_docs` writes its table."""

from __future__ import annotations

from pathlib import Path

from qbench.datasets.known import DatasetFacts, SourceFiles, known_datasets
from qbench.datasets.remote import in_bytes

DOCS = Path(__file__).resolve().parents[2] / "docs" / "datasets.md"
HEAD = "| name | items | size | from | licence |\n|---|---|---|---|---|\n"


def table() -> str:
    """A row for every dataset that has files."""
    rows = [facts for facts in known_datasets() if facts.opens and facts.truth == "people"]
    return HEAD + "\n".join(map(row, rows)) + "\n"


def row(facts: DatasetFacts) -> str:
    sizes = [source.bytes for source in facts.fetch if source.bytes]
    size = in_bytes(sum(sizes)) if sizes else "–"
    items = "–" if facts.items is None else f"{facts.items:,}"
    by_hand = f"by hand: [form]({facts.form})" if facts.form else "by hand"
    places = "; ".join(map(place, facts.fetch)) or by_hand
    return f"| `{facts.name}` | {items} | {size} | {places} | {facts.licence} |"


def place(source: SourceFiles) -> str:
    at = f" at `{source.revision[:7]}`" if source.revision else ""
    files = ", ".join(f"`{name.rsplit('/', 1)[-1]}`" for name in source.files)
    said = f" ({source.licence})" if source.licence else ""
    return f"{files} of [{source.repo.removeprefix('https://').removeprefix('http://')}]({source.page}){at}{said}"


def test_the_table_is_that_of_known_json() -> None:
    assert table() in DOCS.read_text(encoding="utf-8"), "run: python -m tests.datasets.test_docs"


if __name__ == "__main__":
    text = DOCS.read_text(encoding="utf-8")
    start = text.index(HEAD)
    end = text.index("\n\n", start) + 1
    DOCS.write_text(text[:start] + table() + text[end:], encoding="utf-8")
