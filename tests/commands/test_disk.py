"""Files and places that the system does not give: one sentence that says whether reading or writing failed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from qbench.__main__ import main
from tests.commands.asking import ROOT, refused, shell

SCORES = ROOT / "assets" / "examples" / "scores.koniq.csv"
RUN = ["run", "--task", "comparison", "--dataset", "demo-comparison", "--limit", "2", "--model", "sharpness"]
SAME = ("task", "dataset", "model", "protocol", "raw", "status")
UNREADABLE = Path("/proc/self/mem")
"""A file that is there, can be opened, and fails with an input/output error when it is read."""

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc and /dev/full")
Said = pytest.CaptureFixture[str]


@linux
@pytest.mark.parametrize("command", ["models --json", "score --help"])
def test_what_cannot_be_printed_is_one_sentence(command: str) -> None:
    child = shell(f"QBENCH {command} > /dev/full")
    assert (child.returncode, child.stderr) == (2, "qbench: cannot write the output: No space left on device\n")


@linux
def test_a_folder_that_the_system_refuses_is_one_sentence(capsys: Said) -> None:
    said = refused(capsys, *RUN, "--out", "/proc/self/mem")
    assert said.startswith("cannot use /proc/self/mem: ")
    assert said.endswith("; what was written so far is kept")


@linux
@pytest.mark.parametrize(
    "arguments",
    [
        ["score", UNREADABLE],
        ["score", SCORES, "--truth", UNREADABLE],
        ["rank", UNREADABLE],
        ["average", UNREADABLE],
        ["run", "--task", "assessment", "--dataset", UNREADABLE, "--model", "sharpness"],
    ],
)
def test_a_file_that_fails_while_it_is_read_is_never_said_to_be_written(capsys: Said, arguments: list[object]) -> None:
    assert refused(capsys, *arguments) == f"cannot read {UNREADABLE}: Input/output error"


def test_a_disk_that_fails_elsewhere_is_one_sentence(capsys: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "/models/weights.bin")

    monkeypatch.setattr("qbench.commands.score.score_file", fail)
    assert refused(capsys, "score", SCORES).startswith("cannot use /models/weights.bin: Permission denied")


def test_a_fault_of_a_network_is_none_of_the_disk_and_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr("qbench.commands.score.score_file", refuse)
    with pytest.raises(ConnectionRefusedError):
        main(["score", str(SCORES)])
