"""An installation with a model that answers when a test lets it, to be started anew on the same folder or another."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

from leaderboard.live.run import RunState
from leaderboard.live.run_files import KeptRun, KeptRuns
from leaderboard.live.run_request import RunRequest
from leaderboard.live.run_service import RunService
from leaderboard.live.service.limits import Visitor, Visits, Work
from leaderboard.live.service.live import Live, LiveRunner, RecentResponses, read_offers
from leaderboard.live.service.models import LiveModels
from leaderboard.live.service.uploads import Uploads
from qbench.models import Model, ModelOptions, open_model
from qbench.records import Prompt, Response

ME, OTHER = Visitor("page", "place"), Visitor("page 2", "elsewhere")
QUESTIONS = RunRequest("perception", "demo-perception", 6, "scripted")


def run_with(name: str) -> LiveRunner:
    """A runner with this model, for one piece of work."""
    work = Work()
    return LiveRunner(LiveModels(read_offers([name])).lend(name, work), work, RecentResponses())


class Gated(Model):
    """The scripted model, one prompt at a time, each once it is let through."""

    batch_size = 1

    def __init__(self, name: str) -> None:
        self._model = open_model(name)
        self.name, self.wants, self.identity = self._model.name, self._model.wants, self._model.identity
        self.gate = threading.Semaphore(0)
        self.asked = 0

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        self.gate.acquire()
        self.asked += len(prompts)
        return self._model.respond(prompts)


class Place:
    """An installation with such models, that can be started anew on the same folder."""

    def __init__(self, folder: Path, kept: KeptRuns | None = None) -> None:
        self.models: dict[str, Gated] = {}
        offers = read_offers(["scripted", "scripted:yes"])
        models = LiveModels(offers, self._open)
        self.live = Live(models, Visits(), Uploads(), RecentResponses())
        self.kept = kept or KeptRuns(folder / "runs")
        self.runs = RunService(self.live, self.kept, folder / "board")

    def _open(self, name: str, _options: ModelOptions) -> Model:
        return self.models.setdefault(name, Gated(name))

    def let(self, answers: int, name: str = "scripted") -> None:
        self._open(name, ModelOptions())
        self.models[name].gate.release(answers)

    def until(self, run: str, done: int) -> tuple[KeptRun, RunState]:
        """The run once so many answers came, or it ended."""
        for kept, state in self.runs.watch(run):
            if state.ended or (state.progress and state.progress.done >= done):
                return kept, state
        raise AssertionError("a run ends")

    def end(self, run: str) -> tuple[KeptRun, RunState]:
        *_, last = self.runs.watch(run)
        return last
