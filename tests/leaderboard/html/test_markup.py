from __future__ import annotations

from html.parser import HTMLParser

from leaderboard.html import markup
from leaderboard.html.markup import HtmlCell

HOSTILE = "<script>alert('1')</script>\" onmouseover=\"alert(2)"


class Reader(HTMLParser):
    """Collects tags and attributes, so that a test sees what a browser would."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]


def test_every_text_is_escaped() -> None:
    html = markup.page(
        markup.heading(HOSTILE),
        markup.paragraph(HOSTILE, "qb-note"),
        markup.folded(HOSTILE, markup.table([HOSTILE], [[HOSTILE, HtmlCell(HOSTILE, HOSTILE)]], HOSTILE, HOSTILE)),
        markup.under_chart(HOSTILE, HOSTILE),
    )
    read = Reader(html)
    assert "script" not in read.tags
    assert "onmouseover" not in read.attributes


def test_tables_have_heads_for_rows_and_columns_and_scroll_with_the_keyboard() -> None:
    html = markup.table(["", "A"], [["row", "1"]], "What it shows", "Figures")
    assert '<th scope="col"><bdi>A</bdi></th>' in html
    assert '<th scope="row"><bdi>row</bdi></th>' in html
    assert "<caption>What it shows</caption>" in html
    assert 'tabindex="0" aria-label="Figures"' in html


def test_a_template_escapes_whatever_is_not_html_already() -> None:
    picture = markup.template('<a href="{{ address }}">{{ name }}</a>{{ note }}')
    html = picture(address='x" onclick="alert(1)', name=HOSTILE, note=markup.heading("A & B"))
    read = Reader(html)
    assert (read.tags, read.attributes) == (["a", "h3"], ["href"])
    assert html.endswith("<h3>A &amp; B</h3>")
    assert isinstance(html, markup.Html)
