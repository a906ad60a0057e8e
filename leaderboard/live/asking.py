"""A task's plan asked of a model for one visitor: nothing is written, and an answer given lately is not asked again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from leaderboard.live.limits import Work
from qbench.cache import Cache
from qbench.models import Model
from qbench.records import Response
from qbench.runner import Progress, Runner
from qbench.tasks import Ask

OutcomeT = TypeVar("OutcomeT")
_KEPT = 5000


class Recent(Cache):
    """Answers in memory alone, those of longest ago forgotten: what visitors' photos show is not kept on disk."""

    def __init__(self) -> None:
        self._responses: OrderedDict[str, Response] = OrderedDict()

    def put(self, key: str, response: Response) -> None:
        """Keep a response; failures are asked again."""
        if response.failure is None:
            self._responses[key] = response
            while len(self._responses) > _KEPT:
                self._responses.popitem(last=False)


@dataclass(frozen=True)
class Asking:
    """A model that is asked for one piece of work."""

    model: Model
    work: Work
    recent: Recent

    def answer(
        self, plan: Generator[Sequence[Ask], Sequence[Response], OutcomeT]
    ) -> tuple[OutcomeT, list[tuple[Ask, Response]]]:
        """What the plan comes to, and each ask with its answer.

        Raises:
            Cancelled: The work was cancelled.
            UserError: The model cannot do this, or the time is used up.
        """
        given: list[tuple[Ask, Response]] = []

        def note(_progress: Progress, answers: Sequence[tuple[Ask, Response]]) -> None:
            given.extend(answers)

        return Runner(self.model, self.recent, watch=note, cancel=self.work.cancel).run(plan), given
