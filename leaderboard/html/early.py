"""What the page shows before Gradio's scripts have run, and what others show of a link to it."""

from __future__ import annotations

from html import escape

from leaderboard.html import markup
from leaderboard.html.look import look_head, site_name
from leaderboard.html.markup import BOARD_FILES, Html, file_address
from leaderboard.html.overview import QUESTION
from leaderboard.look import PAGES, Look

_STYLES = ("tokens.css", "base.css", "controls.css", "page.css", "pages.css", "overview.css")
"""Those that it needs. Gradio adds all of them once more, after its own."""
_LINKS = markup.template("""
{% for style in styles %}<link rel="stylesheet" href="{{ style }}">{% endfor %}
""")
_EARLY = markup.template("""
{{ head }}
<div>
<div class="qb-early qb-page">
{{ name }}
<nav aria-label="Pages">{% for key, label in tabs %}<a href="?tab={{ key }}">{{ label }}</a>{% endfor %}</nav>
{{ opening }}
</div>
<script src="{{ script }}"></script>
</div>
""")


def early(look: Look, opening: Html) -> Html:
    """The names of the tabs and Overview's first screen; assets/board/early.js takes them away when Gradio's are there.

    Args:
        look: The tabs in the bar, and what else the owner wants.
        opening: Overview's first screen.
    """
    return _EARLY(
        head=Html(look_head(look)),
        name=site_name(look),
        tabs=[(key, PAGES[key]) for key in look.tabs],
        opening=opening,
        script=file_address(f"{BOARD_FILES}/early.js"),
    )


def finish(page: bytes, *, title: str, shown_early: str) -> bytes:
    """Gradio's page, with `shown_early` before its own, and our words where a link to it is previewed."""
    head, app, gradios = page.rpartition(b"<gradio-app")
    for theirs, ours in ((b'content="Gradio"', title), (b'content="Click to try out the app!"', QUESTION)):
        head = head.replace(theirs, f'content="{escape(ours)}"'.encode())
    links = _LINKS(styles=[file_address(f"{BOARD_FILES}/{name}") for name in _STYLES]).encode()
    before, end, body = head.rpartition(b"</head>")
    return before + links + end + body + shown_early.encode() + app + gradios
