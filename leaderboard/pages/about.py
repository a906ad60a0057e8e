"""The About page: what is measured and how, from the Markdown files in assets/prose."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

import gradio as gr

from leaderboard.pages.widgets import html
from leaderboard.settings import Settings
from leaderboard.snapshot import Snapshot
from leaderboard.tables.columns import Board
from leaderboard.tables.words import PER_CENT

FIRST_CHAPTERS = ("about",)
LAST_CHAPTERS = ("habits", "uncertainty", "sources", "limits", "cite", "add", "own_board")
"""Files of assets/prose before and after those of the methods, which follow the boards."""
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
    texts = _texts(settings, current())
    with gr.Row(equal_height=False):
        with gr.Column(scale=1, min_width=220, elem_id="about-contents"):
            gr.Markdown(_contents(texts), elem_classes="qb-prose")
        with gr.Column(scale=4, min_width=320):
            gr.Markdown(
                "\n\n".join(texts),
                latex_delimiters=FORMULAS,
                header_links=True,
                elem_classes="qb-prose",
                elem_id="about",
            )
    html(js_on_load=GO_TO_HEADING)


def chapters(prose: Path, boards: Iterable[Board]) -> list[str]:
    """Names of the files in reading order: each board's method is the file under the heading that the board names.

    Raises:
        ValueError: No file begins with a board's heading, so that its link would lead nowhere.
    """
    headings = {
        _read(prose, path.stem).partition("\n")[0].removeprefix("## "): path.stem for path in prose.glob("*.md")
    }
    methods = []
    for board in boards:
        if board.method not in headings:
            raise ValueError(f"no file in {prose} begins with “## {board.method}”, which the board {board.key} names")
        methods.append(headings[board.method])
    return [*FIRST_CHAPTERS, *dict.fromkeys(methods), *LAST_CHAPTERS]


def _texts(settings: Settings, snapshot: Snapshot) -> list[str]:
    """The chapters; the first has the heading of the page."""
    prose = settings.assets / "prose"
    texts = {name: _read(prose, name) for name in chapters(prose, snapshot.boards)}
    entries = "\n\n".join(paper.bibtex for paper in snapshot.papers)
    texts["cite"] += f"\n<details><summary>BibTeX</summary>\n\n```bibtex\n{entries}\n```\n\n</details>\n"
    first, *rest = texts.values()
    return [first.replace("## ", "# ", 1), *rest]


def _contents(chapters_shown: Iterable[str]) -> str:
    """Links to the headings, since the page is long."""
    headings = [heading for text in chapters_shown for heading in re.findall(r"^## (.+)$", text, flags=re.MULTILINE)]
    return "\n".join(f"- [{heading}](#h-{_anchor(heading)})" for heading in headings)


def _anchor(heading: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")


def _read(prose: Path, name: str) -> str:
    return (prose / f"{name}.md").read_text(encoding="utf-8").replace(" %", PER_CENT)
