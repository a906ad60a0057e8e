"""Which models are lent, one at a time; what is held of an address, a network and everybody; whose page was closed."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import pytest

from leaderboard.account import BOUNDS, HOUR, Account, Bound, FullError
from leaderboard.http.request_limits import RequestLimits
from leaderboard.live.service.limits import Visitor, Visits, Work, senders_at, visitor_at
from leaderboard.live.service.live import read_offers
from leaderboard.live.service.models import LiveModels, ModelOffer, ModelOffers
from leaderboard.live.service.turns import Batches
from qbench.errors import ProviderError, UserError
from qbench.models import Model, ModelOptions
from qbench.records import Picture, Prompt, Response
from qbench.runner import Cancelled
from tests.leaderboard.conftest import ask

PROMPT = Prompt("score", (Picture("a.png", "0"),))


@dataclass
class Fake(Model):
    """Answers with its own number of letters."""

    name: str
    wants: frozenset[str] = frozenset({"score"})
    batch_size: int = 4
    before: Callable[[], None] = lambda: None
    identity: dict[str, str] = field(default_factory=dict)

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        self.before()
        return [Response(score=float(len(self.name))) for _ in prompts]


def shelf(
    *names: str, opening: Callable[[str, ModelOptions], object] | None = None, batches: Batches | None = None
) -> LiveModels:
    offers = ModelOffers({name: ModelOffer(name, name, "memory") for name in names}, {"nano": "no weights"})
    return LiveModels(offers, opening or (lambda name, _options: Fake(name)), batches or Batches())


def failing(fault: BaseException) -> Callable[[], None]:
    def fail() -> None:
        raise fault

    return fail


def ready(models: LiveModels) -> list[str]:
    """Names of the models that can be asked at once."""
    return [name for name in models.names if models.is_ready(name)]


def test_only_the_owner_s_names_are_ever_opened() -> None:
    opened: list[str] = []
    models = shelf("big", opening=lambda name, _options: opened.append(name))
    for name in ("meta-llama/Llama", "/etc", "scripted", ""):
        with pytest.raises(UserError, match="is not offered here; choose one of: big"):
            models.lend(name, Work())
    with pytest.raises(UserError, match=r"'nano' is not offered here \(no weights\)"):
        models.lend("nano", Work())
    assert opened == []


def test_what_weights_need_is_imported_before_somebody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    imported = threading.Event()
    monkeypatch.setattr("leaderboard.live.service.models._import_libraries", imported.set)
    shelf("big").warm()
    assert imported.wait(20)


def test_one_set_of_weights_is_in_memory_at_a_time() -> None:
    opened: list[str] = []
    held: list[weakref.ref[Fake]] = []

    def opening(name: str, _options: ModelOptions) -> Fake:
        assert [model() for model in held] == [None] * len(held), "the one before must be gone by now"
        made = Fake(name)
        made.before = partial(made.__class__, made)  # type: ignore[arg-type]  # as modules and hooks hold each other
        held.append(weakref.ref(made))
        opened.append(name)
        return made

    models, work = shelf("big", "small", opening=opening), Work()
    big, small = models.lend("big", work), models.lend("small", work)
    assert ready(models) == []
    assert [response.score for response in big.respond([PROMPT, PROMPT])] == [3, 3]
    assert (big.respond([PROMPT])[0].score, ready(models), opened) == (3, ["big"], ["big"])
    assert (small.respond([PROMPT])[0].score, ready(models)) == (5, ["small"])
    assert (big.name, big.batch_size, big.workers, big.wants) == ("big", 4, 1, {"score"})
    assert (big.identity, opened) == ({}, ["big", "small", "big"])
    assert work.spent > 0
    work.cancel.set()
    with pytest.raises(Cancelled):
        small.respond([PROMPT])
    assert opened == ["big", "small", "big"]


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (MemoryError(), "big does not fit into the memory of this machine; choose another model"),
        (ImportError(name="torch"), "big needs the package torch, which is not installed here; choose another model"),
        (RuntimeError("at /srv/secret"), "big could not be opened; choose another model"),
        (UserError("/srv/big lacks 3 of its weights"), "big lacks 3 of its weights"),
    ],
)
def test_a_model_that_does_not_open_leaves_the_place_free(fault: Exception, sentence: str) -> None:
    def opening(name: str, _options: ModelOptions) -> Fake:
        if name == "/srv/big":
            raise fault
        return Fake(name)

    opened_as = {"big": "/srv/big", "small": "small"}
    offers = {name: ModelOffer(name, source, "memory") for name, source in opened_as.items()}
    models = LiveModels(ModelOffers(offers, {}), opening)
    with pytest.raises(UserError) as said:
        models.lend("big", Work()).respond([PROMPT])
    assert (str(said.value), ready(models)) == (sentence, [])
    assert models.lend("small", Work()).respond([PROMPT])


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (RuntimeError("SECRET /path"), "one failed (RuntimeError)"),
        (FileNotFoundError(2, "No such file or directory", "/data/private"), "one failed (FileNotFoundError)"),
        (SystemExit(3), "one failed (SystemExit)"),
    ],
)
def test_what_a_model_raises_is_told_by_its_kind_alone(
    fault: BaseException, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    lent = shelf("one", opening=lambda name, _options: Fake(name, before=failing(fault))).lend("one", Work())
    with pytest.raises(ProviderError) as caught:
        lent.respond([PROMPT])
    assert str(caught.value) == told
    assert "SECRET" not in caplog.text


@pytest.mark.parametrize(
    "fault",
    [
        UserError("served cannot be asked: http://10.1.2.3:8000/v1 cannot be reached (refused). Start the server."),
        ProviderError("transient", "https://lab.example/v1 did not answer within 60 s", 3.0),
    ],
)
def test_visitors_are_not_told_where_a_server_is(
    fault: UserError | ProviderError, caplog: pytest.LogCaptureFixture
) -> None:
    models = LiveModels(read_offers([], ["http://a/v1"], "served"), lambda name, _: Fake(name, before=failing(fault)))
    with pytest.raises(type(fault), match=r"its server (cannot be reached|did not answer)") as told:
        models.lend("served", Work()).respond([PROMPT])
    assert "//" not in str(told.value)
    assert getattr(told.value, "retry_after", 3.0) == 3.0
    assert str(fault) in caplog.text  # the owner's log has it


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


def test_a_network_has_four_times_what_a_visitor_has() -> None:
    now = 1000.0
    visits = Visits(100, Account(clock=lambda: now))
    for number in range(4):
        with visits.begin(visitor_at("", f"203.0.113.{number}"), "run") as work:
            work.spent = 100
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


def test_an_hour_s_seconds_are_shared_by_one_visitor_s_pages_and_come_back() -> None:
    now = 1000.0
    visits = Visits(100, Account(clock=lambda: now))
    for visitor in (ME, ALSO_ME):
        with visits.begin(visitor, "run") as work:
            work.spent = 50
    with pytest.raises(UserError, match="used up"), visits.begin(ME, "probe"):
        pass
    with visits.begin(SOMEBODY, "probe"):
        pass
    now += HOUR + 1
    with visits.begin(ME, "probe") as work:
        work.spent = 99
        work.check()
        work.spent = 100
        with pytest.raises(UserError, match="in an hour of the models here are used up"):
            work.check()


def test_work_that_goes_on_side_by_side_shares_the_hour() -> None:
    visits = Visits(90)
    with (
        visits.begin(ME, "run") as run,
        visits.begin(ALSO_ME, "run") as also,
        visits.begin(ALSO_ME, "pair") as more,
        visits.begin(SOMEBODY, "run") as theirs,
    ):
        run.spent = also.spent = more.spent = 29
        also.check()
        more.spent = 32
        for work in (run, also):
            with pytest.raises(UserError, match=r"^the seconds that one visitor, or one network, has .* are used up"):
                work.check()
        with pytest.raises(UserError, match="in an hour"), visits.begin(ME, "probe"):
            pass
        theirs.check()


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
