"""What the page shows before Gradio's scripts have run, and what others show of a link to it."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from leaderboard.html import markup
from leaderboard.html.markup import BOARD_FILES, Html, file_address
from leaderboard.html.overview import QUESTION

_STYLES = ("tokens.css", "base.css", "controls.css", "page.css", "pages.css", "overview.css")
"""Those that it needs. Gradio adds all of them once more, after its own."""
_EARLY = markup.template("""
{% for style in styles %}<link rel="stylesheet" href="{{ style }}">{% endfor %}
<div class="qb-early qb-page">
<nav aria-label="Pages">{% for key, label in tabs %}<a href="?tab={{ key }}">{{ label }}</a>{% endfor %}</nav>
{{ opening }}
<script src="{{ script }}"></script>
</div>
""")


def early(tabs: Iterable[tuple[str, str]], opening: Html) -> Html:
    """The names of the tabs and Overview's first screen; assets/board/early.js takes them away when Gradio's are there.

    Args:
        tabs: Key and label of each page in the bar.
        opening: Overview's first screen.
    """
    styles = [file_address(f"{BOARD_FILES}/{name}") for name in _STYLES]
    return _EARLY(styles=styles, tabs=list(tabs), opening=opening, script=file_address(f"{BOARD_FILES}/early.js"))


def finish(page: bytes, *, title: str, shown_early: str) -> bytes:
    """Gradio's page, with `shown_early` before its own, and our words where a link to it is previewed."""
    before, app, after = page.rpartition(b"<gradio-app")
    for gradios, ours in ((b'content="Gradio"', title), (b'content="Click to try out the app!"', QUESTION)):
        before = before.replace(gradios, f'content="{escape(ours)}"'.encode())
    return before + (shown_early.encode() if app else b"") + app + after
