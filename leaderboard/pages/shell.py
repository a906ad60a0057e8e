"""Around the pages: tabs, each with an address of its own (`?tab=bias`), and the look of Gradio."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import gradio as gr

from leaderboard.html.look import site_name
from leaderboard.html.markup import BOARD_FILES, file_address
from leaderboard.look import Accent, Look, mix
from leaderboard.pages.widgets import html

STEP = """const query = new URLSearchParams(location.search);
  if (query.get("tab") !== window.qbTab) {
    query.set("tab", window.qbTab);
    history.pushState(history.state, "", `?${query}${location.hash}`);
  }"""
"""Another page is a step for Back, as in assets/board/history.js."""
OPENED = """() => {
  if (!window.qbTabsRead) { window.qbEarlyTab = "KEY"; return; }  // the first tab opens before the address is read
  if (window.qbTab === "KEY") return;
  window.qbTab = "KEY";
  STEP
}""".replace("STEP", STEP)
TAB_OF_ADDRESS = """async () => {
  const { tabOf } = await import(`${window.gradio_config?.root ?? ""}/FILE`);
  const asked = new URLSearchParams(location.search);
  if (!KEYS.includes(asked.get("tab"))) asked.delete("tab");
  const first = tabOf(asked);
  const early = window.qbEarlyTab === "FRONT" ? null : window.qbEarlyTab;
  window.qbFirstTab = first;
  window.qbTab = early || first;
  if (early) {
  STEP
  }
  const seen = HIDDEN.map((key) => ({visible: key === window.qbTab, __type__: "update"}));
  return [{selected: window.qbTab, __type__: "update"}, ...seen];
}""".replace("STEP", STEP)
"""Who chose a page before the address was read stays there."""
TABS_READ = """() => {
  window.qbTabsRead = true;
  window.dispatchEvent(new Event("qb-tabs-read"));
}"""
"""For pages that cost something to show: the first tab is open for a moment, whichever the address names."""
TURN = """window.addEventListener("popstate", () => {
  const tab = new URLSearchParams(location.search).get("tab") ?? window.qbFirstTab;
  if (!tab || tab === window.qbTab) return;
  window.qbTab = tab;
  trigger("turn");
});"""
"""Back led to another page."""
TURNED = """() => ({{
  ...({keys}.includes(window.qbTab) && {{selected: window.qbTab}}),
  __type__: "update",
}})"""
"""In the browser alone: of two steps that follow each other fast, Gradio would forget one that the server answers."""


def add_name(look: Look) -> None:
    """The owner's title above the tabs, where there is one."""
    if look.title:
        html(site_name(look))


def add_tabs(
    demo: gr.Blocks, pages: Sequence[tuple[str, str, Callable[[], None]]], hidden: Sequence[str] = (), closed: str = ""
) -> dict[str, gr.Tab]:
    """Add one tab for each (key, label, build of the page); an address that names none opens the first.

    Unless it describes a view of one of the boards: see assets/board/view.js. A tab of the keys `hidden` is seen once
    an address names it; that of the key `closed` is not seen before it is shown. Returns the tabs by their keys.
    """
    made: dict[str, gr.Tab] = {}
    with gr.Tabs() as tabs:
        for key, label, build_page in pages:
            with gr.Tab(label, id=key, visible=key not in (*hidden, closed)) as tab:
                build_page()
            made[key] = tab
            tab.select(None, js=OPENED.replace("KEY", key), api_visibility="private")
    keys = json.dumps(list(made))
    turned = html(js_on_load=TURN)
    script = TAB_OF_ADDRESS.replace("FILE", file_address(f"{BOARD_FILES}/view.js")).replace("KEYS", keys)
    script = script.replace("HIDDEN", json.dumps(hidden)).replace("FRONT", next(iter(made)))
    changed = [tabs, *(made[key] for key in hidden)]
    opened = demo.load(None, None, changed, js=script, api_visibility="private")
    opened.then(None, js=TABS_READ, api_visibility="private")
    turned.turn(None, outputs=tabs, js=TURNED.format(keys=keys), api_visibility="private")
    return made


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
    "owner.css",
    "person.css",
    "overview.css",
    "model.css",
    "answers.css",
)


UPLOAD_WORDS = {
    "upload_text.drop_image": "Drop a photo here",
    "upload_text.drop_file": "Drop files here",
    "upload_text.click_to_upload": "choose from your device",
}
"""What stands in upload fields, in place of Gradio's words."""
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


def make_theme(own: Accent | None = None) -> gr.themes.Base:
    """Neutral greys, one blue or the owner's colour, system fonts: nothing is fetched from elsewhere."""
    accent, hue = own or Accent("#1257b8"), _hue(own) if own else gr.themes.colors.blue
    button = {"padding": "5px 12px", "text_size": "13px", "text_weight": "400", "radius": "4px"}
    buttons = {f"button_{size}_{key}": value for size in ("small", "medium", "large") for key, value in button.items()}
    system = ["system-ui", "-apple-system", "Segoe UI", "Roboto", "Helvetica Neue", "Arial", "sans-serif"]
    return gr.themes.Base(
        primary_hue=hue,
        secondary_hue=hue,
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
        button_primary_background_fill=accent.light,
        button_primary_background_fill_dark=accent.light,
        button_primary_background_fill_hover=accent.hover,
        button_primary_background_fill_hover_dark=accent.hover,
        link_text_color=accent.light,
        link_text_color_dark=own.dark if own else "#7db2ff",
        button_secondary_background_fill="*background_fill_primary",
        button_secondary_background_fill_dark="*background_fill_primary",
        button_secondary_border_color="#c6cbd4",
        button_secondary_border_color_dark="#454b58",
        button_border_width="1px",
        **buttons,
    )


def _hue(accent: Accent) -> gr.themes.Color:
    """Gradio's shades of a colour, from pale to dark; the middle one, of what is ticked, is seen on both pages."""
    paler = [mix(accent.light, "#ffffff", share) for share in (0.95, 0.9, 0.75, 0.55, 0.3)]
    darker = [mix(accent.light, "#000000", share) for share in (0.0, 0.2, 0.35, 0.5, 0.6)]
    return gr.themes.Color(*paler, accent.paler(3), *darker)


def make_head() -> str:
    """Style sheets as links, since Gradio would rewrite the selectors of css it is given; and what mends its markup."""
    links = [f'<link rel="stylesheet" href="{file_address(f"{BOARD_FILES}/{name}")}">' for name in STYLES]
    script = f'<script type="module" src="{file_address(f"{BOARD_FILES}/access.js")}"></script>'
    return "".join([*links, script])
