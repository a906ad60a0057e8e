"""The pages as tabs, each with an address of its own: `?tab=bias`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import gradio as gr

from leaderboard.tables.columns import Board
from leaderboard.tables.view import from_query

OPENED = """() => {{
  if (!window.qbTabsRead || window.qbTab === "{key}") return;  // the first tab opens before the address has been read
  window.qbTab = "{key}";
  const query = new URLSearchParams(location.search);
  if (query.get("tab") === "{key}") return;
  query.set("tab", "{key}");
  history.pushState(history.state, "", `?${{query}}${{location.hash}}`);
}}"""
"""Another page is a step for Back, as in assets/board/history.js."""
TABS_READ = """(first) => {
  window.qbTabsRead = true;
  window.qbTab = window.qbFirstTab = first;
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


def build(
    demo: gr.Blocks,
    boards: Sequence[Board],
    pages: Sequence[tuple[str, str, Callable[[], None]]],
    hidden: str = "",
) -> dict[str, gr.Tab]:
    """Add one tab for each (key, label, build of the page); an address that names none opens the first.

    Unless it describes a view of one of the boards: see `leaderboard.tables.view`. The tab of the key `hidden` is not
    seen before it is shown. Returns the tabs by their keys.
    """
    made: dict[str, gr.Tab] = {}
    with gr.Tabs() as tabs:
        for key, label, build_page in pages:
            with gr.Tab(label, id=key, visible=key != hidden) as tab:
                build_page()
            made[key] = tab
            tab.select(None, js=OPENED.format(key=key), api_visibility="private")
    keys = [key for key, _, _ in pages]

    first = gr.Textbox(visible=False)
    turned = gr.HTML("", js_on_load=TURN, apply_default_css=False)

    def open_tab(request: gr.Request) -> tuple[gr.Tabs, str]:
        tab = from_query(dict(request.query_params), boards, keys).tab
        return gr.Tabs(selected=tab), tab

    read = demo.load(open_tab, outputs=[tabs, first], api_visibility="private", queue=False)
    read.then(None, first, js=TABS_READ, api_visibility="private")
    turned.turn(None, outputs=tabs, js=TURNED.format(keys=json.dumps(keys)), api_visibility="private")
    return made
