"""Pages that stay open and requests that wait: so many of an address, of a network and of everybody."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from leaderboard.http import open_pages
from leaderboard.http.open_pages import MOST_OPEN, OpenPages
from leaderboard.live.service.limits import Visitor, visitor_at


def test_whoever_closes_a_page_leaves_and_one_address_has_so_many_open() -> None:
    left: list[Visitor] = []
    sent: list[Any] = []
    closed = asyncio.Event()

    async def heartbeat(_scope: object, _receive: object, _send: object) -> None:
        await closed.wait()

    async def note(message: Any) -> None:
        sent.append(message)

    async def visit() -> None:
        pages = OpenPages(heartbeat, left.append)

        def opened(session: str, address: str) -> Any:
            path = f"/gradio_api/heartbeat/{session}"
            return pages({"type": "http", "path": path, "client": (address, 1)}, None, note)  # type: ignore[arg-type]

        going = [asyncio.create_task(opened(f"page {k}", "1.2.3.4")) for k in range(MOST_OPEN)]
        await asyncio.sleep(0)
        await opened("one more", "1.2.3.4")
        assert (sent[0]["status"], left) == (429, [])
        other = asyncio.create_task(opened("another's", "5.6.7.8"))
        await asyncio.sleep(0)
        closed.set()
        await asyncio.gather(*going, other)
        assert (len(sent), pages._open) == (2, {})
        await opened("later", "1.2.3.4")
        await asyncio.get_running_loop().shutdown_default_executor()

    asyncio.run(visit())
    assert len(left) == MOST_OPEN + 2
    named = [("page 0", "1.2.3.4"), ("another's", "5.6.7.8"), ("later", "1.2.3.4")]
    assert {visitor_at(*page) for page in named} <= set(left)


def test_pages_of_a_network_and_of_everybody_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_pages, "MOST_OPEN", 2)
    monkeypatch.setattr(open_pages, "MOST_OPEN_OF_ALL", 10)
    refused: list[str] = []

    async def visit() -> None:
        closed = asyncio.Event()

        async def heartbeat(_scope: object, _receive: object, _send: object) -> None:
            await closed.wait()

        pages = OpenPages(heartbeat, lambda _visitor: None)

        async def open_one(address: str) -> None:
            async def note(message: Any) -> None:
                if "status" in message:
                    refused.append(address)

            path = "/gradio_api/heartbeat/page"
            await pages({"type": "http", "path": path, "client": (address, 1)}, None, note)  # type: ignore[arg-type]

        addresses = [f"1.2.3.{number}" for number in range(9)] + ["5.6.7.8", "9.9.9.9", "8.8.8.8"]
        going = [asyncio.create_task(open_one(address)) for address in addresses]
        for _ in range(3):
            await asyncio.sleep(0)
        closed.set()
        await asyncio.gather(*going)
        await asyncio.get_running_loop().shutdown_default_executor()

    asyncio.run(visit())
    assert refused == ["1.2.3.8", "8.8.8.8"]


def test_requests_that_wait_are_bounded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_pages, "MOST_AT_ONCE", 3)
    statuses: list[int] = []

    async def visit() -> None:
        closed = asyncio.Event()

        async def wait(_scope: object, _receive: object, _send: object) -> None:
            await closed.wait()

        pages = OpenPages(wait, lambda _visitor: None)

        async def note(message: Any) -> None:
            if "status" in message:
                statuses.append(message["status"])

        def ask(address: str) -> asyncio.Task[None]:
            scope = {"type": "http", "path": "/gradio_api/queue/data", "client": (address, 1)}
            return asyncio.create_task(pages(scope, None, note))  # type: ignore[arg-type]

        going = [ask(address) for address in ("2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8::4", "1.2.3.4")]
        for _ in range(3):
            await asyncio.sleep(0)
        assert statuses == [429]
        closed.set()
        await asyncio.gather(*going)
        assert pages._open == {}

    asyncio.run(visit())
