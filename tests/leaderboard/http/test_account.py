"""What is held: so much of an address, of a network and of everybody; and whose page was closed."""

from __future__ import annotations

import asyncio

import pytest

from leaderboard.account import BOUNDS, HOUR, Account, Bound, FullError
from leaderboard.http.request_limits import RequestLimits
from leaderboard.live.service.limits import Visitor, senders_at, visitor_at
from tests.leaderboard.conftest import ask

MOST_OPEN = BOUNDS["page"].own


def test_bounds_of_an_address_of_a_network_and_of_all() -> None:
    account = Account({"upload": Bound(4, 8, 16, "full")}, lambda: now)
    now = 0.0

    def upload(address: str, amount: int = 1) -> bool:
        try:
            with account.hold("upload", senders_at(address), amount):
                pass
        except FullError:
            return False
        account.keep("upload", senders_at(address), amount)
        return True

    assert [upload("1.1.1.1") for _ in range(5)] == [True] * 4 + [False]
    assert [upload(f"1.1.1.{number}") for number in range(2, 8)] == [True] * 4 + [False] * 2
    assert [upload(f"1.{number}.2.1") for number in range(9)] == [True] * 8 + [False]
    now = HOUR
    assert [upload("2001:db8::1", 5), upload("2001:db8::2", 3), upload("2001:db8::3", 2)] == [False, True, False]
    now = 2 * HOUR
    assert upload("1.1.1.1", 4)
    now = 3 * HOUR
    assert upload("1.1.1.1")
    assert sorted(account.held.values()) == [1, 1, 1]


def test_what_others_know_of_counts_too() -> None:
    account = Account({"work": Bound(2, 3, 9, "full")})
    one, near = senders_at("1.1.1.1"), senders_at("1.1.1.2")
    with account.hold("work", one, beside=[one, senders_at("9.9.9.9")]):
        with pytest.raises(FullError, match="full"), account.hold("work", one, beside=[one]):
            pass
        with pytest.raises(FullError), account.hold("work", near, beside=[near, one]):
            pass
    with account.hold("work", one, beside=[one]):
        pass
    assert not account.held


def test_whoever_closes_a_page_leaves_and_one_address_has_so_many_open() -> None:
    left: list[Visitor] = []

    async def visit() -> None:
        closed = asyncio.Event()

        async def heartbeat(_scope: object, _receive: object, _send: object) -> None:
            await closed.wait()

        account = Account()
        pages = RequestLimits(heartbeat, 2**20, account, left.append)

        async def open_at(address: str, page: str, path: str = "/gradio_api/heartbeat/") -> int:
            return (await ask(pages, path + page, client=(address, 1)))[0]

        going = [asyncio.create_task(open_at("1.2.3.4", f"page {k}")) for k in range(MOST_OPEN)]
        await asyncio.sleep(0)
        assert (await open_at("1.2.3.4", "one more"), left) == (429, [])
        going.append(asyncio.create_task(open_at("5.6.7.8", "another's")))
        going.append(asyncio.create_task(open_at("1.2.3.4", "page", "/gradio_api/file=/heartbeat/")))
        await asyncio.sleep(0)
        assert (account.held["request", "all"], account.held["page", "all"]) == (1, MOST_OPEN + 1)
        closed.set()
        assert (sum(await asyncio.gather(*going)), account.held) == (0, {})
        await open_at("1.2.3.4", "later")
        await asyncio.get_running_loop().shutdown_default_executor()

    asyncio.run(visit())
    assert len(left) == MOST_OPEN + 2  # the address that only looks like that of a page closed none
    named = [("page 0", "1.2.3.4"), ("another's", "5.6.7.8"), ("later", "1.2.3.4")]
    assert {visitor_at(*one) for one in named} <= set(left)
