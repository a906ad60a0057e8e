"""The About page."""

from __future__ import annotations

from collections.abc import Callable

from leaderboard.html.about import about
from leaderboard.pages.widgets import html
from leaderboard.settings import Settings
from leaderboard.snapshot import Snapshot

GO_TO_HEADING = """
const name = decodeURIComponent(location.hash.slice(1)).replace(/^(h-)?/, "h-");
if (location.hash) document.getElementById(name)?.scrollIntoView();
"""
"""A link names a heading that is there only once the tab is."""


def build(settings: Settings, current: Callable[[], Snapshot]) -> None:
    """Add the page; `current` gives the snapshot whose papers are cited."""
    now = current()
    html(about(settings.assets / "prose", now.boards, now.papers), js_on_load=GO_TO_HEADING)
