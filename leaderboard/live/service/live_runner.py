"""A task's plan run for one visitor: nothing is written, and an answer given lately is not asked for again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from leaderboard.live.service.limits import Work
from qbench.cache import Cache
from qbench.models import Model
from qbench.records import Prompt, Response
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
