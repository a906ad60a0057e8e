"""The pages as tabs, each with an address of its own: `?tab=bias`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import gradio as gr

from leaderboard.tables.columns import Board
from leaderboard.tables.view import from_query

REMEMBER = """() => {{
  if (!window.qbTabsRead) return;  // the first tab opens before the address has been read
  const query = new URLSearchParams(location.search);
  window.qbTab = "{key}";
  query.set("tab", "{key}");
  history.replaceState(history.state, "", (query.size ? `?${{query}}` : location.pathname) + location.hash);
}}"""
TABS_READ = """() => {
  window.qbTabsRead = true;
  const asked = () => new URLSearchParams(location.search).get("tab");
  window.qbTab = asked();
  window.addEventListener("popstate", () => {  // Back led to another page, which is opened by its address
    if (asked() && asked() !== window.qbTab) location.reload();
  });
  window.dispatchEvent(new Event("qb-tabs-read"));
}"""
"""For pages that cost something to show: the first tab is open for a moment, whichever the address names."""


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
            tab.select(None, js=REMEMBER.format(key=key), api_visibility="private")
    keys = [key for key, _, _ in pages]

    def open_tab(request: gr.Request) -> gr.Tabs:
        return gr.Tabs(selected=from_query(dict(request.query_params), boards, keys).tab)

    read = demo.load(open_tab, outputs=tabs, api_visibility="private", queue=False)
    read.then(None, js=TABS_READ, api_visibility="private")
    return made
