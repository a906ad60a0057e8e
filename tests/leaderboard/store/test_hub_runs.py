"""Runs kept in a private dataset on the Hub: nothing lost, nothing told, and found again on a fresh disk."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from huggingface_hub import _commit_api

from leaderboard.live.run_files import KeptRun, KeptRuns, runs_folder
from leaderboard.store.hub_client import HubClient
from leaderboard.store.hub_runs import HubRuns, run_of, write_part
from qbench.errors import ProviderError, UserError
from tests.hub_double import TOKEN, Hub, serve
from tests.leaderboard.live.places import ME, QUESTIONS, Place

RUNS = "ada/runs"
MakeRuns = Callable[..., KeptRuns]


@pytest.fixture
def hub() -> Iterator[Hub]:
    made = Hub(repo=RUNS, private=True)
    with serve(made):
        yield made


@pytest.fixture
def make(hub: Hub, tmp_path: Path, impatient: None, monkeypatch: pytest.MonkeyPatch) -> MakeRuns:
    """Installations on disks of their own, which send when they are told to."""
    monkeypatch.setattr(_commit_api, "is_xet_available", lambda: False)  # whose server has no double

    def installation(name: str = "here", token: str | None = TOKEN) -> KeptRuns:
        client = HubClient(RUNS, token, hub.address, private=True)
        folder = tmp_path / name
        return KeptRuns(folder, elsewhere=HubRuns(runs_folder(folder), client, patience=0))

    return installation


def test_a_run_that_a_lost_disk_cut_off_goes_on_from_the_hub(make: MakeRuns, tmp_path: Path) -> None:
    lost = Place(tmp_path, make())
    run = lost.runs.start(QUESTIONS, ME)
    lost.let(4)
    lost.until(run, 4)
    sync(lost.kept)
    place = Place(tmp_path / "other", sync(make("fresh")))
    kept, state = place.end(run)
    assert (kept.status, state.cancelled) == ("interrupted", True)
    place.runs.go_on(run, ME)
    place.let(6)
    kept, state = place.end(run)
    assert (kept.status, place.models["scripted"].asked) == ("done", 2)
    sync(place.kept)
    later = Place(tmp_path / "later", sync(make("later")))
    again, found = later.end(run)
    assert (again.status, later.models) == ("done", {})
    assert state.result and found.result and found.result.outcome
    assert found.result.records.results == state.result.records.results
    lost.runs.stop(run)
    lost.let(9)


def sync(kept: KeptRuns) -> KeptRuns:
    assert isinstance(kept.elsewhere, HubRuns)
    kept.elsewhere.sync()
    return kept


def answer(kept: KeptRuns, run: KeptRun, *numbers: int) -> None:
    """Answers as they come, one line each."""
    with (kept.folder(run.id) / "responses.jsonl").open("a", encoding="utf-8") as file:
        file.writelines(json.dumps({"key": f"k{number}", "response": {"text": "ümlaut"}}) + "\n" for number in numbers)


def contents(kept: KeptRuns, run: KeptRun) -> dict[str, bytes]:
    folder = kept.folder(run.id)
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return {name: content for name, content in files.items() if not name.startswith(".")}


def parts(hub: Hub) -> list[str]:
    return sorted(path for path in hub.tree() or {} if run_of(path))


def test_a_run_is_the_same_on_a_fresh_disk(hub: Hub, make: MakeRuns) -> None:
    here = make()
    run = here.add(QUESTIONS, anew=False)
    answer(here, run, 1, 2)
    folder = here.folder(run.id)
    for name in ("raw/abc.jsonl", "items/x.jsonl", "perception--demo.json"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text('{"a": 1}\n{"b":\n 2}\r\n\n', encoding="utf-8", newline="")
    (folder / "items" / "empty.jsonl").write_bytes(b"")
    sync(here)
    fresh = sync(make("fresh"))
    assert contents(fresh, run) == contents(here, run)
    assert fresh.read(run.id) == run
    sent = len(hub.history)
    sync(fresh)
    sync(here)
    assert len(hub.history) == sent  # nothing is new, so nothing is sent


def keys(kept: KeptRuns, run: KeptRun) -> list[str]:
    lines = (kept.folder(run.id) / "responses.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["key"] for line in lines]


def test_two_that_go_on_from_whole_lines_lose_none_of_each_others_answers(make: MakeRuns) -> None:
    here, there, fresh = make(), make("there"), make("fresh")
    run = here.add(QUESTIONS, anew=False)
    answer(here, run, 1, 2)
    with (here.folder(run.id) / "responses.jsonl").open("ab") as file:
        file.write(b'{"key": "k3", "resp')  # being written
    sync(here)
    sync(there)
    assert keys(there, run) == ["k1", "k2"]
    with (here.folder(run.id) / "responses.jsonl").open("ab") as file:
        file.write(b'onse": {}}\n')
    answer(there, run, 4)
    for kept in (here, there, fresh):
        sync(kept)
    assert sorted(keys(fresh, run)) == ["k1", "k2", "k3", "k4"]


def test_the_newest_runs_are_fetched_before_somebody_asks(make: MakeRuns, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leaderboard.store.hub_runs.MOST_FETCHED", 1)
    here = make()
    runs = {day: here.add(QUESTIONS, anew=True).id for day in ("2026-05-02", "2026-05-03", "2026-05-01")}
    for day, run in runs.items():
        status = here.folder(run) / "run.json"
        status.write_text(json.dumps({**json.loads(status.read_text()), "begun": f"{day}T12:00:00+00:00"}))
    sync(here)
    assert [run.id for run in sync(make("later")).all()] == [runs["2026-05-03"]]


def test_while_the_hub_is_away_everything_stays_here(hub: Hub, make: MakeRuns) -> None:
    here = make()
    hub.away = True
    run = here.add(QUESTIONS, anew=False)
    answer(here, run, 1)
    before = contents(here, run)
    with pytest.raises(ProviderError, match="The Hub answered 503"):
        sync(here)
    assert contents(here, run) == before
    with pytest.raises(UserError, match="not on this disk, and ada/runs could not be asked"):
        here.read("0" * 32)
    hub.away = False
    sync(here)
    assert len(parts(hub)) == 2
    with pytest.raises(UserError, match="not here any more"):
        here.read("0" * 32)


def test_the_dataset_is_made_private_and_a_public_one_is_refused(hub: Hub, make: MakeRuns) -> None:
    hub.missing, hub.private = True, False
    here = make()
    here.add(QUESTIONS, anew=False)
    sync(here)
    assert (hub.missing, hub.private) == (False, True)
    assert b"configs:" in (hub.tree() or {})["README.md"]
    hub.private = False
    here.add(QUESTIONS, anew=False)
    before = len(hub.history)
    with pytest.raises(ProviderError, match="ada/runs is public; make it private in its settings on the Hub"):
        sync(here)
    assert len(hub.history) == before


def test_a_damaged_part_is_said_and_hides_no_other_run(
    hub: Hub, make: MakeRuns, caplog: pytest.LogCaptureFixture
) -> None:
    here = make()
    torn, whole = here.add(QUESTIONS, anew=False), here.add(QUESTIONS, anew=False)
    sync(here)
    hub.write("main", {f"runs/{torn.begun[:10]}/{torn.id}/run.parquet": b"PAR1 no"})
    fresh = sync(make("fresh"))
    assert [run.id for run in fresh.all()] == [whole.id]
    assert "damaged" in caplog.text


def test_a_part_writes_nothing_outside_its_folder(hub: Hub, make: MakeRuns, tmp_path: Path) -> None:
    here = make()
    run = here.add(QUESTIONS, anew=False)
    there = f"runs/{run.begun[:10]}/{run.id}"
    rows = [("run.json", json.dumps(run.to_json())), ("../../out", "x"), ("/out", "x"), (".lock/x", "x")]
    hub.write("main", {f"{there}/run.parquet": write_part(rows)})
    fresh = sync(make("fresh"))
    assert sorted(contents(fresh, run)) == ["responses.jsonl", "run.json"]
    assert not list(tmp_path.rglob("out"))


def test_one_run_that_is_refused_holds_up_no_other(hub: Hub, make: MakeRuns) -> None:
    here = make()
    runs = [here.add(QUESTIONS, anew=False) for _ in range(3)]
    [refused, *others] = sorted(runs, key=lambda run: run.id)
    hub.refuse = f"runs/{refused.begun[:10]}/{refused.id}/run.parquet"
    with pytest.raises(ProviderError, match="refused"):
        sync(here)
    assert {run_of(path) for path in parts(hub)} == {run.id for run in others}
    hub.refuse = ""
    sync(here)
    assert len(parts(hub)) == 3
