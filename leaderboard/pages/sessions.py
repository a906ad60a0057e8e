"""What Gradio keeps in memory of each page and each script that ever asked: little, and of so many alone.

It forgets none until there are more than a number, and of each keeps the settings of all components, 0.6 MB, for links
to a view, which the pages have of their own. Results wait until somebody reads them: 1,200 that nobody read kept
231 MB for good.
"""

from __future__ import annotations

import time
from asyncio import Queue
from copy import copy
from typing import Any, ClassVar
from weakref import WeakSet

import orjson
from gradio import queueing, state_holder

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
