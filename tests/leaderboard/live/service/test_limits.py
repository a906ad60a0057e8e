from __future__ import annotations

import math
import time
from collections.abc import Callable

import pytest

from leaderboard.account import BOUNDS, HOUR, Account, Bound
from leaderboard.live.service.limits import Visitor, Visits, visitor_at
from qbench.errors import UserError
from qbench.runner import Cancelled

ME, ALSO_ME, SOMEBODY = Visitor("page", "home"), Visitor("second page", "home"), Visitor("theirs", "away")


def test_one_visitor_has_many_addresses_of_ipv6_and_one_of_ipv4_kept_as_its_digest_alone() -> None:
    """Whoever has a /64 would else be another visitor with each request."""
    visitor = visitor_at("page", "203.0.113.7")
    assert "203" not in repr(visitor)
    assert visitor.place == visitor_at("other page", "203.0.113.7").place != visitor_at("page", "203.0.113.8").place
    first, second, other = (visitor_at("", f"2001:db8:1:{rest}") for rest in ("7::1", "7:ffff::2", "8::1"))
    assert first.place == second.place != other.place
    assert first.network == other.network != visitor_at("", "2001:db8:2:7::1").network
    assert visitor_at("page", "::ffff:203.0.113.7") == visitor
    assert visitor.network != visitor_at("", "::ffff:198.51.100.7").network
    assert visitor_at("", "no address").place == visitor_at("", "no address").network


def limited(seconds: float, clock: Callable[[], float] = time.monotonic) -> Visits:
    """One visitor has so many seconds in an hour, as the app has it where they are limited."""
    bound = Bound(seconds, 4 * seconds, math.inf, "")
    return Visits(Account({**BOUNDS, "seconds": bound}, clock))


def test_a_network_has_four_times_what_a_visitor_has() -> None:
    now = 1000.0
    visits = limited(100, lambda: now)
    for number in range(4):
        with visits.begin(visitor_at("", f"203.0.113.{number}"), "run") as work:
            work.spend(100)
    with pytest.raises(UserError, match="one network, has in an hour"), visits.begin(visitor_at("", "203.0.113.9"), ""):
        pass
    with visits.begin(visitor_at("", "198.51.100.1"), "run"):
        pass
    now += HOUR + 1
    with visits.begin(visitor_at("", "203.0.113.9"), "run"):
        pass


def test_cancelling_reaches_one_kind_or_all_of_a_page_and_nobody_else() -> None:
    visits = Visits()
    with visits.begin(ME, "probe") as probe, visits.begin(ME, "run") as run, visits.begin(SOMEBODY, "run") as theirs:
        visits.cancel(ME, "run")
        assert [work.cancel.is_set() for work in (probe, run, theirs)] == [False, True, False]
        visits.cancel(ME)
        assert [work.cancel.is_set() for work in (probe, run, theirs)] == [True, True, False]
        with pytest.raises(Cancelled):
            probe.check()


def test_an_hour_s_seconds_come_back() -> None:
    now = 1000.0
    visits = limited(100, lambda: now)
    with visits.begin(ME, "run") as work:
        work.spend(100)
    now += HOUR + 1
    with visits.begin(ME, "probe") as work:
        work.spend(99)
        work.check()
        work.spend(1)
        with pytest.raises(UserError, match="in an hour of the models here are used up"):
            work.check()


def test_work_that_goes_on_side_by_side_shares_the_hour() -> None:
    visits = limited(90)
    with (
        visits.begin(ME, "run") as run,
        visits.begin(ALSO_ME, "run") as also,
        visits.begin(ALSO_ME, "pair") as more,
        visits.begin(SOMEBODY, "run") as theirs,
    ):
        for work in (run, also, more):
            work.spend(29)
        also.check()
        more.spend(3)
        for work in (run, also):
            with pytest.raises(UserError, match=r"^the seconds that one visitor, or one network, has .* are used up"):
                work.check()
        with pytest.raises(UserError, match="in an hour"), visits.begin(ME, "probe"):
            pass
        theirs.check()
