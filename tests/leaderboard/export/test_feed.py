from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

from leaderboard.export.feed import ATOM, atom_feed, day_of, find_news
from leaderboard.snapshot import Snapshot
from leaderboard.store import Loaded, Recorded
from leaderboard.tables.columns import EVERYTHING
from qbench.records import Result
from tests.leaderboard.made import board, find_model, result
from tests.leaderboard.published import published


def snapshot(*results: Result) -> Snapshot:
    return Snapshot(Loaded(tuple(Recorded(made, None) for made in results), (), "abc", ()), (board(),), find_model)


def from_paper(model: str, reference: str, at: str | None, url: str | None = None, dataset: str = "a") -> Result:
    made = result(model, dataset, reference=reference, at=at)
    return replace(made, source=replace(made.source, url=url))


def entries(*results: Result) -> list[dict[str, str]]:
    feed = ET.fromstring(atom_feed(snapshot(*results)))
    return [
        {child.tag.removeprefix(f"{{{ATOM}}}"): child.text or child.get("href", "") for child in entry}
        for entry in feed.iter(f"{{{ATOM}}}entry")
    ]


def test_one_entry_for_each_source_and_day_newest_first() -> None:
    told = entries(
        from_paper("alpha", "Old paper", "2024-02-01"),
        from_paper("alpha", "Old paper", "2024-02-01", dataset="b"),
        from_paper("beta", "Old paper", "2024-02-01"),
        from_paper("gamma", "New paper", "2025-05-04T10:00:00Z", "https://example.org/new"),
    )
    assert [(entry["title"], entry["updated"]) for entry in told] == [
        ("New paper: 1 model", "2025-05-04T00:00:00Z"),
        ("Old paper: 2 models", "2024-02-01T00:00:00Z"),
    ]
    assert told[0]["link"] == "https://example.org/new"
    assert told[1]["content"] == "Alpha and Beta on Made up."


def test_a_paper_without_a_day_has_its_month_on_arxiv_and_others_are_left_out() -> None:
    dated = Recorded(from_paper("alpha", "Paper", None, "https://arxiv.org/abs/2412.10594"), None)
    assert day_of(dated) == "2024-12-01"
    assert day_of(Recorded(from_paper("alpha", "Paper", None, "https://example.org"), None)) is None
    assert entries(from_paper("alpha", "Paper", None)) == []


def test_ids_stay_whatever_else_is_on_the_board() -> None:
    paper = from_paper("alpha", "Paper", "2024-02-01")
    [alone] = entries(paper)
    both = entries(paper, from_paper("beta", "Other", "2024-03-01"))
    assert alone["id"].startswith("urn:uuid:")
    assert alone["id"] in {entry["id"] for entry in both}
    assert len({entry["id"] for entry in both}) == 2


def test_names_are_text_whatever_they_hold() -> None:
    [told] = entries(from_paper("<b>\x00&", "Paper", "2024-02-01"))
    assert told["content"] == "<b>\ufffd& on Made up."


def test_no_address_that_runs_code_is_a_link() -> None:
    [told] = entries(from_paper("alpha", "Paper", "2024-02-01", "javascript:alert(1)"))
    assert "link" not in told


def test_the_published_feed_holds_the_papers_of_2026() -> None:
    news = find_news(published().table(board.key, EVERYTHING) for board in published().boards)
    found = {item.url: item for item in news}
    qualirag = found["https://arxiv.org/abs/2601.18195"]
    assert (qualirag.day, "QualiRAG" in qualirag.models) == ("2026-01-01", True)
    assert len({item.id for item in news}) == len(news)
