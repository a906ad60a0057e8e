"""What visitors are told, and what the log says, of errors that no page expects.

Gradio answers them with `{"error": null}`, and writes their tracebacks with whatever was sent, line breaks too. Here
what does not fit a component is refused in a sentence and is one line; an error of the app's own code is a sentence
too, and its traceback is logged without its message, which may quote what was given.
"""

from __future__ import annotations

import logging
import sys
from types import SimpleNamespace
from typing import Any

from gradio import Error, queueing, routes, utils
from starlette.responses import JSONResponse

from leaderboard.events import is_ours, log_fault, log_refusal

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
    if isinstance(fault, Error):
        return JSONResponse({"detail": fault.message, "error": fault.message}, 400)
    return JSONResponse({"detail": NOT_FITTING, "error": NOT_FITTING}, 500)


def _log_raised(*_: object, **__: object) -> None:
    fault = sys.exc_info()[1]
    if fault is not None:
        log_fault(fault)


def _payload(error: BaseException | None, show_error: bool) -> dict[str, Any]:
    made: dict[str, Any] = _GRADIOS(error, show_error)
    if made.get("error") is None:
        made["error"] = FAULT if error is not None and is_ours(error) else NOT_FITTING
    return made


def _without_contents(record: logging.LogRecord) -> bool:
    """Logs an error that reached the web server in the same form, instead of its traceback."""
    fault = record.exc_info[1] if record.exc_info else None
    if fault is None:
        return True
    if isinstance(fault, Error):
        log_refusal(fault)
    else:
        log_fault(fault)
    return False


_GRADIOS = utils.error_payload
"""Gradio's own, for messages that are meant to be shown."""
