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

MOST_OPEN = 100
"""Pages of one address; a class behind one router has fewer."""
_HEARTBEAT = re.compile(r"/heartbeat/([^/]+)/?")


class OpenPages:
    """An ASGI middleware.

    Args:
        app: What answers the requests.
        leave: Told the session and the address of a page that was closed.
    """

    def __init__(self, app: AsgiApp, leave: Callable[[str, str | None], None]) -> None:
        self._app = app
        self._leave = leave
        self._open: Counter[str | None] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = _HEARTBEAT.search(scope["path"]) if scope["type"] == "http" else None
        if found is None:
            await self._app(scope, receive, send)
            return
        address = scope["client"][0] if scope.get("client") else None
        if self._open[address] >= MOST_OPEN:
            log_event("refusal", kind="page", status=429)
            await send({"type": "http.response.start", "status": 429, "headers": [(b"content-length", b"0")]})
            await send({"type": "http.response.body", "body": b""})
            return
        self._open[address] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]
            # Not waited for: it deletes files, and this may be cancelled.
            asyncio.get_running_loop().run_in_executor(None, self._leave, found[1], address)
