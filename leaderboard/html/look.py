"""What an owner's `site.toml` changes in the head of the app and of the static site, and the line above the pages."""

from __future__ import annotations

import json

from leaderboard.html.markup import Html, template
from leaderboard.look import Look

TITLE = "Low-level vision board"
_NAME = template('<p class="qb-site-name">{{ title }}</p>')
_COLOURS = """<style>
:is(.qb, .qb-page, .gradio-container) {
  --qb-accent: light-dark(LIGHT, DARK);
  --qb-accent-wash: light-dark(LIGHT_WASH, DARK_WASH);
}
</style>"""


def site_name(look: Look) -> Html:
    """The owner's title above the pages; nothing where there is none."""
    return _NAME(title=look.title) if look.title else Html()


def look_head(look: Look) -> str:
    """Colours, to stand after the style sheets, and which tabs are shown (see `tabOf` in assets/board/view.js)."""
    head = ""
    if accent := look.accent:
        head = _COLOURS.replace("DARK_WASH", accent.dark_wash).replace("LIGHT_WASH", accent.light_wash)
        head = head.replace("DARK", accent.dark).replace("LIGHT", accent.light)
    return f"{head}<script>globalThis.qbTabs = {json.dumps(look.tabs)};</script>"
