"""How pages ask models for a visitor, and show how far that is; and how scripts ask the same by endpoints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import gradio as gr

from leaderboard.events import log_refusal
from leaderboard.html.live import CANCELLED, not_done
from leaderboard.live.run_request import whole_number
from leaderboard.live.service.jobs import Job, ResultT, stream_job
from leaderboard.live.service.limits import Visitor, visitor_at
from leaderboard.live.service.live import Live
from leaderboard.pages.widgets import PRIVATE, Update
from qbench.errors import UserError

LIVE: dict[str, Any] = {"concurrency_limit": 20, "concurrency_id": "live"}
"""Of events that ask models. Visitors queue at the models, where they are told their place, and not in Gradio."""
PRIVATE_LIVE: dict[str, Any] = {**PRIVATE, **LIVE}
REPLACING: dict[str, Any] = {**PRIVATE_LIVE, "trigger_mode": "multiple"}
"""Of buttons that may be pressed while what they asked before goes on, which then says nothing more: see `follow`."""
Asked: TypeAlias = Update | tuple[Job[Any], Callable[[Any], Update]]
StateT = TypeVar("StateT")
NumberT = TypeVar("NumberT", gr.Number, gr.Slider)


def ask_by(
    events: Sequence[Any],
    live: Live,
    kind: str,
    ask: Callable[..., Asked],
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    stop: gr.Button | None = None,
    *,
    changes: bool = False,
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
        changes: Whether the events are changes of the inputs, of which the last counts. Gradio keeps a change back
            until the work before it is through, and asks for what is chosen then; so each change ends that work, too.
            A request that comes late, and ends what was asked since, does no harm: its own change follows it.
    """
    shown: dict[str, object] = {}

    def with_stop(update: Update, *, going: bool) -> Update:
        return {**update, stop: gr.Button(stop.value, visible=going)} if stop else update

    def end(visitor: Visitor) -> None:
        shown.pop(visitor.session, None)
        live.visits.cancel(visitor, kind, replaced=True)

    def begin(request: gr.Request, *values: Any) -> Iterator[Any]:
        visitor = visitor_of(request)
        asked = ask(visitor, *values)
        if isinstance(asked, dict):
            end(visitor)
            yield with_stop(asked, going=False)
            return
        job, view = asked
        states = stream_job(live, visitor, kind, job)
        yield from follow(shown, visitor.session, states, lambda state: with_stop(view(state), going=not state.ended))

    def change(request: gr.Request) -> None:
        end(visitor_of(request))

    if changes:
        gr.on(events, change, queue=False, **PRIVATE)
    how = PRIVATE_LIVE if changes else REPLACING
    gr.on(events, begin, [*inputs], [*outputs, *([stop] if stop else [])], **how)
    if stop:
        stop_by(stop, live, kind)


def stop_by(button: gr.Button, live: Live, kind: str) -> None:
    def stop(request: gr.Request) -> None:
        live.visits.cancel(visitor_of(request), kind)

    button.click(stop, **PRIVATE, queue=False)


def follow(
    shown: dict[str, object], session: str, states: Iterable[StateT], view: Callable[[StateT], Update]
) -> Iterator[Any]:
    """What a page shows after each state of a job, by component, until it shows what was asked since.

    Then the last update changes nothing: Gradio sends the last one again when a function ends, which would stand over
    what took its place.

    Args:
        shown: Session of a page -> what it shows now.
        session: Of this page.
        states: Of the job.
        view: What is shown of each.
    """
    this = shown[session] = object()
    try:
        for state in states:
            if shown.get(session) is not this:
                break
            yield view(state)
        if shown.get(session) is not this:
            yield gr.skip()
    finally:
        if shown.get(session) is this:
            del shown[session]


def asking_text(live: Live, name: str) -> str:
    """What is going on while a model has not answered; loading its weights takes seconds."""
    return f"{'Asking' if live.models.is_ready(name) else 'Loading'} {name} …"


def visitor_of(request: gr.Request) -> Visitor:
    """Who asks. The web server tells the address, and behind a proxy that is believed the one that this forwards."""
    return visitor_at(request.session_hash, request.client.host if request.client else None)


def add_endpoint(name: str, answer: Callable[..., Any], inputs: Sequence[Any], queue: Mapping[str, Any] = LIVE) -> None:
    """Let scripts ask; the tool of MCP is called as the function is."""
    answer.__name__ = name
    gr.Button(visible=False).click(answer, [*inputs], gr.JSON(visible=False), api_name=name, **queue)


def result_of(live: Live, request: gr.Request, kind: str, job: Job[ResultT]) -> ResultT:
    """What an endpoint answers: the result of a job, or a gr.Error where it failed or was cancelled."""
    for state in stream_job(live, visitor_of(request), kind, job):
        if state.failure is not None:
            raise refused(not_done(state.failure))
        if state.result is not None:
            return state.result
    raise refused(CANCELLED)


def refused(sentence: str) -> gr.Error:
    """What an endpoint answers to a request whose refusal the log has already; for any other, raise `UserError`."""
    return gr.Error(sentence, print_exception=False)


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
    """The names that an endpoint is given, or a UserError: of a text every letter would be a name."""
    if not isinstance(sent, list) or not all(isinstance(name, str) for name in sent):
        raise UserError(f'{what} is a list of names, such as ["nano-iqa", "nano-vlm"]')
    return sent


def given_file(path: str | None) -> Path:
    """The file that the caller of an endpoint gave, or a UserError where there is none."""
    if not path:
        raise UserError("there is no file; give one")
    return Path(path)
