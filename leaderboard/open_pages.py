"""Pages that are open, each by a connection that Gradio's script keeps: whoever closes one leaves.

Gradio has an event for that, which takes a tenth of a second of the thread that answers everybody: 500 connections
closed at once kept the server from answering for a minute. And one address may have only so many.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable

from leaderboard.asgi import AsgiApp, Receive, Scope, Send
from leaderboard.events import log_event
from leaderboard.live.service.limits import Visitor, visitor_at

MOST_OPEN = 100
"""Pages of one address; a class behind one router has fewer."""
MOST_OPEN_OF_ALL = 2000
"""Pages of everybody, each of which takes 60 kB."""
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
        self._all = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = _HEARTBEAT.search(scope["path"]) if scope["type"] == "http" else None
        if found is None:
            await self._app(scope, receive, send)
            return
        address = scope["client"][0] if scope.get("client") else None
        visitor = visitor_at(found[1], address)
        own, network = visitor.place, f"network {visitor.network}"
        if self._open[own] >= MOST_OPEN or self._open[network] >= 4 * MOST_OPEN or self._all >= MOST_OPEN_OF_ALL:
            log_event("refusal", kind="page", status=429)
            await send({"type": "http.response.start", "status": 429, "headers": [(b"content-length", b"0")]})
            await send({"type": "http.response.body", "body": b""})
            return
        self._all += 1
        self._open.update((own, network))
        try:
            await self._app(scope, receive, send)
        finally:
            self._all -= 1
            self._open.subtract((own, network))
            self._open = +self._open  # without those that have none open
            # Not waited for: it deletes files, and this may be cancelled.
            asyncio.get_running_loop().run_in_executor(None, self._leave, visitor)
