"""Runs on demo sets: what they find, find again and leave when they stop, and where a result stands on its board."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from leaderboard.charts.comparison import draw
from leaderboard.live.run import BoardPosition, FinishedRun, RunState, position_on_boards, run_job
from leaderboard.live.run_files import RunRecords
from leaderboard.live.run_request import RunRequest
from leaderboard.live.service.jobs import stream_job
from leaderboard.live.service.limits import Visitor
from leaderboard.live.service.live import open_live
from leaderboard.settings import read_settings
from qbench.datasets import Dataset
from qbench.datasets.known import find_dataset
from qbench.models import Model, open_model
from qbench.records import Estimate, Prompt, Response, Result, Source
from tests.leaderboard.published import published

pytestmark = pytest.mark.usefixtures("demo_data")

ME = Visitor("page", "place")
QUESTIONS = RunRequest("perception", "demo-perception", 6)


class Counted(Model):
    """The scripted model, one prompt at a time; counts them, and does something after so many."""

    batch_size = 1
    name = "counted"

    def __init__(self, version: int = 1, after: int = 10**6, failing: bool = False) -> None:
        self._model = open_model("scripted")
        self._version, self._after, self._failing = version, after, failing
        self.asked = 0
        self.stop: Callable[[], None] = lambda: None

    @property
    def wants(self):
        return self._model.wants

    @property
    def identity(self):
        return {"counted": self._version, "pair": (1, 2)}  # a tuple comes back from JSON as a list

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        self.asked += len(prompts)
        if self.asked > self._after:
            self.stop()
        return (
            [Response(failure="the server is down")] * len(prompts) if self._failing else self._model.respond(prompts)
        )


def states(folder: Path, model: object, chosen: RunRequest = QUESTIONS, anew: bool = False) -> list[RunState]:
    """Of a run by a visitor's page; a model that is `Counted` stops it as the page's button does."""
    live = open_live(read_settings({}, folder))
    if isinstance(model, Counted):
        model.stop = lambda: live.visits.cancel(ME)
    earlier = sorted(folder.glob("run-*"), reverse=True)
    here = folder / f"run-{len(earlier)}"
    job = run_job(chosen, lambda *_: model, here, earlier, anew=anew)
    return list(stream_job(live, ME, "run", job))


def last(folder: Path, model: object, chosen: RunRequest = QUESTIONS, anew: bool = False) -> RunState:
    return states(folder, model, chosen, anew)[-1]


def done(folder: Path, model: object, chosen: RunRequest = QUESTIONS, anew: bool = False) -> FinishedRun:
    state = last(folder, model, chosen, anew=anew)
    assert state.result is not None, state.failure
    return state.result


def test_a_run_is_found_again_and_nobody_is_asked(tmp_path: Path) -> None:
    first, second = Counted(), Counted()
    assert not done(tmp_path, first).cached
    found = done(tmp_path, second)
    assert found.cached
    assert (first.asked, second.asked) == (6, 0)
    assert found.outcome is not None
    right = [score.value for score in found.outcome.scores["accuracy"]]
    (record,) = found.records.results.values()
    assert sum(value or 0 for value in right) / 6 == pytest.approx(record.metrics["accuracy"].value)


def test_another_model_or_another_part_is_another_run(tmp_path: Path) -> None:
    done(tmp_path, Counted())
    changed, more = Counted(version=2), Counted()
    assert not done(tmp_path, changed).cached
    assert changed.asked == 6
    assert not done(tmp_path, more, RunRequest("perception", "demo-perception", 8)).cached
    assert more.asked == 2  # six were answered before


def test_run_again_asks_anew_and_is_what_is_found_from_then_on(tmp_path: Path) -> None:
    done(tmp_path, Counted())
    second = Counted()
    anew = done(tmp_path, second, anew=True)
    assert (anew.cached, second.asked) == (False, 6)
    found = done(tmp_path, Counted())
    raw = found.records.raw
    assert (found.cached, raw.name) == (True, anew.records.raw.name)
    assert raw.parent.parent == tmp_path / "run-2"  # with files of its own, which last as long as its link


def test_stopping_keeps_the_answers(tmp_path: Path) -> None:
    state = last(tmp_path, Counted(after=2))
    assert (state.cancelled, state.result) == (True, None)
    rest = Counted()
    assert not done(tmp_path, rest).cached
    assert rest.asked == 3


def test_a_run_that_mostly_fails_says_why(tmp_path: Path) -> None:
    state = last(tmp_path, Counted(failing=True), RunRequest("perception", "demo-perception", 24))
    assert state.result is None and state.failure is not None
    assert "20 of 20 prompts failed, 20 of them with: the server is down" in state.failure
    assert state.progress is not None and state.progress.failed >= 19


ACCURACY = Estimate(0.7, 0.68, 0.72, n=1495, method="wilson")


def placed(name: str = "llvisionqa-dev", limit: int | None = None, task: str = "perception") -> FinishedRun:
    groups = {
        grouping: {group: {"accuracy": ACCURACY} for group in members}
        for grouping, members in (
            ("question_type", ("yes-or-no", "what", "how")),
            ("concern", ("distortion", "other", "in-context-distortion", "in-context-other")),
        )
    }
    result = Result(
        task, name, "mine", {"accuracy": ACCURACY}, Source("live"), split="dev", groups=groups, raw="0" * 64
    )
    records = RunRecords(Path("runs"), {"one.json": result})
    return FinishedRun(records, Dataset(name, (), "1" * 64, "dev", find_dataset(name), limit), None, cached=False)


def test_a_result_stands_among_the_models_of_its_board() -> None:
    position = position_on_boards(placed(), published())
    assert isinstance(position, BoardPosition)
    (placing,) = position.placings
    assert (placing.board.key, placing.rank) == ("perception-dev", 31)
    names = [model.id for model in position.profile.models]
    assert names[0] == "mine"
    assert len(names) > 2
    assert {figure.value for figure in position.profile.figures["mine"].values()} == {0.7}
    assert draw(position.profile, above_chance=True).text.startswith("Radar chart of mine, QualiRAG")


def test_demo_sets_parts_and_strangers_are_compared_with_nobody() -> None:
    assert position_on_boards(placed("demo-perception"), published()) == "demo set"
    assert position_on_boards(placed(limit=50), published()) == "part of a dataset"
    assert position_on_boards(placed("hpdv2-9-way"), published()) == "no column"
