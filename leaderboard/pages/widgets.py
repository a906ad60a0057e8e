"""Parts of Gradio that several pages use: places for HTML and charts, following a job, reading what scripts give."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import gradio as gr
from gradio.data_classes import ImageData

from leaderboard.charts.chart import Chart, plotly_script, written
from leaderboard.events import log_refusal
from leaderboard.html.live import model_line, not_done
from leaderboard.html.markup import BOARD_FILES
from leaderboard.live.run import RunNow
from leaderboard.live.run_request import whole_number
from leaderboard.live.service.jobs import Job, JobState, ResultT, stream_job
from leaderboard.live.service.limits import Visitor, visitor_at
from leaderboard.live.service.live import Live
from leaderboard.tables.terms import find_terms
from qbench.errors import UserError

PRIVATE: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
"""Of events that are no endpoint; the page says itself what goes on."""
LIVE: dict[str, Any] = {"concurrency_limit": 20, "concurrency_id": "live"}
"""Of events that ask models. Visitors queue at the models, where they are told their place, and not in Gradio."""
PRIVATE_LIVE: dict[str, Any] = {**PRIVATE, **LIVE}
REPLACING: dict[str, Any] = {**PRIVATE_LIVE, "trigger_mode": "multiple"}
"""Of buttons that may be pressed while what they asked before goes on, which then says nothing more: see `follow`."""
COPY = """element.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy], [data-copy-link]");
  if (!button) return;
  const { copy, copyLink } = button.dataset;
  const said = await navigator.clipboard.writeText(copy ?? new URL(copyLink, location.href).href)
    .then(() => "Copied", () => "Select and copy it by hand");
  button.textContent = said;
});"""
"""For HTML with buttons that copy what they hold, or the whole address of a link."""


_FILE = 'const file = (path) => `${window.gradio_config?.root ?? ""}/gradio_api/file=${path}`;'
"""The address of a file that Gradio serves."""


def html(value: str = "", elem_id: str | None = None, **more: Any) -> gr.HTML:
    """A place for HTML of ours, which has styles of its own."""
    return gr.HTML(value, apply_default_css=False, elem_id=elem_id, **more)


def importing(script: str, then: str) -> str:
    """JavaScript that hands what a script of assets/board exports to a function."""
    return f"{_FILE} import(file({json.dumps(f'{BOARD_FILES}/{script}')})).then({then}).catch(console.error);"


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
    made = gr.Image(type="filepath", image_mode=None, **settings)
    made.preprocess = _path_of
    return made


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


CANCELLED = "This was cancelled; ask again."
"""What an endpoint says to who asked for other work, or stopped this, before there was a result."""


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


def result_of(live: Live, request: gr.Request, kind: str, job: Job[ResultT]) -> ResultT:
    """What an endpoint answers: the result of a job.

    Raises:
        gr.Error: The job failed, or was cancelled.
    """
    for state in stream_job(live, visitor_of(request), kind, job):
        if state.failure is not None:
            raise refused(not_done(state.failure))
        if state.result is not None:
            return state.result
    raise refused(CANCELLED)


def refused(sentence: str) -> gr.Error:
    """What an endpoint answers to a request whose refusal the log has already; for any other, raise `UserError`."""
    return gr.Error(sentence, print_exception=False)


def _path_of(payload: ImageData | None) -> str | None:
    return payload.path if payload else None


def end_earlier(events: Sequence[Any], live: Live, kind: str) -> None:
    """Let these events end the visitor's work of a kind; register it before what they begin.

    Gradio keeps a change back until the work before it is through, and asks for what is chosen then. So a request that
    comes late, and ends what was asked since, does no harm: its own change follows it.
    """

    def end(request: gr.Request) -> None:
        live.visits.cancel(visitor_of(request), kind, replaced=True)

    gr.on(events, end, queue=False, **PRIVATE)


def ask_by(
    events: Sequence[Any],
    live: Live,
    kind: str,
    ask: Callable[..., Asked],
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    stop: gr.Button | None = None,
    **how: Any,
) -> None:
    """Let these events begin a visitor's work of a kind, in place of an earlier one, and show how far it is.

    Args:
        events: Such as a click, or changes of what is chosen.
        live: Models and who uses them.
        kind: Of the work, such as "pair".
        ask: Gets the visitor and what the inputs hold. Returns the job and what is shown of each of its states, by
            component; or, where there is nothing to do, what is shown in its place.
        inputs: What is asked about.
        outputs: What is shown.
        stop: Stops the work, and is there while it goes on.
        how: Whether Gradio keeps a later event back.
    """

    def begin(request: gr.Request, *values: Any) -> Iterator[Any]:
        def shown(update: Update, *, going: bool) -> Update:
            return {**update, stop: gr.Button(stop.value, visible=going)} if stop else update

        visitor = visitor_of(request)
        asked = ask(visitor, *values)
        if isinstance(asked, dict):
            live.visits.cancel(visitor, kind, replaced=True)
            yield shown(asked, going=False)
            return
        job, view = asked
        states = chain([JobState[Any, Any]()], stream_job(live, visitor, kind, job))
        yield from follow(states, lambda state: shown(view(state), going=not state.ended))

    gr.on(events, begin, [*inputs], [*outputs, *([stop] if stop else [])], **how)
    if stop:
        stop_by(stop, live, kind)


def stop_by(button: gr.Button, live: Live, kind: str) -> None:
    """Let a button stop the visitor's work of a kind."""

    def stop(request: gr.Request) -> None:
        live.visits.cancel(visitor_of(request), kind)

    button.click(stop, **PRIVATE, queue=False)


def follow(states: Iterable[StateT], view: Callable[[StateT], Update]) -> Iterator[Any]:
    """What a page shows after each state of a job, by component.

    Where other work takes its place the last update changes nothing: Gradio sends the last one again when a function
    ends, which then would stand over what took its place.
    """
    state = None
    for state in states:
        yield view(state)
    if state is None or not state.ended:
        yield gr.skip()


def add_endpoint(name: str, answer: Callable[..., Any], inputs: Sequence[Any], queue: Mapping[str, Any] = LIVE) -> None:
    """Let scripts ask; the tool of MCP is called as the function is."""
    answer.__name__ = name
    gr.Button(visible=False).click(answer, [*inputs], gr.JSON(visible=False), api_name=name, **queue)


def asking_text(live: Live, name: str) -> str:
    """What is going on while a model has not answered; loading its weights takes seconds."""
    return f"{'Asking' if live.models.is_ready(name) else 'Loading'} {name} …"


def visitor_of(request: gr.Request) -> Visitor:
    """Who asks. The web server tells the address, and behind a proxy that is believed the one that this forwards."""
    return visitor_at(request.session_hash, request.client.host if request.client else None)


Update = dict[Any, Any]
"""Component -> what it becomes; those that are left out stay as they are."""
Asked: TypeAlias = Update | tuple[Job[Any], Callable[[Any], Update]]
StateT = TypeVar("StateT", JobState[Any, Any], RunNow)
NumberT = TypeVar("NumberT", gr.Number, gr.Slider)


def optional(*values: str) -> list[gr.Textbox]:
    """Inputs of an endpoint that need not be given: Gradio's clients take what an input holds as its default."""
    return [gr.Textbox(value, visible=False) for value in values]


def whole(number: NumberT, name: str) -> NumberT:
    """This input, which refuses a fraction in a sentence: Gradio's own rounds it without a word.

    Args:
        number: What stands in it counts where nothing is sent.
        name: As the sentence calls it.
    """

    def preprocess(sent: object) -> int:
        try:
            return whole_number(number.value if sent is None else sent, name)
        except UserError as fault:  # Gradio passes on none but its own errors from here
            log_refusal(fault)
            raise refused(str(fault)) from None

    number.precision = 0
    number.preprocess = preprocess
    return number


def given_names(sent: object, what: str) -> list[str]:
    """The names that the caller of an endpoint lists.

    Raises:
        UserError: It is no list of names; of a text alone every letter would be one.
    """
    if not isinstance(sent, list) or not all(isinstance(name, str) for name in sent):
        raise UserError(f'{what} is a list of names, such as ["nano-iqa", "nano-vlm"]')
    return sent


def given_file(path: str | None) -> Path:
    """The file that the caller of an endpoint gave.

    Raises:
        UserError: There is none.
    """
    if not path:
        raise UserError("there is no file; give one")
    return Path(path)
