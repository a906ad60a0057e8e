"""Requests of runs: what is read of them, and that the command shown gives the same record."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from leaderboard.live.run import run_job
from leaderboard.live.run_request import RunRequest, read_options, read_request, with_choices
from leaderboard.live.service.limits import Work
from qbench.__main__ import main
from qbench.errors import UserError
from qbench.models import open_model
from qbench.tasks import RunOptions

SCRIPTED = {"limit": 8, "model": "scripted"}
REQUESTS = (
    RunRequest("assessment", "demo-assessment", 40, "scripted", options=RunOptions(mode="levels", prefill="It's")),
    RunRequest("assessment", "demo-assessment", 40, "scripted", options=RunOptions(words="good+fine/poor+bad")),
    RunRequest("assessment", "demo-assessment", 40, "scripted", options=RunOptions(mode="rating", style="q-insight")),
    RunRequest("perception", "demo-perception", 8, "scripted", "scripted:silent", RunOptions(seed=3, unread=True)),
    RunRequest("description", "demo-description", 4, "scripted", options=RunOptions(lexicon=True)),
    RunRequest(
        "comparison",
        "demo-comparison-levels",
        8,
        "scripted:noise=0.5",
        options=RunOptions(rounds=2, schedule="active", rule="coarse", style="code"),
    ),
)


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: request.command()[21:80])
def test_the_command_shown_gives_the_same_record(
    request_: RunRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QBENCH_DATA", str(tmp_path / "data"))
    ours = run_job(request_, lambda name, _: open_model(name), tmp_path / "page")(Work(), lambda _message: None)
    python, _, qbench, *arguments = shlex.split(request_.command())
    assert (python, qbench) == ("python", "qbench")
    assert main([*arguments, "--out", str(tmp_path / "command"), "--json"]) == 0
    theirs = json.loads(capsys.readouterr().out)
    assert [result.to_json() for result in ours.records.results.values()] == theirs
    written = {path.name for path in (tmp_path / "command").glob("*.json")}
    assert set(ours.records.results) == written  # named by how it was asked, so the same run is found again


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: request.task)
def test_a_request_is_read_as_it_is_written(request_: RunRequest) -> None:
    for chosen in (request_, replace(request_, allow_missing=True), replace(request_, device="split")):
        assert read_request(json.loads(json.dumps(chosen.to_json()))) == chosen


def test_a_served_model_leaves_the_address_to_the_reader() -> None:
    assert RunRequest("perception", "mine", model="m").command(served=True).endswith("--model m --endpoint URL")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([], "an object with task"),
        ({"task": 3}, "task is a line"),
        ({"task": "x\ny"}, "task is a line"),
        ({"model": "x" * 300}, "model is a line"),
        ({"limit": "20"}, "limit is a whole number"),
        ({"limit": True}, "limit is a whole number"),
        ({"limit": 1e300}, "limit is a whole number"),
        ({"device": "tpu"}, "'tpu' is no device; there are auto, cpu, cuda, mps, split"),
        ({"device": ["cpu"]}, "is no device"),
        ({"options": []}, None),
        ({"options": {"out": "/etc"}}, "'out' is no choice of a run"),
        ({"options": {"rounds": 5000}}, "5,000 rounds are more"),
        ({"options": {"seed": 0.5}}, "seed is a whole number"),
        ({"options": {"lexicon": "yes"}}, "lexicon is true or false"),
        ({"options": {"words": ["a"]}}, "words is a line"),
    ],
)
def test_what_is_no_request_is_one_sentence(data: object, said: str | None) -> None:
    if said is None:
        assert read_request(data) == RunRequest("", "")
        return
    with pytest.raises(UserError, match=said):
        read_request(data)


def test_choices_of_a_script_are_json() -> None:
    plain = RunRequest("assessment", "mine", model="m")
    assert with_choices(plain, "") == plain
    chosen = with_choices(plain, '{"mode": "levels", "pairing": "coarse", "device": "cpu"}')
    assert chosen == replace(plain, device="cpu", options=RunOptions(mode="levels", rule="coarse"))
    assert chosen.command().endswith("--model m --device cpu --mode levels --pairing coarse")
    assert read_options({"seed": 3.0, "style": ""}) == RunOptions(seed=3)
    for broken in ("{", "[" * 100_000, "3"):
        with pytest.raises(UserError, match="such as"):
            with_choices(plain, broken)
