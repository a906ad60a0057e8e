"""The app: settings, store, theme, pages. `python app.py` serves it."""

from __future__ import annotations

import os
from pathlib import Path

import gradio as gr

from leaderboard.pages import about, bias, compare, ranking, submit, tabs
from leaderboard.settings import read_settings
from leaderboard.snapshot import follow
from leaderboard.store.opening import open_store
from leaderboard.submissions.desk import open_desk
from leaderboard.submissions.unpack import LIMITS
from leaderboard.theme import make_head, make_theme

settings = read_settings(os.environ, Path(__file__).resolve().parent)
store = open_store(settings)
current = follow(settings, store)
desk = open_desk(settings, store, current)

with gr.Blocks(title="Low-level vision board", analytics_enabled=False) as demo:
    tabs.build(
        demo,
        [
            ("leaderboard", "Leaderboard", lambda: ranking.build(settings, current)),
            ("compare", "Compare", lambda: compare.build(settings, current)),
            ("bias", "Bias", lambda: bias.build(settings, current)),
            ("submit", "Submit", lambda: submit.build(settings, current, desk)),
            ("about", "About", lambda: about.build(settings, current)),
        ],
    )

if __name__ == "__main__":
    store.start()
    demo.launch(
        theme=make_theme(),
        head=make_head(settings.assets),
        allowed_paths=[str(settings.assets / "board"), str(settings.assets / "examples")],
        max_file_size=LIMITS.upload,
        footer_links=["api"],
        run_history=False,
        enable_monitoring=False,
    )
