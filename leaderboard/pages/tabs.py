"""The pages as tabs, each with an address of its own: `?tab=bias`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import gradio as gr

from leaderboard.tables.view import TABS, from_query

REMEMBER = """() => {{
  if (!window.qbTabsRead) return;  // the first tab opens before the address has been read
  const query = new URLSearchParams(location.search);
  {change};
  history.replaceState(history.state, "", (query.size ? `?${{query}}` : location.pathname) + location.hash);
}}"""


def build(demo: gr.Blocks, pages: Sequence[tuple[str, str, Callable[[], None]]]) -> None:
    """Add one tab for each (key, label, build of the page); the first needs no name in the address."""
    with gr.Tabs() as tabs:
        for key, label, build_page in pages:
            with gr.Tab(label, id=key) as tab:
                build_page()
            change = 'query.delete("tab")' if key == TABS[0] else f'query.set("tab", "{key}")'
            tab.select(None, js=REMEMBER.format(change=change), api_visibility="private")
    known = {key for key, _, _ in pages}

    def open_tab(request: gr.Request) -> gr.Tabs:
        asked = from_query(dict(request.query_params), ()).tab
        return gr.Tabs(selected=asked if asked in known else TABS[0])

    read = demo.load(open_tab, outputs=tabs, api_visibility="private", queue=False)
    read.then(None, js="() => { window.qbTabsRead = true; }", api_visibility="private")
