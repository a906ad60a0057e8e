"""New results as an Atom feed (RFC 4287): one entry for each source and day."""

from __future__ import annotations

import re
import uuid
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from dataclasses import dataclass, field

from leaderboard.html.look import TITLE
from leaderboard.snapshot import Snapshot
from leaderboard.store import Recorded
from leaderboard.tables.table import Table
from leaderboard.tables.words import count, listed

ATOM = "http://www.w3.org/2005/Atom"
MOST_ENTRIES = 100
MOST_NAMED = 8
"""Models that an entry names; the others it counts."""
_ARXIV = re.compile(r"arxiv\.org/abs/(\d\d)(0[1-9]|1[0-2])\.\d{4,5}")
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What names may hold and XML may not."""


@dataclass
class News:
    """The results that one source gave on one day."""

    source: str
    url: str | None
    day: str
    """YYYY-MM-DD; of a paper without a day, the first of its month on arXiv."""
    models: dict[str, None] = field(default_factory=dict)
    boards: dict[str, None] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The same whenever and wherever the feed is made."""
        return uuid.uuid5(uuid.NAMESPACE_URL, f"{self.url or ''}#{self.source}#{self.day}").urn


def find_news(tables: Iterable[Table]) -> list[News]:
    """What stands on the boards by source and day, newest first; results without a day are left out."""
    found: dict[tuple[str, str], News] = {}
    for table in tables:
        for row in table.rows.values():
            for origin in row.origins:
                day = day_of(origin.record)
                if day is None:
                    continue
                source = origin.record.result.source
                name = source_name(origin.record)
                news = found.setdefault((name, day), News(name, source.url, day))
                news.models[row.model.name] = None
                news.boards[table.board.title] = None
    return sorted(found.values(), key=lambda news: (news.day, news.source), reverse=True)


def day_of(record: Recorded) -> str | None:
    """When a result was made or printed; None where nothing says it."""
    source = record.result.source
    if source.at and re.fullmatch(r"\d{4}-\d\d-\d\d", source.at[:10]):
        return source.at[:10]
    month = _ARXIV.search(source.url or "")
    return f"20{month[1]}-{month[2]}-01" if month else None


def source_name(record: Recorded) -> str:
    """The paper, without table and row; of a submission, who handed it in."""
    source = record.result.source
    if record.entry is not None:
        return f"Handed in by {source.by or 'an author without a name'}"
    if source.kind == "live":
        return "Run here"
    return source.reference


def atom_feed(snapshot: Snapshot, title: str = TITLE) -> str:
    """The feed of a site of this title as XML; the same data give the same text."""
    news = find_news(snapshot.tables)[:MOST_ENTRIES]
    feed = ET.Element("feed", xmlns=ATOM)
    _add(feed, "title", f"{title}: new results")
    _add(feed, "id", uuid.uuid5(uuid.NAMESPACE_URL, f"{title}: new results").urn)
    _add(feed, "updated", _instant(news[0].day if news else "1970-01-01"))
    _add(ET.SubElement(feed, "author"), "name", title)
    ET.SubElement(feed, "link", rel="self", href="feed.xml")
    ET.SubElement(feed, "link", href="index.html")
    for item in news:
        entry = ET.SubElement(feed, "entry")
        _add(entry, "title", f"{item.source}: {count(len(item.models), 'model')}")
        _add(entry, "id", item.id)
        _add(entry, "updated", _instant(item.day))
        if item.url and item.url.startswith(("https://", "http://")):
            ET.SubElement(entry, "link", href=_clean(item.url))
        _add(entry, "content", f"{listed(item.models, MOST_NAMED)} on {listed(item.boards)}.")
    ET.indent(feed)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(feed, encoding="unicode")}\n'


def _instant(day: str) -> str:
    return f"{day}T00:00:00Z"


def _add(parent: ET.Element, name: str, text: str) -> None:
    ET.SubElement(parent, name).text = _clean(text)


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
