"""The app: settings, store, theme, pages. `python app.py` serves it."""

from __future__ import annotations

import os
from pathlib import Path

import gradio as gr

from leaderboard.pages import about, bias, compare, ranking, tabs
from leaderboard.settings import read_settings
from leaderboard.snapshot import open_snapshot
from leaderboard.theme import make_head, make_theme

settings = read_settings(os.environ, Path(__file__).resolve().parent)
snapshot = open_snapshot(settings)

with gr.Blocks(title="Low-level vision board", analytics_enabled=False) as demo:
    tabs.build(
        demo,
        [
            ("leaderboard", "Leaderboard", lambda: ranking.build(settings, lambda: snapshot)),
            ("compare", "Compare", lambda: compare.build(settings, lambda: snapshot)),
            ("bias", "Bias", lambda: bias.build(settings, lambda: snapshot)),
            ("about", "About", lambda: about.build(settings, lambda: snapshot)),
        ],
    )

if __name__ == "__main__":
    demo.launch(
        theme=make_theme(),
        head=make_head(settings.assets),
        allowed_paths=[str(settings.assets / "board")],
        footer_links=["api"],
        run_history=False,
        enable_monitoring=False,
    )
