"""Small tables and captions as HTML, every text escaped: model names come from anybody."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple
from urllib.parse import quote

from leaderboard.words import shorten


class Cell(NamedTuple):
    """One cell: its text, a remark shown small behind it, and whether it stands out or back."""

    text: str
    remark: str = ""
    weight: str = ""
    """`strong`, `quiet`, `wrap` for a list that may break, or nothing."""


Row = Sequence[Cell | str]


def table(headers: Sequence[str], rows: Sequence[Row], caption: str, label: str = "", kind: str = "") -> str:
    """A table whose first column names the rows; it scrolls sideways by itself, with the keyboard too.

    `kind` is a class of assets/board/pages.css, `qb-figures` for a table of nothing but figures.
    """
    head = "".join(f'<th scope="col">{_name(name)}</th>' for name in headers)
    body = "".join(f"<tr>{''.join(_cell(cell, place == 0) for place, cell in enumerate(row))}</tr>" for row in rows)
    return (
        f'<div class="qb-scroll" role="region" tabindex="0" aria-label="{escape(label or caption)}">'
        f'<table class="qb-data {kind}"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def folded(summary: str, content: str) -> str:
    """Content behind one click."""
    return f"<details><summary>{escape(summary)}</summary>{content}</details>"


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph; `kind` is a class of assets/board/pages.css."""
    return f"<p{f' class={kind!r}' if kind else ''}>{escape(text)}</p>" if text else ""


def sentence(text: str) -> str:
    """One line in place of results."""
    return page(paragraph(text, "qb-finding"))


def heading(text: str) -> str:
    """A heading inside a page."""
    return f"<h3>{escape(text)}</h3>"


def file_address(path: str) -> str:
    """Where the app serves a file of a visitor's, for an attribute."""
    return escape(f"gradio_api/file={quote(path)}")


def page(*parts: str) -> str:
    """Parts of a page in one block with the page's own look."""
    return f'<div class="qb-page">{"".join(parts)}</div>'


def under_chart(text: str, source: str) -> str:
    """What stands under a chart: its text alternative, unseen, and where its figures come from."""
    return page(paragraph(text, "qb-sr"), paragraph(source, "qb-source"))


def _cell(cell: Cell | str, first: bool) -> str:
    text, remark, weight = cell if isinstance(cell, Cell) else Cell(cell)
    start, end = ('<th scope="row"', "</th>") if first else ("<td", "</td>")
    inner = _name(text) if first else f"<bdi>{escape(text)}</bdi>"
    small = f" <small>{escape(remark)}</small>" if remark else ""
    return f"{start}{f' class={weight!r}' if weight else ''}>{inner}{small}{end}"


def _name(name: str) -> str:
    """A name cut to fit, whole in its tooltip."""
    short = shorten(name)
    return f"<bdi>{escape(name)}</bdi>" if short == name else f'<bdi title="{escape(name)}">{escape(short)}</bdi>'
