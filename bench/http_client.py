"""A small HTTP client that asks as fast as it is answered, so that a bench measures the server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Reply:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    size: int


class Connection:
    """One connection that is kept open."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self._host, self._port = parts.hostname or "", parts.port or 80

    async def get(self, path: str, more: str = "") -> Reply:
        """Ask for a path as a browser does; `more` are further header lines."""
        if not hasattr(self, "_reader"):
            self._reader, self._writer = await asyncio.open_connection(self._host, self._port, limit=2**24)
        host = f"{self._host}:{self._port}"
        asked = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nAccept-Encoding: gzip, br\r\n{more}\r\n"
        self._writer.write(asked.encode())
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
        size = int(headers.get("content-length", 0))
        if size:
            await self._reader.readexactly(size)
        return Reply(int(head[0].split()[1]), headers, size)

    def close(self) -> None:
        """Leave."""
        if hasattr(self, "_writer"):
            self._writer.close()


async def ask(address: str, path: str, seconds: float, clients: int = 16, more: str = "", status: int = 200) -> int:
    """How often a server answers when `clients` ask again as soon as they are answered."""
    until = time.perf_counter() + seconds
    answered = 0

    async def client() -> None:
        nonlocal answered
        connection = Connection(address)
        while time.perf_counter() < until:
            reply = await connection.get(path, more)
            assert reply.status == status, f"{path}: {reply.status}"
            answered += 1
        connection.close()

    await asyncio.gather(*(client() for _ in range(clients)))
    return answered
