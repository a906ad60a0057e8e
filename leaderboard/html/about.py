"""The About page: what is measured and how, from the Markdown files in assets/prose, with formulas as MathML."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from latex2mathml.converter import convert
from markdown_it import MarkdownIt

from leaderboard.html.markup import Html, template
from leaderboard.tables.columns import Board
from leaderboard.tables.provenance import Paper
from leaderboard.tables.words import PER_CENT

FIRST_CHAPTERS = ("about",)
LAST_CHAPTERS = ("habits", "uncertainty", "sources", "limits", "cite", "add", "own_board")
"""Files of assets/prose before and after those of the methods, which follow the boards."""
_FORMULA = re.compile(r"\$\$(?P<block>[^$]+)\$\$|\$(?P<inline>[^$\n]+)\$")
_PAGE = template("""
<div class="qb-page qb-chapters">
<nav class="qb-prose" aria-label="Chapters" id="about-contents"><ul>
{% for anchor, heading in headings %}<li><a href="?tab=about#{{ anchor }}">{{ heading }}</a></li>
{% endfor %}</ul></nav>
<article class="qb-prose" id="about">{{ text }}</article>
</div>
""")
_BIBTEX = template("<details><summary>BibTeX</summary><pre><code>{{ entries }}</code></pre></details>")


def about(prose: Path, boards: Iterable[Board], papers: Iterable[Paper]) -> Html:
    """The page for these boards, with the papers to cite."""
    texts = {name: _read(prose, name) for name in chapters(prose, boards)}
    first = next(iter(texts))
    texts[first] = texts[first].replace("## ", "# ", 1)
    headings = [(_anchor(found), found) for text in texts.values() for found in re.findall(r"(?m)^## (.+)$", text)]
    shown = {name: _to_html(text) for name, text in texts.items()}
    shown["cite"] += _BIBTEX(entries="\n\n".join(paper.bibtex for paper in papers))
    return _PAGE(headings=headings, text=Html("\n".join(shown.values())))


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


def _to_html(text: str) -> str:
    """Markdown as HTML. Formulas wait as words that Markdown leaves alone."""
    formulas: list[str] = []

    def keep(found: re.Match[str]) -> str:
        block = found["block"]
        made = convert(block or found["inline"], display="block" if block else "inline")
        formulas.append(f'<span class="qb-formula">{made}</span>' if block else made)
        return f"FORMULA{len(formulas) - 1}END"

    made = MarkdownIt("commonmark", {"html": False}).enable("table").render(_FORMULA.sub(keep, text))
    made = re.sub(r"<(h[1-3])>(.+?)</", lambda found: f'<{found[1]} id="{_anchor(found[2])}">{found[2]}</', made)
    return re.sub(r"FORMULA(\d+)END", lambda found: formulas[int(found[1])], made)


def _anchor(heading: str) -> str:
    return f"h-{re.sub(r'[^a-z0-9]+', '-', heading.lower()).strip('-')}"


def _read(prose: Path, name: str) -> str:
    return (prose / f"{name}.md").read_text(encoding="utf-8").replace(" %", PER_CENT)
