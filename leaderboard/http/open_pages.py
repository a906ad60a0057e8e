"""Pages that are open, each by a connection that Gradio's script keeps: whoever closes one leaves.

Gradio has an event for that, which takes a tenth of a second of the thread that answers everybody: 500 connections
closed at once kept the server from answering for a minute. And one address may have only so many.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable

from leaderboard.events import log_event
from leaderboard.http.asgi import AsgiApp, Receive, Scope, Send
from leaderboard.live.service.limits import Visitor, visitor_at

MOST_OPEN = 100
"""Pages of one address; a class behind one router has fewer."""
MOST_OPEN_OF_ALL = 2000
"""Pages of everybody, each of which takes 60 kB."""
MOST_AT_ONCE = 400
"""Other requests of one address that are not answered whole, of which some wait for as long as their sender does."""
MOST_OF_ALL = 4000
_HEARTBEAT = re.compile(r"/heartbeat/([^/]+)/?")


class OpenPages:
    """An ASGI middleware.

    Args:
        app: What answers the requests.
        leave: Told whose page was closed.
    """

    def __init__(self, app: AsgiApp, leave: Callable[[Visitor], object]) -> None:
        self._app = app
        self._leave = leave
        self._open: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        found = _HEARTBEAT.search(scope["path"])
        visitor = visitor_at(found[1] if found else "", scope["client"][0] if scope.get("client") else None)
        kind, most, of_all = ("page", MOST_OPEN, MOST_OPEN_OF_ALL) if found else ("request", MOST_AT_ONCE, MOST_OF_ALL)
        bounds = {f"{kind} {visitor.place}": most, f"{kind} around {visitor.network}": 4 * most, kind: of_all}
        if any(self._open[whose] >= bound for whose, bound in bounds.items()):
            log_event("refusal", kind=kind, status=429)
            await send({"type": "http.response.start", "status": 429, "headers": [(b"content-length", b"0")]})
            await send({"type": "http.response.body", "body": b""})
            return
        self._open.update(bounds.keys())
        try:
            await self._app(scope, receive, send)
        finally:
            for whose in bounds:
                self._open[whose] -= 1
                if not self._open[whose]:
                    del self._open[whose]
            if found:
                # Not waited for: it deletes files, and this may be cancelled.
                asyncio.get_running_loop().run_in_executor(None, self._leave, visitor)
