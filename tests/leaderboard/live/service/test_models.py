"""Which models are lent, one at a time, and what is said where one does not open."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

from leaderboard.live.service.limits import Work
from leaderboard.live.service.live import read_offers
from leaderboard.live.service.models import LiveModels, ModelOffer, ModelOffers
from leaderboard.live.service.turns import Batches
from qbench.errors import ProviderError, UserError
from qbench.models import Model, ModelOptions
from qbench.records import Picture, Prompt, Response
from qbench.runner import Cancelled

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


def test_a_folder_is_offered_by_its_name_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    assert list(read_offers([str(tmp_path / "mine"), "owner/other"]).offered) == ["mine", "owner/other"]


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
