"""vLLM started here: found, asked, and gone with whoever started it, whatever ends that."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from qbench.__main__ import main
from qbench.errors import UserError
from qbench.models import Model, ModelOptions
from qbench.models.openai.vllm import FLAGS
from qbench.models.own import open_any
from tests.models.openai.clients import ask, words
from tests.models.openai.server import OpenAIServer
from tests.models.openai.vllm_program import assert_gone, noted, program

Open = Callable[..., Model]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkpoint's folder, a program `vllm`, and settings of an environment that could mislead."""
    (tmp_path / "bin").mkdir()
    program(tmp_path / "bin")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("NOTES", str(tmp_path / "notes"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    for name in ("VLLM_BASE_URL", "VLLM_API_KEY", "QBENCH_ENDPOINT_KEY", "PRETEND"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "config.json").write_text("{}")
    return tmp_path / "tiny"


def notes(folder: Path) -> list[dict[str, Any]]:
    """What each `vllm` that was started was told."""
    return noted(folder.parent / "notes")


def test_a_folder_is_served_with_the_flags_that_exact_figures_need(folder: Path) -> None:
    said: list[str] = []
    model = open_any(f"vllm/{folder}", ModelOptions(gpus=2, watch=said.append))
    assert not said  # nothing is started before it is needed
    assert ask(model, words("good", "poor")).logits == {"good": -0.25, "poor": -5.5}
    model._find(model._servers[0])  # type: ignore[attr-defined]  # as where the first question failed
    [note] = notes(folder)
    log = next(folder.parent.glob("qbench-vllm-*.log"))
    assert said[0] == f"vLLM is starting to serve tiny; its log is {log}"
    assert note["hf_overrides"] == {"head_dtype": "float32"}
    assert (note["generation_config"], note["max_num_batched_tokens"], note["host"]) == ("vllm", 2048, "127.0.0.1")
    assert (note["model_tag"], note["tensor_parallel_size"], note["trust_remote_code"]) == (str(folder), 2, False)
    told = dict(model.identity)
    assert (told["model"], told["backend"]) == ("tiny", "vllm 0.33.0")
    assert told["served"] == f"vllm serve {' '.join(FLAGS)} --tensor-parallel-size 2"
    assert str(folder.parent) not in json.dumps(told)
    (folder / "config.json").write_text('{"other": 1}')
    other = open_any(f"vllm/{folder}", ModelOptions())
    assert other.identity["checkpoint"] != told["checkpoint"]
    assert len({note["port"] for note in notes(folder)}) == 2
    del model, other
    assert_gone(folder.parent / "notes")


def test_a_hub_id_is_served_at_the_commit_that_it_is_at(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qbench.models.checkpoint.weights.commit_of", lambda name, revision: f"{revision} of {name}")
    model = open_any("vllm/org/tiny", ModelOptions(revision="v2", remote_code=True))
    assert (model.name, model.identity["revision"]) == ("org/tiny", "v2 of org/tiny")
    [note] = notes(folder)
    assert (note["model_tag"], note["revision"]) == ("org/tiny", "v2 of org/tiny")
    assert note["trust_remote_code"]


def test_a_server_that_is_named_is_asked_instead(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with OpenAIServer(model="org/tiny") as server:
        assert open_any("vllm/org/tiny", ModelOptions(endpoints=(server.url,))).wants
        monkeypatch.setenv("VLLM_BASE_URL", server.url)
        assert open_any("vllm/org/tiny", ModelOptions()).wants
    assert not (folder.parent / "notes").exists()


def test_a_crash_is_told_by_the_faults_in_its_log(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRETEND", "crash")
    model = open_any(f"vllm/{folder}", ModelOptions())
    with pytest.raises(UserError) as caught:
        assert model.wants
    log = next(folder.parent.glob("qbench-vllm-*.log"))
    assert str(caught.value) == (
        f"vLLM ended before it could be asked; its log, {log}, ends with: torch.OutOfMemoryError: CUDA out of memory. "
        "/ RuntimeError: Engine core initialization failed. See root cause above."
    )
    assert "vLLM API server version" in log.read_text()
    assert_gone(folder.parent / "notes")


def test_one_that_dies_later_ends_the_run_with_a_sentence(folder: Path) -> None:
    model = open_any(f"vllm/{folder}", ModelOptions())
    assert model.wants
    os.kill(notes(folder)[0]["pids"][1], signal.SIGKILL)
    assert_gone(folder.parent / "notes")
    with pytest.raises(UserError, match=r"vLLM ended when it was asked; its log, .*, ends with: nothing"):
        ask(model, words())


def test_without_vllm_a_sentence_says_what_can_be_done(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []  # the first place that is looked at
    monkeypatch.setattr(shutil, "which", lambda _name, path: found.append(path.split(os.pathsep)[0]))
    with pytest.raises(UserError, match=r"^vllm/org/tiny starts vLLM, which is not installed: pip install vllm, name"):
        open_any("vllm/org/tiny", ModelOptions())
    assert found == [str(Path(sys.executable).parent)]


def test_what_is_for_others_is_refused(folder: Path) -> None:
    with pytest.raises(UserError, match="--batch asks a service"):
        open_any(f"vllm/{folder}", ModelOptions(batch=folder))
    with pytest.raises(UserError, match="--gpus is for --model vllm/NAME"):
        open_any("brightness", ModelOptions(gpus=2))
    with pytest.raises(UserError, match="--gpus is for --model vllm/NAME"):
        open_any("vllm/org/tiny", ModelOptions(gpus=2, endpoints=("http://localhost:1",)))


def command(folder: Path) -> list[str]:
    """A run of the checkpoint."""
    told = ["run", "--task", "assessment", "--dataset", "demo-assessment", "--limit", "3", "--json"]
    return [*told, "--model", f"vllm/{folder}", "--out", str(folder.parent / "out")]


def test_a_run_leaves_a_record_and_no_process(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command(folder)) == 0
    said, complained = capsys.readouterr()
    [record] = json.loads(said)
    assert record["model"] == "tiny"
    assert record["protocol"]["model"]["served"].startswith("vllm serve --hf-overrides")
    assert "qbench: vLLM is starting to serve tiny" in complained
    assert_gone(folder.parent / "notes")


SLOW = pytest.mark.slow(reason="starts a process that imports what a run needs")


@pytest.mark.parametrize(
    "ended_by", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=SLOW), pytest.param(signal.SIGKILL, marks=SLOW)]
)
def test_whatever_ends_a_run_ends_vllm(folder: Path, ended_by: signal.Signals, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRETEND", "load")
    # Interrupts are ignored in what a shell runs in the background, and in what that starts.
    heeds = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    how: dict[str, Any] = {"stdout": -1, "stderr": -1, "text": True, "start_new_session": True, "preexec_fn": heeds}
    with subprocess.Popen([sys.executable, "-m", "qbench", *command(folder)], **how) as process:
        try:
            assert process.stderr is not None
            assert "vLLM is starting" in process.stderr.readline()
            while not (folder.parent / "notes").exists() or not (folder.parent / "notes").read_text().endswith("\n"):
                assert process.poll() is None
            process.send_signal(ended_by)
            _, complained = process.communicate(timeout=120)
        finally:
            process.kill()
    assert process.returncode == (130 if ended_by == signal.SIGINT else -ended_by)
    assert "Traceback" not in complained
    assert_gone(folder.parent / "notes")
