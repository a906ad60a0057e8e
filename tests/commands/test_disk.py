"""Files and places that the system does not give: one sentence that says whether reading or writing failed."""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path

import pytest
from PIL import Image

from qbench import rows
from tests.commands.asking import ROOT, document, refused, shell

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


@pytest.mark.parametrize("command", ["SCORE <(cat FILE)", "cat FILE | SCORE /dev/stdin"])
def test_pipes_are_scored_as_the_file_is(capsys: Said, command: str) -> None:
    child = shell(command.replace("FILE", str(SCORES)).replace("SCORE", "QBENCH score --json --dataset koniq-10k"))
    assert (child.returncode, child.stderr) == (0, "")
    [result] = json.loads(child.stdout)
    [whole] = document(capsys, "score", "--dataset", "koniq-10k", SCORES)
    assert result["source"]["reference"] in ("pipe", "stdin")
    assert {name: result[name] for name in SAME} == {name: whole[name] for name in SAME}
    for name, estimate in whole["metrics"].items():  # whose intervals are of fewer resamples here
        assert result["metrics"][name]["value"] == estimate["value"]


def test_a_manifest_may_come_out_of_a_pipe(capsys: Said, tmp_path: Path) -> None:
    for shade in (50, 200):
        Image.new("L", (8, 8), shade).save(tmp_path / f"{shade}.png")
    rows = [{"img_path": f"{shade}.png", "gt_score": shade} for shade in (50, 200)]
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    run = f"run --task assessment --images {tmp_path} --model brightness --out {tmp_path / 'out'}"
    piped = shell(f"QBENCH {run} --json --dataset <(cat {tmp_path / 'rows.json'})")
    assert (piped.returncode, piped.stderr) == (0, "")
    [result] = json.loads(piped.stdout)
    [whole] = document(capsys, *run.split(), "--dataset", tmp_path / "rows.json")
    assert result["dataset"] == "pipe"
    assert result["metrics"]["srcc"]["value"] == whole["metrics"]["srcc"]["value"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_that_does_not_end_is_refused(capsys: Said, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(rows, "LARGEST_FILE", 1 << 20)
    path = tmp_path / "endless"
    os.mkfifo(path)

    def pour() -> None:
        with path.open("wb", buffering=0) as pipe:
            try:
                while True:
                    pipe.write(b" " * 65_536)
            except BrokenPipeError:
                pass

    writer = threading.Thread(target=pour)
    writer.start()
    said = refused(capsys, "score", path)
    writer.join()
    assert said == f"more than 1 MB came out of {path}; write them to a file and name that"
