"""The app: settings, store, theme, pages. `python app.py` serves it."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import gradio as gr

from leaderboard.live.opening import open_live
from leaderboard.pages import about, bias, compare, pair, probe, ranking, run, submit, tabs, tournament
from leaderboard.settings import read_settings
from leaderboard.snapshot import follow
from leaderboard.store.opening import open_store
from leaderboard.submissions.desk import open_desk
from leaderboard.submissions.unpack import LIMITS
from leaderboard.theme import make_head, make_theme
from leaderboard.widgets import forget_who_leaves

settings = read_settings(os.environ, Path(__file__).resolve().parent)
store = open_store(settings)
current = follow(settings, store)
desk = open_desk(settings, store, current)
live = open_live(settings)
if __name__ == "__main__":
    live.models.warm()  # while the pages are made
HOUR = 3600
"""Uploads older than this are deleted, if the page that is closed has not done it."""

with gr.Blocks(title="Low-level vision board", analytics_enabled=False, delete_cache=(HOUR, HOUR)) as demo:
    tabs.build(
        demo,
        [
            ("leaderboard", "Leaderboard", lambda: ranking.build(settings, current)),
            ("compare", "Compare", lambda: compare.build(settings, current)),
            ("bias", "Bias", lambda: bias.build(settings, current)),
            ("probe", "Probe", lambda: probe.build(settings, live)),
            ("pair", "Pair", lambda: pair.build(settings, live)),
            ("tournament", "Tournament", lambda: tournament.build(live)),
            ("run", "Run", lambda: run.build(settings, current, live)),
            ("submit", "Submit", lambda: submit.build(settings, current, desk)),
            ("about", "About", lambda: about.build(settings, current)),
        ],
    )
    forget_who_leaves(demo, live)

if __name__ == "__main__":
    store.start()
    demo.launch(
        theme=make_theme(),
        head=make_head(settings.assets),
        allowed_paths=[str(settings.assets / "board"), str(settings.assets / "examples"), str(live.uploads.root)],
        max_file_size=LIMITS.upload,
        footer_links=["api"],
        run_history=False,
        enable_monitoring=False,
        mcp_server=importlib.util.find_spec("mcp") is not None,
    )
