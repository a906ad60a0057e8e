"""At the foot of each page that scripts can ask too: how, in three lines."""

from __future__ import annotations

import gradio as gr

from leaderboard.html import from_python as words
from leaderboard.live.service.open import Live
from leaderboard.pages.widgets import COPY
from leaderboard.settings import Settings

SAY_WHERE = f"""
const [local, here] = ["{words.LOCAL}", location.origin + location.pathname];
for (const code of element.querySelectorAll(".qb-python code")) {{
  const program = code.textContent.replace(local, here);
  code.textContent = program;
  code.parentElement.querySelector("button").dataset.copy = program;
}}
"""


def add(page: str, settings: Settings, live: Live) -> None:
    """Add it to the page of this key, if that has an endpoint."""
    shown = words.shown(page, settings.space or words.LOCAL, live.models.names[0] if live.models.names else "")
    if shown:
        gr.HTML(shown, js_on_load=SAY_WHERE + COPY, apply_default_css=False, elem_id=f"{page}-python")
