"""What the live pages share: models, who asks them, uploads, and answers in memory.

live = open_live(settings)
with live.visits.begin(visitor, "probe") as work:
    runner = live.runner("niqe", work)      # runs a task's plan for one visitor
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, TypeVar

from leaderboard.account import Account
from leaderboard.live.service.limits import Visitor, Visits, Work
from leaderboard.live.service.models import LiveModels, ModelOffer, ModelOffers
from leaderboard.live.service.uploads import Uploads, give_memory_back
from leaderboard.settings import DEFAULT_MODELS, Settings, SettingsError
from qbench.cache import Cache
from qbench.models import Model, ModelOptions
from qbench.models.builtin import find_builtin, uses_device
from qbench.models.catalogue import find_model
from qbench.records import Prompt, Response, Want
from qbench.runner import Progress, Runner
from qbench.tasks import Ask

OutcomeT = TypeVar("OutcomeT")
_MOST_RESPONSES = 5000


class RecentResponses(Cache):
    """Responses in memory alone, the oldest forgotten first: what visitors' photos show is not kept on disk."""

    def __init__(self) -> None:
        self._responses: OrderedDict[str, Response] = OrderedDict()

    def put(self, responses: Mapping[str, Response]) -> None:
        """Keep responses; failures are asked again."""
        self._responses |= {key: response for key, response in responses.items() if response.failure is None}
        while len(self._responses) > _MOST_RESPONSES:
            self._responses.popitem(last=False)

    def sync(self) -> None:
        """Nothing of this is on disk."""


@dataclass(frozen=True)
class LiveRunner:
    """Runs plans with one model, for one piece of work."""

    model: Model
    work: Work
    recent: RecentResponses

    def run(
        self, plan: Generator[Sequence[Ask], Sequence[Response], OutcomeT]
    ) -> tuple[OutcomeT, list[tuple[Ask, Response]]]:
        """What the plan comes to, and each ask with its response.

        Raises:
            Cancelled: The work was cancelled.
            UserError: The model cannot do this, or the time is used up.
        """
        answered: list[tuple[Ask, Response]] = []

        def collect(_progress: Progress, responses: Sequence[tuple[Ask, Response]]) -> None:
            answered.extend(responses)

        return Runner(self.model, self.recent, watch=collect, cancel=self.work.cancel).run(plan), answered

    def ask(self, prompt: Prompt) -> Response:
        """The response to one prompt; raises as `run` does."""

        def plan() -> Generator[Sequence[Ask], Sequence[Response], Response]:
            [response] = yield [Ask("photo", prompt)]
            return response

        return self.run(plan())[0]


@dataclass(frozen=True)
class Live:
    """What the live pages share."""

    models: LiveModels
    visits: Visits
    uploads: Uploads
    recent: RecentResponses
    """Answers about visitors' photos, in memory."""

    def runner(self, name: str, work: Work) -> LiveRunner:
        return LiveRunner(self.models.lend(name, work), work, self.recent)

    def leave(self, visitor: Visitor) -> None:
        """The visitor closed the page: what runs for it stops, what it uploaded is deleted."""
        self.visits.cancel(visitor)
        self.uploads.forget(visitor)


def open_live(settings: Settings, account: Account | None = None) -> Live:
    """Nothing is loaded before a visitor asks for it.

    Raises:
        SettingsError: The owner named a model that cannot be opened here.
    """
    give_memory_back()
    offers = read_offers(settings.models, settings.endpoints, settings.endpoint_model)
    if offers.absent and settings.models != DEFAULT_MODELS:
        name, reason = next(iter(offers.absent.items()))
        raise SettingsError(f"QBENCH_MODELS has {name!r}, but {reason}; name another model or leave it out")
    return Live(LiveModels(offers), Visits(account), Uploads(), RecentResponses())


_SERVED: frozenset[Want] = frozenset({"text", "words", "losses", "embedding"})
"""What servers give at most: those of encoders only vectors and words, the others no vectors."""


def read_offers(names: Sequence[str], endpoints: Sequence[str] = (), endpoint_model: str | None = None) -> ModelOffers:
    """Sort the owner's names into those that can be opened and those that cannot; nothing is opened yet.

    Args:
        names: Models of this machine.
        endpoints: Servers that have one model more.
        endpoint_model: That model.
    """
    offered: dict[str, ModelOffer] = {}
    absent: dict[str, str] = {}
    for source in names:
        name = Path(source).name if Path(source).is_dir() else source
        if reason := _why_not(source):
            absent[name] = reason
        else:
            builtin = find_builtin(source)
            takes: Literal["memory", "time"] = "memory" if uses_device(source) else "time"
            offered[name] = ModelOffer(name, source, takes, wants=builtin.wants if builtin else None)
    if endpoints and endpoint_model:
        options = ModelOptions(endpoints=tuple(endpoints))
        offered[endpoint_model] = ModelOffer(endpoint_model, endpoint_model, "nothing", options, _SERVED)
    return ModelOffers(offered, absent)


def _why_not(source: str) -> str | None:
    builtin, facts = find_builtin(source), find_model(source)
    if builtin and not builtin.is_installed:
        return "its weights are not part of this installation"
    if uses_device(source) and not find_spec("transformers"):
        return "PyTorch and Transformers are not installed (pip install 'qbench[models]')"
    if facts and facts.serve and not builtin and not Path(source).is_dir():
        return f"it cannot be loaded directly: {facts.serve}"
    if builtin or "/" in source or Path(source).is_dir() or (facts and facts.hub):
        return None
    return "no model of this name is part of this installation"
