"""Runs that outlive their visitors: each goes on in the background, and whoever has its link watches or stops it.

One run at a time has the device, so that models are not loaded in turns; the others wait in order. Runs at a server
that somebody else runs do not wait. What becomes of a run is written down, so that one that was cut off is found again.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

from leaderboard.live.datasets import is_partly_here
from leaderboard.live.run import FinishedRun, RunState, check_request, open_requested, run_job
from leaderboard.live.run_files import GOING, KeptRun, KeptRuns, replay, runs_folder, stored_records
from leaderboard.live.run_request import RunRequest
from leaderboard.live.service.jobs import HEARTBEAT, Publish, stream_job
from leaderboard.live.service.limits import Visitor, Work
from leaderboard.live.service.live import Live
from leaderboard.live.service.turns import DeviceQueue, in_thread
from leaderboard.settings import Settings
from leaderboard.store.open import open_hub_runs
from qbench.models import Model, Properties
from qbench.records import Want

MOST_REMEMBERED = 20
"""Runs that ended lately, whose figures are in memory."""


@dataclass
class _Going:
    """A run as it goes on, and who watches it."""

    kept: KeptRun
    held: ExitStack
    """Its place among the visitor's runs, until it ends."""
    state: RunState = field(default_factory=RunState)
    stop: threading.Event = field(default_factory=threading.Event)
    """Set once somebody wants it to stop, perhaps before its work has begun."""
    changed: threading.Condition = field(default_factory=threading.Condition)


class RunService:
    """The runs of an installation; `board` is the folder of its own results, where a command may have left answers."""

    def __init__(self, live: Live, kept: KeptRuns, board: Path) -> None:
        self._board = board
        self._live = live
        self._kept = kept
        self._turns = DeviceQueue()
        self._runs: OrderedDict[str, _Going] = OrderedDict()
        self._lock = threading.Lock()

    def start(self, request: RunRequest, visitor: Visitor, *, anew: bool = False) -> str:
        """Begin a run, or wait for the device; returns the name that its link has.

        Of a dataset that is here in part the rest is left out.

        Raises:
            UserError: It is not offered, or too many go on already.
        """
        check_request(request)
        for model in filter(None, (request.model, request.judge)):
            self._live.models.wants(model)  # complains about what is not on the owner's list
        request = replace(request, allow_missing=is_partly_here(request.dataset) is not None)
        with self._lock:
            name = self._begin(visitor, lambda: self._kept.add(request, anew=anew))
        self._kept.prune([name for name, run in self._runs.items() if not run.state.ended])
        return name

    def go_on(self, name: str, visitor: Visitor) -> str:
        """Take up a run that was cut off, stopped or failed, from its answers.

        Raises:
            UserError: There is no such run, or too many go on already.
        """
        run = self._kept.read(name)
        with self._lock:
            if not self._is_going(name):
                self._begin(visitor, lambda: replace(run, status="waiting", reason=""))
        return name

    def stop(self, name: str) -> None:
        """Stop a run after the batch that it is at; whoever has its link may."""
        if going := self._runs.get(name):
            going.stop.set()

    def watch(self, name: str) -> Iterator[tuple[KeptRun, RunState]]:
        """What is written of a run and how far it is, until it ends; a UserError where there is none."""
        run = self._kept.read(name)
        going = self._runs.get(name)
        if going is None:
            yield self._as_left(run)
            return
        while True:
            seen = going.state
            yield going.kept, seen
            if seen.ended:
                return
            with going.changed:
                if going.state is seen:
                    going.changed.wait(HEARTBEAT)

    def request(self, name: str) -> RunRequest:
        """What a run is of; UserError where there is no such run."""
        return self._kept.read(name).request

    @property
    def fault(self) -> str:
        """Why runs are not kept where the owner wants them besides this disk; empty where they are."""
        return self._kept.elsewhere.fault if self._kept.elsewhere is not None else ""

    def keep_elsewhere(self) -> None:
        """Begin to keep runs elsewhere too, where the owner wants that; the app calls it once, when it is run."""
        if self._kept.elsewhere is not None:
            self._kept.elsewhere.start()

    def _is_going(self, name: str) -> bool:
        return name in self._runs and not self._runs[name].state.ended

    def _begin(self, visitor: Visitor, make: Callable[[], KeptRun]) -> str:
        with ExitStack() as held:
            held.enter_context(self._live.visits.account.hold("run", visitor.senders))
            run = make()
            going = self._runs[run.id] = _Going(run, held.pop_all())
        self._runs.move_to_end(run.id)
        for name in [name for name, other in self._runs.items() if other.state.ended][:-MOST_REMEMBERED]:
            del self._runs[name]
        in_thread(partial(self._run, going, visitor))
        return run.id

    def _run(self, going: _Going, visitor: Visitor) -> None:
        run, models = going.kept, self._live.models
        folder, earlier = self._kept.folder(run.id), [*self._kept.earlier(run), self._board]
        job = run_job(run.request, models.lend, folder, earlier, anew=run.anew)

        def in_turn(work: Work, publish: Publish) -> FinishedRun:
            work.cancel = going.stop
            if not models.takes_device(run.request.model):
                return job(work, publish)
            with self._turns.device(work):
                return job(work, publish)

        try:
            of_no_page = replace(visitor, session="")  # it goes on when the page that began it is closed
            for state in stream_job(self._live, of_no_page, "run", in_turn):
                self._tell(going, state)
        except Exception:
            logging.getLogger(__name__).exception("A run failed.")
        if not going.state.ended:
            self._tell(going, replace(going.state, failure="something went wrong on the server"))

    def _tell(self, going: _Going, state: RunState) -> None:
        if state.ended:
            going.kept = self._ended(going.kept, state)
            try:
                self._kept.write(going.kept)
            except OSError:
                logging.getLogger(__name__).exception("What became of a run could not be written down.")
            if self._kept.elsewhere is not None:
                self._kept.elsewhere.send_soon()
            going.held.close()
        with going.changed:
            going.state = state
            going.changed.notify_all()

    def _ended(self, run: KeptRun, state: RunState) -> KeptRun:
        if state.result:
            names, wants = tuple(state.result.records.results), self._live.models.wants(run.request.model) or ()
            return replace(run, status="done", cached=state.result.cached, records=names, wants=tuple(sorted(wants)))
        if state.cancelled:
            return replace(run, status="stopped")
        return replace(run, status="failed", reason=state.failure or "")

    def _as_left(self, run: KeptRun) -> tuple[KeptRun, RunState]:
        """A run that nobody is at work on, as it was left; no model is opened to look at what it answered."""
        records = stored_records(self._kept.folder(run.id), run.records) if run.status == "done" else None
        if run.status in GOING or (run.status == "done" and records is None):
            run = replace(run, status="interrupted")
        if records is None:
            failed = run.status == "failed"
            return run, RunState(failure=run.reason if failed else None, cancelled=not failed)
        request, told = run.request, next(iter(records.results.values())).protocol
        dataset = open_requested(request)
        model = _remembered(request.model, frozenset(cast("tuple[Want, ...]", run.wants)), told.get("model", {}))
        judge = _remembered(request.judge, frozenset({"text"}), told.get("judge", {})) if request.judge else None
        outcome = replay(records, request, dataset, model, judge)
        return run, RunState(result=FinishedRun(records, dataset, outcome, cached=True))


def open_runs(settings: Settings, live: Live) -> RunService:
    elsewhere = open_hub_runs(settings, runs_folder(settings.runs))
    return RunService(live, KeptRuns(settings.runs, settings.runs_megabytes, elsewhere), settings.results)


def _remembered(name: str, wants: frozenset[Want], identity: Mapping[str, Any]) -> Model:
    """What a record says of a model, which cannot be asked."""
    return cast("Model", Properties(name, wants, identity, batch_size=1, workers=1))
