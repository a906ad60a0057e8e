"""Runs in the background: they outlive whoever began them, wait in order, end when stopped, and survive a restart."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from leaderboard.live.run_files import KeptRuns, RunRecords
from leaderboard.live.service.limits import Visitor
from qbench.commands.evaluate import evaluate
from qbench.datasets import open_dataset
from qbench.errors import UserError
from qbench.models import open_model
from qbench.records import Response
from tests.leaderboard.live.places import ME, OTHER, QUESTIONS, Place

pytestmark = pytest.mark.usefixtures("demo_data")


def test_a_run_is_found_again_unless_it_is_asked_anew_or_of_another_model_or_part(tmp_path: Path) -> None:
    def hold(place: Place, limit: int = 6, anew: bool = False) -> tuple[bool, int, RunRecords]:
        place.let(limit)
        kept, state = place.end(place.runs.start(replace(QUESTIONS, limit=limit), ME, anew=anew))
        assert state.result and state.result.outcome, kept.reason
        right = [score.value or 0 for score in state.result.outcome.scores["accuracy"]]
        (record,) = state.result.records.results.values()
        assert sum(right) / limit == pytest.approx(record.metrics["accuracy"].value)
        return kept.cached, place.models["scripted"].asked, state.result.records

    place, changed = Place(tmp_path), Place(tmp_path)
    assert hold(place)[:2] == (False, 6)
    assert hold(place)[:2] == (True, 6)
    assert hold(place, limit=8)[:2] == (False, 8)  # six were answered before
    changed.let(1)
    changed.models["scripted"].identity = {"version": 2, "pair": (1, 2)}  # a tuple comes back from JSON as a list
    assert hold(changed)[:2] == (False, 6)
    *told, first = hold(changed, anew=True)
    assert told == [False, 12]
    *told, found = hold(changed)
    assert (told, found.raw.name) == ([True, 12], first.raw.name)
    assert found.raw.parent.parent != first.raw.parent.parent  # its own files last as long as its link


def test_a_run_that_mostly_fails_says_why(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.let(1)
    down = Response(failure="the server is down")
    place.models["scripted"].respond = lambda prompts: [down] * len(prompts)  # type: ignore[method-assign]
    kept, state = place.end(place.runs.start(replace(QUESTIONS, limit=24), ME))
    assert (kept.status, state.result) == ("failed", None)
    assert "20 of 20 prompts failed, 20 of them with: the server is down" in kept.reason
    assert state.progress is not None and state.progress.failed >= 19


def test_a_run_goes_on_when_its_page_is_closed(tmp_path: Path) -> None:
    place = Place(tmp_path)
    run = place.runs.start(QUESTIONS, ME)
    place.let(2)
    place.until(run, 2)
    place.live.leave(ME)
    place.let(4)
    kept, state = place.end(run)
    assert (kept.status, state.result is not None) == ("done", True)
    # Whoever comes later with the link sees it too, also after a restart: nothing is asked, nothing is opened.
    fresh = Place(tmp_path)
    again, later = fresh.end(run)
    assert again.status == "done" and later.result and later.result.outcome
    assert [r.to_json() for r in later.result.records.results.values()] == [
        r.to_json() for r in state.result.records.results.values()
    ]
    assert fresh.models == {}


def test_whoever_has_the_link_stops_it_and_lets_it_go_on(tmp_path: Path) -> None:
    place = Place(tmp_path)
    run = place.runs.start(QUESTIONS, ME)
    place.let(2)
    place.until(run, 2)
    place.runs.stop(run)
    place.let(1)  # the batch that it is at
    kept, state = place.end(run)
    assert (kept.status, state.cancelled) == ("stopped", True)
    place.runs.go_on(run, OTHER)
    place.let(6)
    kept, state = place.end(run)
    assert (kept.status, place.models["scripted"].asked) == ("done", 6)


def test_a_killed_app_loses_nothing_and_asks_nothing_twice(tmp_path: Path) -> None:
    killed = Place(tmp_path)
    run = killed.runs.start(QUESTIONS, ME)
    killed.let(3)
    killed.until(run, 3)
    place = Place(tmp_path)  # on what the other left: its thread never gets another answer
    kept, state = place.end(run)
    assert (kept.status, state.cancelled) == ("interrupted", True)
    place.runs.go_on(run, ME)
    place.let(6)
    kept, state = place.end(run)
    assert kept.status == "done" and state.result
    assert place.models["scripted"].asked == 3
    killed.runs.stop(run)
    killed.let(9)


def test_runs_wait_in_order_and_are_told_their_place(tmp_path: Path) -> None:
    place = Place(tmp_path)
    first = place.runs.start(QUESTIONS, ME)
    place.let(1)
    place.until(first, 1)
    second = place.runs.start(replace(QUESTIONS, model="scripted:yes"), OTHER)
    for _, state in place.runs.watch(second):
        if state.ahead:
            break
    assert state.ahead == 1 and place.kept.read(second).status == "waiting"
    assert "scripted:yes" not in place.models  # not opened before its turn
    place.let(5)
    place.let(6, "scripted:yes")
    assert place.end(first)[0].status == place.end(second)[0].status == "done"


def test_what_a_command_asked_for_the_board_is_not_asked_again(tmp_path: Path) -> None:
    evaluate("perception", open_dataset("demo-perception", limit=6), open_model("scripted"), tmp_path / "board")
    place = Place(tmp_path)
    kept, _ = place.end(place.runs.start(QUESTIONS, ME))
    assert (kept.status, kept.cached, place.models["scripted"].asked) == ("done", True, 0)


def test_one_visitor_has_so_many_runs(tmp_path: Path) -> None:
    place = Place(tmp_path)
    begun = [place.runs.start(QUESTIONS, ME, anew=True) for _ in range(3)]
    with pytest.raises(UserError, match="too many runs are waiting or running"):
        place.runs.start(QUESTIONS, replace(ME, session="another page"))
    for run in begun:
        place.runs.stop(run)
    place.let(9)
    for run in begun:
        place.end(run)
    assert place.runs.start(QUESTIONS, ME)


def test_what_is_not_offered_begins_nothing(tmp_path: Path) -> None:
    place = Place(tmp_path)
    for refused in (
        replace(QUESTIONS, model="/etc"),
        replace(QUESTIONS, judge="gpt-4o"),
        replace(QUESTIONS, dataset="../x"),
        replace(QUESTIONS, task="guess"),
    ):
        with pytest.raises(UserError):
            place.runs.start(refused, ME)
    assert place.kept.all() == []


def test_a_link_that_names_no_run_says_so(tmp_path: Path) -> None:
    place = Place(tmp_path)
    for name in ("", "..", "../../etc", "0" * 31, "0" * 33, "G" * 32, "0" * 32, "0" * 32 + "\n"):
        for ask in (lambda name=name: next(place.runs.watch(name)), lambda name=name: place.runs.go_on(name, ME)):
            with pytest.raises(UserError, match=r"names no run|not here any more"):
                ask()
        place.runs.stop(name)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"status": "done"}', b'{"status": "x", "request": {}}'])
def test_a_torn_file_of_a_run_says_so_and_hides_no_other(tmp_path: Path, content: bytes) -> None:
    kept = KeptRuns(tmp_path)
    torn, whole = kept.add(QUESTIONS, anew=False), kept.add(QUESTIONS, anew=False)
    (kept.folder(torn.id) / "run.json").write_bytes(content)
    with pytest.raises(UserError, match="cannot be read; run it again"):
        kept.read(torn.id)
    assert [run.id for run in kept.all()] == [whole.id]


def test_names_are_not_to_be_guessed_and_hold_no_address(tmp_path: Path) -> None:
    place = Place(tmp_path)
    run = place.runs.start(QUESTIONS, Visitor("s", "digest-of-an-address"))
    assert len({place.kept.add(QUESTIONS, anew=False).id for _ in range(50)} | {run}) == 51
    written = json.loads((place.kept.folder(run) / "run.json").read_bytes())
    assert "digest-of-an-address" not in json.dumps(written)
    place.let(6)
    place.end(run)


def test_the_oldest_go_where_they_are_too_much(tmp_path: Path) -> None:
    kept = KeptRuns(tmp_path, 2)
    for day in (21, 22, 23):
        run = kept.add(QUESTIONS, anew=False)
        kept.write(replace(run, begun=f"20{day}-01-01T00:00:00+00:00"))
        (kept.folder(run.id) / "responses.jsonl").write_bytes(b"x" * 900_000)
    oldest = kept.all()[-1].id
    kept.prune([oldest])  # it goes on, and is neither counted nor deleted
    assert [run.begun[:4] for run in kept.all()] == ["2023", "2022", "2021"]
    kept.prune([])
    assert [run.begun[:4] for run in kept.all()] == ["2023", "2022"]
