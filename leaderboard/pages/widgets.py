"""Parts of Gradio that stand on several pages: places for HTML, charts, photos, and what the browser does with them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr

from leaderboard.charts.chart import Chart, plotly_script, written
from leaderboard.html.live import model_line
from leaderboard.html.markup import BOARD_FILES
from leaderboard.tables.terms import find_terms

PRIVATE: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
"""Of events that are no endpoint; the page says itself what goes on."""
Update = dict[Any, Any]
"""Component -> what it becomes; those that are left out stay as they are."""
_FILE = 'const file = (path) => `${window.gradio_config?.root ?? ""}/gradio_api/file=${path}`;'
"""The address of a file that Gradio serves."""


def html(value: str = "", elem_id: str | None = None, **more: Any) -> gr.HTML:
    """A place for HTML of ours, which has styles of its own."""
    return gr.HTML(value, apply_default_css=False, elem_id=elem_id, **more)


def importing(script: str, then: str) -> str:
    """JavaScript that hands what a script of assets/board exports to a function."""
    return f"{_FILE} import(file({json.dumps(f'{BOARD_FILES}/{script}')})).then({then}).catch(console.error);"


COPY = importing("dom.js", "({ copyWithin }) => copyWithin(element)")
"""For HTML with buttons that copy what they hold, or the whole address of a link."""


def opened_with(tab: str, key: str) -> str:
    """JavaScript for a page's HTML: its event `open` brings what the address names, where it is of this page."""
    named = f'query.get("tab") === "{tab}" ? query.get("{key}") : null'
    return f'const query = new URLSearchParams(location.search); trigger("open", {{ {key}: {named} }});'


def to_address(tab: str, key: str) -> str:
    """JavaScript that has the address name what it gets, so that a link or a reload comes back to it."""
    return f"""(name) => {{
  if (!name) return;
  const query = new URLSearchParams(location.search);
  query.set("tab", "{tab}");
  query.set("{key}", name);
  history.replaceState(history.state, "", `?${{query}}`);
}}"""


def drawn(
    script: str,
    call: str,
    loading: str,
    functions: Sequence[Callable[..., Any]] = (),
    failed: str = "The page could not be loaded. Reload it to try again.",
    elem_id: str | None = None,
) -> gr.HTML:
    """A page that a script of assets/board draws.

    Args:
        script: Its name.
        call: JavaScript that draws; it has what the script exports as `page`, `root`, `boardData`, `plotly`, `server`.
        loading: HTML that stands there until then.
        functions: Those of the server that the script may call.
        failed: What stands there if that cannot be.
        elem_id: Of the place, where that is not the script's name.
    """
    mount = f"""{_FILE}
const root = element.querySelector(".qb-root"), plotly = file({json.dumps(plotly_script().name)});
Promise.all([import(file("{BOARD_FILES}/{script}.js")), import(file("{BOARD_FILES}/fetched.js"))])
  .then(([page, {{ boardData }}]) => {call})
  .catch((fault) => {{
    console.error(fault);
    const opening = root.querySelector(".qb-first");
    root.textContent = {json.dumps(failed)};
    if (opening) root.prepend(opening);
  }});"""
    template = '<div class="qb-root">${value}</div>'
    return html(
        loading, elem_id or script, html_template=template, js_on_load=mount, server_functions=list(functions) or None
    )


def photo(**settings: Any) -> gr.Image:
    """An image input that hands over the path of the uploaded file, unread.

    Gradio's own decodes the file, which hostile ones want, and may write it anew, which changes its pixels. A subclass
    would say this better, but Gradio writes a file of types beside every module that has one.
    """
    made = gr.Image(type="filepath", image_mode=None, sources=["upload", "clipboard", "webcam"], **settings)
    made.preprocess = lambda payload: payload.path if payload else None
    return made


def several_models(
    names: Sequence[str], label: str, elem_id: str, chosen: Sequence[str], most: int, **more: Any
) -> gr.Dropdown:
    """A choice of up to so many models."""
    more |= {"value": [*chosen], "multiselect": True, "max_choices": most}
    return gr.Dropdown([*names], label=label, elem_id=elem_id, **more)


def stop_button(elem_id: str) -> gr.Button:
    """A button beside what it stops, which is hidden while there is nothing to stop."""
    return gr.Button("Stop", visible=False, elem_id=elem_id, size="sm", scale=0, min_width=96)


def add_examples(rows: Sequence[Sequence[str]], inputs: Sequence[gr.Image], elem_id: str) -> None:
    """Photos to choose instead of one's own; of clicks in quick succession the last counts.

    Gradio drops a click while the example of another is on its way, and its `Examples` lets nobody choose otherwise.
    """
    examples = gr.Examples([list(row) for row in rows], list(inputs), examples_per_page=len(rows), elem_id=elem_id)
    clicked = (examples.dataset._id, "click")
    page = gr.context.Context.root_block
    for event in page.fns.values() if page else ():
        if clicked in event.targets:
            event.trigger_mode = "always_last"


def add_plot(elem_id: str, title: str, **more: Any) -> gr.HTML:
    """Where a chart is drawn; `title` is what screen readers are told first."""
    plotly = f"file({json.dumps(plotly_script().name)})"
    settings = f"{{ plotly: {plotly}, title: {json.dumps(title)} }}"  # not by properties: one that is hidden has none
    script = importing("chart.js", f"({{ keepChart }}) => keepChart(element, props, watch, {settings})")
    return html("", elem_id, html_template='<div class="qb-root"></div>', js_on_load=script, **more)


def plotted(chart: Chart | None) -> gr.HTML:
    """A chart in its place, with what the words of the field in it mean; hidden where there is none."""
    if chart is None:
        return gr.HTML(visible=False)
    return gr.HTML({"figure": chart.figure, "terms": find_terms(written(chart))}, visible=True)


_HIDE_OUTDATED = """(...values) => {
  const [page, names] = %s;
  const id = [page, ...names, "chosen"].join("-");
  const rule = document.getElementById(id)
    ?? document.head.appendChild(Object.assign(document.createElement("style"), { id }));
  const text = (value) => Array.isArray(value) ? value.map(text).join("\\n") : String(value?.path ?? value ?? "");
  const others = names.map((name, place) => {
    const chosen = CSS.escape(text(values[place]));
    return `[data-${page}-${name}]:not([data-${page}-${name}="${chosen}"])`;
  });
  const outdated = `.qb-about:is(${others})`;
  rule.textContent = `
    ${outdated} > .qb-current { display: none; }
    ${outdated} > .qb-outdated { display: block; }
    .qb-found:has(${outdated}) { visibility: hidden; height: 0; overflow: hidden; }
  `;
}"""


def hide_outdated(page: str, **inputs: Any) -> None:
    """Keep results about anything but what is chosen now out of sight, however late they come.

    The browser does it: an event that the server answers could arrive after the visitor has asked anew. Of results
    that `leaderboard.html.live.about` wraps, a sentence stands in their place; of a column of the class `qb-found`
    that holds one nothing is seen, and plots in it keep the width that they are drawn for.

    Args:
        page: Key of the page.
        inputs: Some of the page's inputs by the names that `about` is given; register this before their other events,
            since Gradio goes in order.
    """
    names = [name.replace("_", "-") for name in inputs]
    script = _HIDE_OUTDATED % json.dumps([page, names])
    gr.on([component.change for component in inputs.values()], None, [*inputs.values()], js=script, **PRIVATE)


def add_model_line(model: gr.Dropdown, page: str) -> None:
    """Below the choice of a model, what the chosen one is, where it comes with the project."""
    shown = html(model_line(model.value), f"{page}-model-line")
    model.change(model_line, model, shown, **PRIVATE, queue=False)
