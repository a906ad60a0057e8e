"""What Gradio does otherwise in this process: plain words for errors, and little memory for each visitor.

It answers errors that no page expects with `{"error": null}`, and writes their tracebacks with whatever was sent, line
breaks too. Here what does not fit a component is refused in a sentence and is one line; an error of the app's own code
is a sentence too, and its traceback is logged without its message, which may quote what was given.

Of each page and script that ever asked it keeps the settings of all components, 0.6 MB, for links to a view, which the
pages have of their own. Results wait until somebody reads them: 1,200 that nobody read kept 231 MB for good.
"""

from __future__ import annotations

import logging
import sys
import time
from asyncio import Queue
from copy import copy
from types import SimpleNamespace
from typing import Any, ClassVar
from weakref import WeakSet

import orjson
from gradio import queueing, routes, state_holder, utils
from starlette.responses import JSONResponse

from leaderboard.events import is_ours, log_fault, log_refusal
from qbench.errors import UserError

NOT_FITTING = "what was sent does not fit this request; see the foot of its page for how scripts ask"
FAULT = "something went wrong on the server and was logged there; try it otherwise, or come back later"


def tell_plainly() -> None:
    """Have Gradio say so, in this process."""
    printing: Any = SimpleNamespace(print_exc=_log_raised)
    for module in (queueing, routes):
        module.traceback = printing
    queueing.error_payload = _payload
    routes.utils.error_payload = _payload
    logging.getLogger("uvicorn.error").addFilter(_without_contents)


async def answer_fault(_request: object, fault: Exception) -> JSONResponse:
    """What a request is answered that Gradio itself has no answer to, such as one for an endpoint that is not there."""
    if isinstance(fault, UserError):
        return JSONResponse({"detail": str(fault), "error": str(fault)}, 400)
    return JSONResponse({"detail": NOT_FITTING, "error": NOT_FITTING}, 500)


def _log_raised(*_: object, **__: object) -> None:
    if (fault := sys.exc_info()[1]) is not None:
        (log_refusal if isinstance(fault, UserError) else log_fault)(fault)


def _payload(error: BaseException | None, show_error: bool) -> dict[str, Any]:
    made: dict[str, Any] = _GRADIOS(error, show_error)
    if isinstance(error, UserError):
        made["error"] = str(error)
    elif made.get("error") is None:
        made["error"] = FAULT if error is not None and is_ours(error) else NOT_FITTING
    return made


def _without_contents(record: logging.LogRecord) -> bool:
    """Logs an error that reached the web server in the same form, instead of its traceback."""
    fault = record.exc_info[1] if record.exc_info else None
    if fault is None:
        return True
    (log_refusal if isinstance(fault, UserError) else log_fault)(fault)
    return False


_GRADIOS = utils.error_payload
"""Gradio's own, for messages that are meant to be shown."""


MOST_SESSIONS = 2000
"""The one that asked longest ago gives way: its page asks anew, without what it had kept on the server."""
MOST_UNREAD = 8 * 2**20
"""Bytes of results of one session that wait to be read; the largest result has a tenth."""
MOST_UNREAD_OF_ALL = 64 * 2**20
UNREAD = {"error": "the result was not read, and is kept no longer; ask again, and read what comes"}
_MESSAGE = 1000
"""Bytes of a message beside its result."""


class Mailbox(Queue[Any]):
    """Messages of a session that wait to be read, within bounds; those of all sessions that are left are known."""

    boxes: ClassVar[WeakSet[Mailbox]] = WeakSet()

    def __init__(self) -> None:
        super().__init__()
        self.unread: list[int] = []
        """Bytes of each message."""
        self.since = 0.0
        """When the oldest of them came."""
        self.boxes.add(self)

    def _put(self, item: Any) -> None:
        output = getattr(item, "output", None)
        size = len(orjson.dumps(output, default=str, option=orjson.OPT_NON_STR_KEYS)) if output else 0
        self.since = self.since if self.unread else time.monotonic()
        self.unread.append(size + _MESSAGE)
        super()._put(item)
        if sum(self.unread) > MOST_UNREAD:
            self.drop()
        if size and sum(sum(box.unread) for box in self.boxes) > MOST_UNREAD_OF_ALL:
            min((box for box in self.boxes if max(box.unread, default=0) > _MESSAGE), key=lambda box: box.since).drop()

    def _get(self) -> Any:
        self.unread.pop(0)
        self.since = time.monotonic()
        return super()._get()

    def drop(self) -> None:
        """Keep the last messages without their results, so that whoever reads them hears of it."""
        messages: Any = self._queue  # type: ignore[attr-defined]  # the standard library's deque
        while len(messages) > MOST_UNREAD // _MESSAGE // 2:
            messages.popleft()
        for message in messages:
            if getattr(message, "output", None):
                message.output, message.success = UNREAD, False
        self.unread = [_MESSAGE] * len(messages)


class LittleQueue(queueing.Queue):  # type: ignore[misc]  # Gradio is not typed
    """Gradio's own, which forgets the work of sessions that it has forgotten."""

    async def push(self, *given: Any, **named: Any) -> Any:
        for session in self.pending_event_ids_session.keys() - self.pending_messages_per_session.keys():
            del self.pending_event_ids_session[session]
        return await super().push(*given, **named)


def keep_little_of_sessions() -> None:
    """Have Gradio keep no settings of components, and few results, in this process."""
    module: Any = state_holder
    module.copy = _without_settings
    module = queueing
    module.AsyncQueue, module.Queue = Mailbox, LittleQueue


def _without_settings(config: Any) -> Any:
    made = copy(config)
    made.config_for_block = lambda *_of_a_component: {}
    return made
