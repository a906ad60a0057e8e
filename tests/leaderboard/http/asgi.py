"""Asks an app without a server before it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


async def ask(
    app: Any, path: str, headers: Mapping[str, str] | None = None, receive: Any = None, /, **scope: Any
) -> tuple[int, bytes]:
    """Status, 0 where it answers nothing, and body."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    named = [(name.lower().encode(), value.encode()) for name, value in (headers or {}).items()]
    told = {"type": "http", "method": "GET", "path": path, "scheme": "http", "query_string": b"", "headers": named}
    await app({**told, **scope}, receive, send)
    status = next((message["status"] for message in sent if "status" in message), 0)
    return status, b"".join(message.get("body", b"") for message in sent)
