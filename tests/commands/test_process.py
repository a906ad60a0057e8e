"""What can be typed, and the program as a process: exit codes, one sentence on stderr, one document on stdout."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from qbench.__main__ import main
from tests.commands.asking import ROOT, document, python_m_qbench, refused, shell, text, write

SCORES = ROOT / "assets" / "examples" / "scores.koniq.csv"
UNREADABLE = Path("/proc/self/mem")
"""A file that is there, can be opened, and fails with an input/output error when it is read."""
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc and /dev/full")


def test_names_that_no_encoding_or_terminal_holds_are_escaped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, '{"first": "\\ud800", "second": "質\\u001b[31m\\n", "choice": "first"}')
    for arguments in (["score", path], ["rank", path, "--json"]):
        assert "\x1b" not in text(capsys, *arguments)
    child = python_m_qbench("rank", path, PYTHONIOENCODING="latin-1")
    assert (child.returncode, child.stderr, "\x1b" in child.stdout) == (0, "", False)
    assert r"\ud800" in child.stdout and r"\u8cea" in child.stdout


def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path) -> None:
    path = write(tmp_path, [{"first": f"image {i}", "second": f"image {i + 1}", "choice": "tie"} for i in range(2_000)])
    child = shell(f"QBENCH rank {path} --json | head -n 1")
    assert (child.returncode, child.stdout, child.stderr) == (0, "{\n", "")


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    taken = tmp_path / "taken"
    taken.touch()
    run = ["run", "--task", "comparison", "--dataset", "demo-comparison", "--limit", "2", "--model", "sharpness"]
    for out, why in ((taken, "File exists"), (taken / "below", "Not a directory")):
        assert f"cannot use {out}: {why}; what was written" in refused(capsys, *run, "--out", out)


def test_a_full_disk_is_one_sentence_and_the_run_goes_on_later(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = f"run --task assessment --dataset demo-assessment --limit 40 --model sharpness --out {tmp_path}"
    child = shell(f"ulimit -f 4; QBENCH {run}")  # files of 4 KiB at most
    assert (child.returncode, child.stdout) == (2, "")
    assert child.stderr == "qbench: cannot use the disk: File too large; what was written so far is kept\n"
    assert text(capsys, *run.split())


@linux
def test_what_cannot_be_printed_is_one_sentence() -> None:
    child = shell("QBENCH models --json > /dev/full")
    assert (child.returncode, child.stderr) == (2, "qbench: cannot write the output: No space left on device\n")


@linux
def test_a_file_that_fails_while_it_is_read_is_never_said_to_be_written(capsys: pytest.CaptureFixture[str]) -> None:
    run = ["run", "--task", "assessment", "--dataset", UNREADABLE, "--model", "sharpness"]
    for arguments in (["score", UNREADABLE], ["rank", UNREADABLE], run):
        assert refused(capsys, *arguments) == f"cannot read {UNREADABLE}: Input/output error"


def test_a_fault_of_a_network_is_none_of_the_disk_and_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr("qbench.commands.score.score_file", refuse)
    with pytest.raises(ConnectionRefusedError):
        main(["score", str(SCORES)])


@pytest.mark.parametrize(
    "command", ["", "score", "rank", "run", "train", "train unisim", "models", "datasets", "tasks"]
)
def test_help(capsys: pytest.CaptureFixture[str], command: str) -> None:
    with pytest.raises(SystemExit) as done:
        main([*command.split(), "--help"])
    assert done.value.code == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert f"usage: python -m qbench {command}".rstrip() in printed.out


@pytest.mark.parametrize("arguments", [[], ["taste"], ["score"], ["rank", "x", "--method", "elo"]], ids=" ".join)
def test_misuse_is_one_sentence_and_exits_2(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as done:
        main(arguments)
    assert done.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    [said] = printed.err.splitlines()
    assert said.startswith("qbench: ")
    assert "; see: python -m qbench" in said


@pytest.mark.parametrize("command", ["models", "tasks"])
def test_lists(capsys: pytest.CaptureFixture[str], command: str) -> None:
    names = [row["name"] for row in document(capsys, command)]
    assert len(names) == len(set(names)) > 0
    assert [line.split()[0] for line in text(capsys, command).splitlines()] == names


def test_the_list_of_datasets_is_grouped_by_how_they_are_had(capsys: pytest.CaptureFixture[str]) -> None:
    rows = document(capsys, "datasets")
    lines = text(capsys, "datasets").splitlines()
    assert lines[0] == "here"
    assert sorted(line.split()[0] for line in lines if line.startswith("  ")) == sorted(row["name"] for row in rows)
    assert lines.index("put in place by hand (get NAME says how)") > lines.index(
        "fetched by: python -m qbench datasets get NAME"
    )
