"""`python -m leaderboard check` names each planted mistake."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from leaderboard import check as checking
from leaderboard.__main__ import main
from leaderboard.check import check
from leaderboard.settings import read_settings
from tests.hub_double import REPO, TOKEN, Hub, serve

ON_HUB = {"QBENCH_RESULTS_REPO": REPO, "QBENCH_HUB_TOKEN": TOKEN}


@pytest.fixture
def hubs(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Hub, Hub]]:
    public, private = Hub(), Hub(repo=f"{REPO}-private", missing=True)
    with serve(public, private) as address:
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", address)
        yield public, private


def lines(folder: Path, environment: dict[str, str]) -> dict[str, str]:
    """Subject -> state and what was said, of a check with these settings."""
    named = {"QBENCH_MODELS": "sharpness", "QBENCH_RUNS": str(folder / "runs"), **environment}
    settings = read_settings(named, folder / "app", persistent=folder / "data")
    findings = list(check(settings, named, folder / "data"))
    return {f.subject: f"{f.state}: {f.said}" for f in sorted(findings, key=lambda f: f.state == "wrong")}


def test_an_installation_without_mistakes_has_none(tmp_path: Path, hubs: tuple[Hub, Hub]) -> None:
    (tmp_path / "data").mkdir()
    found = lines(
        tmp_path, {"SPACE_ID": "lab/board", "OAUTH_CLIENT_ID": "x", "QBENCH_STUDIES": str(tmp_path), **ON_HUB}
    )
    assert not any(said.startswith("wrong") for said in found.values())
    assert found["QBENCH_SUBMISSIONS"].startswith(f"ok: {tmp_path}/data/qbench/submissions can be written")
    assert found["QBENCH_RESULTS_REPO"] == f"ok: {REPO} can be read and written"
    assert found["log-in"].startswith("ok")
    assert [list(hub.tree() or {}) for hub in hubs] == [["README.md", "checked.txt"], [".gitattributes", "checked.txt"]]
    assert hubs[1].private


NOBODY = {"QBENCH_ENDPOINT": "http://127.0.0.1:9/v1", "QBENCH_ENDPOINT_MODEL": "qwen"}


@pytest.mark.parametrize(
    ("planted", "subject", "said"),
    [
        ({"SPACE_ID": "lab/board"}, "submissions", "the next restart of this Space would delete it"),
        ({"QBENCH_SUBMISSIONS": "{folder}/file/x"}, "QBENCH_SUBMISSIONS", "cannot be written"),
        ({"QBENCH_RUNS": "{folder}/file"}, "QBENCH_RUNS", "cannot be written"),
        ({"QBENCH_MODELS": "sharpnes,sharpness"}, "QBENCH_MODELS", "'sharpnes' cannot be asked"),
        ({"QBENCH_RESULTS": "{folder}/none"}, "QBENCH_RESULTS", "is empty or missing"),
        ({"QBENCH_PRIVATE_TRUTH": "{folder}/none"}, "QBENCH_PRIVATE_TRUTH", "is empty or missing"),
        (NOBODY, "QBENCH_ENDPOINT", "http://127.0.0.1:9/v1 cannot be reached"),
        ({**ON_HUB, "QBENCH_RESULTS_REPO": "lab/none"}, "QBENCH_RESULTS_REPO", "lab/none (404)"),
        ({**ON_HUB, "QBENCH_HUB_TOKEN": "hf_reads"}, "QBENCH_RESULTS_REPO", "check both and the token"),
    ],
)
def test_each_planted_mistake_is_named(
    tmp_path: Path, hubs: tuple[Hub, Hub], planted: dict[str, str], subject: str, said: str
) -> None:
    (tmp_path / "file").touch()
    found = lines(tmp_path, {name: value.format(folder=tmp_path) for name, value in planted.items()})
    assert found[subject].startswith("wrong") and said in found[subject]
    assert sum(told.startswith("wrong") for told in found.values()) <= 2  # a token may fail at both datasets


def test_a_private_dataset_that_is_public_and_a_full_disk_are_named(
    tmp_path: Path, hubs: tuple[Hub, Hub], monkeypatch: pytest.MonkeyPatch
) -> None:
    hubs[1].missing = False
    monkeypatch.setattr(checking, "LEAST_FREE", 10**18)
    found = lines(tmp_path, ON_HUB)
    assert "is public; make it private" in found["private dataset"]
    assert "GB left; make room" in found["QBENCH_RUNS"]


def test_the_command_prints_every_line_and_fails_where_something_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("SUBMISSIONS", "RUNS"):
        monkeypatch.setenv(f"QBENCH_{name}", str(tmp_path / name))
    monkeypatch.setenv("QBENCH_MODELS", "sharpness")
    assert main(["check"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "Nothing is wrong."
    monkeypatch.setenv("QBENCH_PRIVATE_TRUTH", str(tmp_path / "none"))
    assert main(["check"]) == 2
    said = capsys.readouterr()
    assert "wrong    QBENCH_PRIVATE_TRUTH" in said.out
    assert said.err == "1 of these stop something that the settings ask for.\n"
    monkeypatch.setenv("QBENCH_OWNERS", "ada")
    assert main(["check"]) == 2
    assert "log-in proves no account here" in capsys.readouterr().err
