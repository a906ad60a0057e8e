"""The About page: what is measured and how, from the Markdown files in assets/prose."""

from __future__ import annotations

from collections.abc import Callable

import gradio as gr

from leaderboard.settings import Settings
from leaderboard.snapshot import Snapshot

CHAPTERS = (
    "about",
    "perception",
    "description",
    "assessment",
    "comparison",
    "similarity",
    "demo",
    "habits",
    "uncertainty",
    "sources",
    "limits",
    "cite",
    "add",
    "own_board",
)
"""Files in reading order. The methods' headings are those that the boards name, so that links land on them."""
FORMULAS = [
    {"left": "$$", "right": "$$", "display": True},
    {"left": "$", "right": "$", "display": False},
]
GO_TO_HEADING = """
const name = decodeURIComponent(location.hash.slice(1)).replace(/^h-/, "");
const seek = (tries) => {
  const heading = document.getElementById(`h-${name}`);
  if (heading) heading.scrollIntoView();
  else if (tries) setTimeout(seek, 100, tries - 1);
};
if (name) seek(50);
"""
"""A link names a heading that exists only once the text is rendered, and whose id Gradio begins with `h-`."""


def build(settings: Settings, current: Callable[[], Snapshot]) -> None:
    """Add the page; `current` gives the snapshot whose papers are cited."""
    gr.Markdown(
        _text(settings, current()),
        latex_delimiters=FORMULAS,
        header_links=True,
        elem_classes="qb-prose",
        elem_id="about",
    )
    gr.HTML("", js_on_load=GO_TO_HEADING, apply_default_css=False)


def _text(settings: Settings, snapshot: Snapshot) -> str:
    chapters = {name: (settings.assets / "prose" / f"{name}.md").read_text(encoding="utf-8") for name in CHAPTERS}
    entries = "\n\n".join(paper.bibtex for paper in snapshot.papers)
    chapters["cite"] += f"\n```bibtex\n{entries}\n```\n"
    return "\n\n".join(chapters.values())
