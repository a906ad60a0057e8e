"""Every transcribed table is unchanged since it was held against its page, which `tools/published` does."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from leaderboard.tables.provenance import read_papers
from qbench.models.catalogue import find_model
from qbench.records import Result

ROOT = Path(__file__).resolve().parents[1]
PUBLISHED = ROOT / "assets" / "published"
TABLES = sorted((PUBLISHED / "newer").glob("table_*.json"))


def records(path: Path) -> list[dict[str, Any]]:
    read: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return read


def cited(record: dict[str, Any]) -> str:
    return Result.from_json(record).source.cited


PAPERS = {"qbench": "Q-Bench (ICLR 2024)", "twoafc": "2AFC prompting (2024)", "unisim": "UniSim-Bench (2024)"}
REPORTERS = ("the benchmark", "benchmark authors", "model authors", "others")
ASKED = ("average_of", "ranking", "rounds", "strategy", "trained_on", "words")
FIGURE = ("value", "recomputed", "low", "high", "n")


@pytest.mark.parametrize(
    ("paper", "count", "digest"),
    [
        ("abench", 66, "ae6a4e026be908d5"),
        ("newer", 5249, "81c3ff8a837a8bc7"),
        ("qbench", 1492, "0831ac3cd58a78a9"),
        ("twoafc", 503, "e94abd6e97743c87"),
        ("unisim", 1128, "bfa9ae94ffab685c"),
    ],
)
def test_no_transcribed_figure_changes_unseen(paper: str, count: int, digest: str) -> None:
    """All figures, and what we recomputed beside them, as audited in `tools/published`; a correction changes it."""
    figures = [
        [
            path.stem,
            *(record.get(field) for field in ("task", "dataset", "split", "model")),
            record["source"].get("row"),
        ]
        + [record.get("protocol", {}).get(field) for field in ASKED]
        + [grouping, name, *(estimate.get(field) for field in FIGURE)]
        for path in sorted((PUBLISHED / paper).glob("table_*.json"))
        for record in records(path)
        for grouping, metrics in [("", record["metrics"]), *groups_of(record)]
        for name, estimate in metrics.items()
    ]
    assert (len(figures), hashlib.sha256(json.dumps(figures).encode()).hexdigest()[:16]) == (count, digest)


def groups_of(record: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """What a record holds by group: grouping and member, and its metrics."""
    for grouping, members in record.get("groups", {}).items():
        yield from ((f"{grouping}/{member}", metrics) for member, metrics in members.items())


@pytest.mark.parametrize("path", sorted(PUBLISHED.glob("*/table_*.json")), ids=lambda path: path.stem)
def test_every_published_figure_is_of_a_known_model_and_says_who_printed_it(path: Path) -> None:
    known = {url for paper in read_papers(PUBLISHED) for url in paper.urls}
    for record in records(path):
        source = record["source"]
        # SQUARE-Bench's address could not be found: its name says how far it is known.
        assert source["url"] in known or source["reference"].endswith("title page not read")
        facts = find_model(record["model"])
        assert facts is not None and facts.id == record["model"]
        assert source["kind"] == "paper"
        if path in TABLES:
            assert record["protocol"]["reported_by"] in REPORTERS
        elif "readme" not in path.stem:
            number = path.stem.split("_")[1]
            assert cited(record).startswith(f"{PAPERS[path.parent.name]}, Table ")
            assert number == "averages" or printed_number(source["table"]) == int(number)


def printed_number(table: str) -> int:
    number = table.removeprefix("Table ")
    return int(number) if number.isdigit() else ("", "I", "II", "III", "IV", "V").index(number)
