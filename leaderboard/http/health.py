"""What whoever keeps the server running asks of it: `/healthz`, and `/metrics` for Prometheus where that is turned on.

Numbers of this process alone, without names, addresses or contents.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping

from leaderboard.http.asgi import AsgiApp, Message, Receive, Scope, Send

REFUSED = (400, 403, 413, 429, 503)
HELP = {
    "qbench_requests_total": "Requests answered, by status.",
    "qbench_refused_total": "Requests refused: too large, malformed, from other web pages, or too many.",
    "qbench_model_seconds_total": "Seconds that visitors' work had at the models.",
    "qbench_work_going_on": "Pieces of visitors' work that go on or wait for a model.",
    "qbench_submissions_waiting": "Submissions that wait for review.",
    "qbench_submissions": "Submissions on the board.",
    "qbench_store_unsent": "Files that wait to be sent to the Hub.",
    "qbench_store_lag_seconds": "Seconds since the Hub was last in step with this server; 0 without one.",
    "qbench_store_problems": "Files or records that could not be read, faults of sending to the Hub, no store at all.",
}

_TOLD = {
    "problems": "store_problems",
    "waiting": "submissions_waiting",
    "unsent": "store_unsent",
    "lag_seconds": "store_lag_seconds",
}
"""What `/healthz` says."""


class Health:
    """An ASGI middleware.

    Args:
        app: What answers everything else.
        gauges: The state of the board at this moment; raises where it cannot be read.
        metrics: Whether `/metrics` is there.
    """

    def __init__(self, app: AsgiApp, gauges: Callable[[], Mapping[str, float]], metrics: bool) -> None:
        self._app = app
        self._gauges = gauges
        self._metrics = metrics
        self._statuses: Counter[int] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path") if scope["type"] == "http" and scope["method"] == "GET" else None
        if path == "/healthz":
            await self._answer(send, *self._health())
        elif path == "/metrics" and self._metrics:
            await self._answer(send, 200, self.page(), b"text/plain; version=0.0.4; charset=utf-8")
        else:
            await self._app(scope, receive, self._counted(send) if scope["type"] == "http" else send)

    def page(self) -> str:
        """Counters and gauges in Prometheus' text format."""
        refused = sum(self._statuses[status] for status in REFUSED)
        values = {**self._gauges(), "qbench_refused_total": float(refused)}
        lines = []
        for name, said in HELP.items():
            kind = "counter" if name.endswith("_total") else "gauge"
            lines += [f"# HELP {name} {said}", f"# TYPE {name} {kind}"]
            if name == "qbench_requests_total":
                lines += [f'{name}{{status="{status}"}} {count}' for status, count in sorted(self._statuses.items())]
            else:
                lines.append(f"{name} {values[name]:g}")
        return "\n".join(lines) + "\n"

    def _health(self) -> tuple[int, str]:
        try:
            gauges = self._gauges()
        except Exception as fault:  # noqa: BLE001 - whatever it is, this server is not well
            return 503, json.dumps({"status": "the board cannot be read", "fault": type(fault).__name__})
        told = {name: int(gauges[f"qbench_{key}"]) for name, key in _TOLD.items()}
        return 200, json.dumps({"status": "ok", **told})

    def _counted(self, send: Send) -> Send:
        async def send_counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._statuses[message["status"]] += 1
            await send(message)

        return send_counted

    async def _answer(self, send: Send, status: int, text: str, kind: bytes = b"application/json") -> None:
        body = text.encode()
        headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})
