"""The look of the Gradio shell around the pages; colours and sizes of the pages themselves are in assets/board."""

from __future__ import annotations

import gradio as gr

from leaderboard.html.markup import BOARD_FILES, file_address

STYLES = (
    "tokens.css",
    "base.css",
    "controls.css",
    "table.css",
    "overlay.css",
    "page.css",
    "pages.css",
    "live.css",
    "watch.css",
    "person.css",
    "overview.css",
    "model.css",
)


GREYS = gr.themes.Color(
    name="greys",
    c50="#f9fafb",
    c100="#f3f4f6",
    c200="#e1e4e9",
    c300="#c6cbd4",
    c400="#9aa2b1",
    c500="#6b7280",
    c600="#3a404c",
    c700="#2a2e37",
    c800="#1b1e25",
    c900="#181b21",
    c950="#14161b",
)
"""Those of assets/board/tokens.css: with Gradio's own, which are bluish, its boxes would stand out in the dark."""


def make_theme() -> gr.themes.Base:
    """Neutral greys, one blue, system fonts: nothing is fetched from elsewhere."""
    system = ["system-ui", "-apple-system", "Segoe UI", "Roboto", "Helvetica Neue", "Arial", "sans-serif"]
    return gr.themes.Base(
        primary_hue=gr.themes.colors.blue,
        neutral_hue=GREYS,
        spacing_size=gr.themes.sizes.spacing_sm,
        radius_size=gr.themes.sizes.radius_sm,
        text_size=gr.themes.sizes.text_sm,
        font=system,
        font_mono=["ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace"],
    ).set(
        body_background_fill="#ffffff",
        body_background_fill_dark="#14161b",
        body_text_color="#16181d",
        body_text_color_dark="#e7e9ee",
        body_text_color_subdued="#5c6370",
        body_text_color_subdued_dark="#9aa2b1",
        body_text_size="15px",
        background_fill_primary_dark="#14161b",
        button_primary_background_fill="#1257b8",
        button_primary_background_fill_dark="#1257b8",
        button_primary_background_fill_hover="#0e4693",
        button_primary_background_fill_hover_dark="#0e4693",
        link_text_color="#1257b8",
        link_text_color_dark="#7db2ff",
    )


def make_head() -> str:
    """Style sheets as links, since Gradio would rewrite the selectors of css it is given; and what mends its markup."""
    links = [f'<link rel="stylesheet" href="{file_address(f"{BOARD_FILES}/{name}")}">' for name in STYLES]
    script = f'<script type="module" src="{file_address(f"{BOARD_FILES}/access.js")}"></script>'
    return "".join([*links, script])
