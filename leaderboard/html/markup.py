"""Small tables, captions, paragraphs and charts as HTML, every text escaped: model names come from anybody.

HTML of a form of its own is a template beside the function that fills it. Nobody calls `escape`, because whatever is
put into a template is escaped, unless it is `Html` already:

    _PICTURE = template('<a href="{{ address }}"><img src="{{ address }}" alt="{{ name }}"></a>')

    def picture(path: str, name: str) -> Html:
        return _PICTURE(address=file_address(path), name=name)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import quote

from jinja2 import Environment, StrictUndefined
from markupsafe import escape

from leaderboard.charts.chart import Chart, written
from leaderboard.tables.cells import Cell
from leaderboard.tables.columns import Metric
from leaderboard.tables.terms import find_terms, split_terms
from leaderboard.tables.words import PER_CENT, figure, half_interval, shorten_name


class Html(str):
    """Text that is HTML: templates take it as it is and escape any other."""

    __slots__ = ()

    def __html__(self) -> str:
        """Tells Jinja2 that nothing is to be escaped."""
        return str(self)


_ENVIRONMENT = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
_ENVIRONMENT.tests["html"] = lambda text: isinstance(text, Html)
_ENVIRONMENT.filters["shorten_name"] = shorten_name
_ENVIRONMENT.filters["explained"] = lambda text: text if isinstance(text, Html) else Html(mark_terms(text))


def template(source: str, *names: str) -> Callable[..., Html]:
    """A function from the values that a Jinja2 template names to HTML; a value that is missing is an error.

    Values are given by their names, or in the order of `names`.
    """
    compiled = _ENVIRONMENT.from_string(source.strip())

    def fill(*in_order: Any, **named: Any) -> Html:
        return Html(compiled.render(dict(zip(names[: len(in_order)], in_order, strict=True)) | named))

    return fill


class HtmlCell(NamedTuple):
    """One cell: its text, a remark shown small behind it, and whether it stands out or back."""

    text: str
    remark: str = ""
    weight: str = ""
    """`strong`, `quiet`, `wrap` for what may break, several of them, or nothing."""


HtmlRow = Sequence[HtmlCell | str]

_TABLE = template("""
{% macro name(text) -%}
  {% if text is html %}{{ text }}{% else -%}
  <bdi{% if text | shorten_name != text %} title="{{ text }}"{% endif %}>{{ text | shorten_name }}</bdi>
  {%- endif %}
{%- endmacro %}
<div class="qb-scroll" role="region" tabindex="0" aria-label="{{ label or caption }}">
<table class="qb-data {{ kind }}"><caption>{{ caption | explained }}</caption>
<thead><tr>{% for header in headers %}<th scope="col">
  {%- if header | explained == header %}{{ name(header) }}{% else %}{{ header | explained }}{% endif %}</th>
{%- endfor %}</tr></thead>
<tbody>
{% for row in rows %}
<tr>{% for text, remark, weight in row -%}
  {%- set tag = "th" if loop.first else "td" -%}
  <{{ tag }}{% if loop.first %} scope="row"{% endif %}{% if weight %} class="{{ weight }}"{% endif %}>
  {%- if loop.first and of_terms %}<bdi>{{ text | explained }}</bdi>
  {%- elif loop.first %}{{ name(text) }}{% else %}<bdi>{{ text }}</bdi>{% endif %}
  {%- if remark %} <small>{{ remark }}</small>{% endif %}</{{ tag }}>
{%- endfor %}</tr>
{% endfor %}
</tbody></table></div>
""")
_PAGE = template('<div class="qb-page">{{ content }}</div>', "content")
_PARAGRAPH = template('<p{% if kind %} class="{{ kind }}"{% endif %}>{{ text | explained }}</p>')
_QUESTIONS = template("""
<p class="qb-note">
{% for term, meaning in terms %}
<span class="qb-term" tabindex="0" data-tip="{{ meaning }}">What is {{ term }}?</span>
{% endfor %}
</p>
""")
_RANGE = template("""
<span class="qb-range" aria-hidden="true">
{%- if width %}<s style="left: {{ low }}; width: {{ width }}"></s>{% endif %}
{%- for kind, at in marks %}<i class="{{ kind }}" style="left: {{ at }}"></i>{% endfor -%}
<u style="left: {{ at }}"></u></span>
""")

NOTHING = Html()
NO_FIGURE = HtmlCell("–", weight="quiet")

title = template("<h1>{{ text | explained }}</h1>", "text")
"""What a page is called."""
heading = template("<h3>{{ text | explained }}</h3>", "text")
"""A heading inside a page."""
link = template('<a href="{{ address }}">{{ text }}</a>', "address", "text")
"""A link to a view."""
folded = template("<details><summary>{{ summary }}</summary>{{ content }}</details>", "summary", "content")
"""Content behind one click."""
status = template('<p class="{{ kind | default("qb-finding") }}" role="status">{{ text }}</p>', "text", "kind")
"""What goes on, in a line that screen readers are told."""
number = template(
    '<p class="qb-number"><strong>{{ figure }}</strong> <span>{{ remark }}</span></p>', "figure", "remark"
)
"""A figure, large, and a remark beside it."""
done_bar = template('<div class="qb-done" style="--share:{{ "%.4f" | format([share, 1.0] | min) }}"></div>', "share")
"""How much of a whole is done."""
_COMMAND = """
<div class="qb-command"><p class="qb-note">{{ purpose }}</p>
<code tabindex="0">{{ line }}</code><button type="button" class="qb-button" data-copy="{{ line }}">Copy</button></div>
"""
command = template(_COMMAND, "purpose", "line")
"""A command to copy, under what it is for."""


def table(
    headers: Sequence[str],
    rows: Iterable[HtmlRow],
    caption: str,
    label: str = "",
    kind: str = "",
    *,
    of_terms: bool = False,
) -> Html:
    """A table whose first column names the rows; it scrolls sideways by itself, with the keyboard too. Nothing of none.

    `kind` is a class of assets/board/pages.css, `qb-figures` for a table of nothing but figures. Words of the field are
    explained in its heads, and where rows are named by metrics, `of_terms`, there as well; other names are anybody's.
    """
    cells = [[cell if isinstance(cell, HtmlCell) else HtmlCell(cell) for cell in row] for row in rows]
    if not cells:
        return NOTHING
    return _TABLE(headers=headers, rows=cells, caption=caption, label=label, kind=kind, of_terms=of_terms)


def figures_below(headers: Sequence[str], rows: Iterable[HtmlRow], caption: str, label: str) -> Html:
    """The figures behind a chart, one click away."""
    return folded("Table", table(headers, rows, caption, label, "qb-figures"))


def figure_cell(cell: Cell | None, metric: Metric) -> HtmlCell:
    """A figure, and half of its interval behind it."""
    if cell is None:
        return NO_FIGURE
    return HtmlCell(figure(cell.value, metric), half_interval(cell.low, cell.high, metric))


def join(*parts: Html) -> Html:
    """Parts one after the other."""
    return Html("".join(parts))


def paragraph(text: str, kind: str = "") -> Html:
    """A paragraph, its words of the field explained; `kind` is a class of assets/board/pages.css."""
    return _PARAGRAPH(text=text, kind=kind) if text else NOTHING


finding = partial(paragraph, kind="qb-finding")
"""A sentence that people came for."""
note = partial(paragraph, kind="qb-note")
"""A remark in small type."""
source_line = partial(paragraph, kind="qb-source")
"""Where figures come from."""


def sentence(text: str, kind: str = "qb-finding") -> Html:
    """One line in place of results, or beside them."""
    return page(paragraph(text, kind))


def questions(texts: Iterable[str]) -> Html:
    """What terms mean that stand where they cannot be explained themselves, as in links: "What is close-set?"."""
    return page(_QUESTIONS(terms=terms)) if (terms := find_terms(texts)) else NOTHING


def range_bar(at: float, low: float | None, high: float | None, marks: Iterable[tuple[str, float]] = ()) -> Html:
    """A figure on a scale from 0 to 1, its interval where it has one, and what else is marked there by its class."""
    width = "" if low is None or high is None else _share(high - low)
    shown = [(kind, _share(value)) for kind, value in marks]
    return _RANGE(at=_share(at), low=_share(low or 0.0), width=width, marks=shown)


def _share(value: float) -> str:
    return f"{100 * min(max(value, 0.0), 1.0):.2f}%"


def opening(text: str, says: str) -> Html:
    """What stands on top of a page: what it is called, and what it is for."""
    return page(title(text), finding(says))


BOARD_FILES = "board"
"""Folder of scripts and styles, as the app serves it: files that come with it have no path of the server."""


def file_address(path: str) -> str:
    """Where the app serves a file of a visitor's, or of its own, for an attribute."""
    return f"gradio_api/file={quote(path)}"


def page(*parts: Html) -> Html:
    """Parts of a page in one block with the page's own look; nothing of nothing."""
    return _PAGE(content) if (content := join(*parts)) else NOTHING


def chart_block(
    key: str,
    name: str,
    said: str,
    chart: Chart | None,
    rows: Sequence[Sequence[str]] = (),
    under: Html = NOTHING,
    also: Sequence[str] = (),
) -> dict[str, Any]:
    """One chart with its words, as the browser draws it (assets/board/chart.js); `rows` are what it saves as CSV, the
    names of the columns first.

    Words of the field are explained that stand in it and in `also`. Where nothing is said it has no heading of its own.
    """
    return {
        "key": key,
        "head": chart_head(name, said) if said else NOTHING,
        "title": name,
        "figure": chart.figure if chart else None,
        "terms": find_terms([*written(chart), *also]) if chart else [],
        "text": chart.text if chart else "",
        "rows": [list(row) for row in rows],
        "foot": under,
    }


def chart_head(question: str, answer: str) -> Html:
    """What stands above a chart."""
    return join(heading(question), finding(answer))


def under_chart(text: str, source: str) -> Html:
    """What stands under a chart: its text alternative, unseen, and where its figures come from."""
    return page(paragraph(text, "qb-sr"), source_line(source))


def mark_terms(text: str) -> str:
    """Text as HTML, each term explained where it first comes, and no figure parted from its unit."""
    return "".join(
        str(escape(part))
        if isinstance(part, str)
        else f'<span class="qb-term" tabindex="0" data-tip="{escape(part[1])}">{escape(part[0])}</span>'
        for part in split_terms(text)
    ).replace(" %", PER_CENT)
