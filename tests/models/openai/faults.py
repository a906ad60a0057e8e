"""What the OpenAI-like server of the tests can do instead of answering rightly."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.models.openai.server import Handler

Fault = Callable[["Handler", Any], None]


def _status(status: int, message: str, code: str | None = None, **headers: str) -> Fault:
    return lambda handler, _: handler.send(status, {"error": {"message": message, "code": code}}, **headers)


def _body(body: bytes, status: int = 200) -> Fault:
    return lambda handler, _: handler.send(status, body)


def _changed(change: Callable[[Any], Any]) -> Fault:
    """The right answer with something about it changed."""

    def serve(handler: Handler, payload: Any) -> None:
        reply = handler.owner.chat(payload)
        handler.send(200, change(reply) or reply)

    return serve


def _message(**fields: Any) -> Fault:
    return _changed(lambda reply: reply["choices"][0]["message"].update(fields))


def _choice(**fields: Any) -> Fault:
    return _changed(lambda reply: reply["choices"][0].update(fields))


def _token(**fields: Any) -> Fault:
    """The first token's own, where there are log-probabilities."""
    return _changed(lambda reply: reply["choices"][0]["logprobs"]["content"][0].update(fields))


def _cut(handler: Handler, payload: Any) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(json.dumps(handler.owner.chat(payload)).encode()[:50])
    handler.close_connection = True


def _dropped(handler: Handler, _: Any) -> None:
    handler.close_connection = True


def _slow(handler: Handler, payload: Any) -> None:
    handler.owner.waiting.set()
    handler.owner.release.wait(10)
    handler.send(200, handler.owner.chat(payload))


def _trickling(handler: Handler, payload: Any) -> None:
    """The right answer, too late: each byte comes in time and all of them do not."""
    answer = json.dumps(handler.owner.chat(payload)).encode()
    handler.send_response(200)
    handler.send_header("Content-Length", str(100 + len(answer)))
    handler.end_headers()
    for _number in range(100):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        if handler.owner.release.wait(0.02):
            return
    handler.wfile.write(answer)


@cache
def _packed() -> bytes:
    return gzip.compress(bytes(200 * 2**20), 1)


def _bomb(handler: Handler, _: Any) -> None:
    body = _packed()
    handler.send_response(200)
    handler.send_header("Content-Encoding", "gzip")
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def _endless(handler: Handler, _: Any) -> None:
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    block = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
    while True:
        handler.wfile.write(block)


def _echo(handler: Handler, _: Any) -> None:
    """Repeats the key where a cut or markup could hide it from a simple search."""
    said = f"{'x' * 160}{handler.headers['Authorization']}<b>{handler.headers['Authorization']}</b>\x1b[31m"
    handler.send(400, {"error": {"message": said}})


_DEEP = b"[" * 100_000 + b"]" * 100_000
_PAGE = b"<html><head><title>502 Bad Gateway</title><style>h1 {}</style></head><body><h1>nginx</h1></body></html>"

FAULTS: Mapping[str, Fault] = {
    "nothing": _changed(lambda _: None),
    "429": _status(429, "Rate limit reached", "rate_limit_exceeded", Retry_After="7"),
    "429 for ever": _status(429, "Slow down", Retry_After="1e300"),
    "no credit": _status(429, "You exceeded your current quota", "insufficient_quota"),
    "500": _status(500, "Internal error"),
    "503": _status(503, "Loading", Retry_After="3"),
    "400": _status(400, "This model's maximum context length is 4096 tokens."),
    "filtered": _status(400, "The response was filtered", "content_filter"),
    "redirect": _status(302, "Moved", Location="http://127.0.0.1:1/v1"),
    "detail": lambda handler, _: handler.send(422, {"detail": [{"loc": ["body"], "msg": "wrong"}]}),
    "deep error": _body(_DEEP, 400),
    "page with 502": _body(_PAGE, 502),
    "page with 200": _body(_PAGE),
    "echo": _echo,
    "cut": _cut,
    "dropped": _dropped,
    "slow": _slow,
    "trickling": _trickling,
    "bomb": _bomb,
    "endless": _endless,
    "malformed": _body(b'{"choices": [{"message": {"content": "go'),
    "empty": _body(b""),
    "deep": _body(_DEEP),
    "a list": _body(b"[]"),
    "lone surrogate": _body(b'{"choices": [{"message": {"content": "\\ud800"}}]}'),
    "no choices": _changed(lambda reply: reply.update(choices=[])),
    "two choices": _changed(lambda reply: reply.update(choices=reply["choices"] * 2)),
    "no message": _choice(message=None),
    "content is a number": _message(content=5),
    "refusal": _message(content=None, refusal="I can't help with that."),
    "cut off by the filter": _choice(finish_reason="content_filter"),
    "thought too long": _message(content=None),
    "no logprobs": _choice(logprobs=None),
    "top list null": _token(top_logprobs=None),
    "logprob is text": _token(logprob="high"),
    "logprobs are NaN": _token(logprob=float("inf"), top_logprobs=[{"token": "good", "logprob": float("nan")}]),
    "usage is nonsense": _changed(
        lambda reply: reply.update(usage={"prompt_tokens": "many", "completion_tokens": 10**400, "cost": -1})
    ),
    "tells the cost": _changed(lambda reply: reply["usage"].update(cost=0.5)),
    "another prompt": _changed(lambda reply: reply.update(prompt_text="<|user|>hello<|end|><|assistant|>")),
}
"""Name -> what is served instead of the right answer."""
