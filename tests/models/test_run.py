"""Every task from the command line: with the fake, with real architectures on disk, and over real HTTP."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from qbench.__main__ import main
from qbench.records import Picture, Result
from tests.models.openai.clients import model_at
from tests.models.openai.server import REASONING, VLLM, Behaviour, OpenAIServer

ROOT = Path(__file__).resolve().parents[2]
Run = Callable[..., dict[str, Any]]


@pytest.fixture
def data(tmp_path: Path, pictures: list[Picture]) -> dict[str, Path]:
    """Task -> manifest beside six images of different sizes."""
    names = [Path(shutil.copy(picture.path, tmp_path)).name for picture in pictures]
    asked = {"question": "How is it?", "options": ["good", "poor", "odd"], "answer": "good"}
    rows = [{"img_path": name, "gt_score": place, "reference": "It is noisy."} for place, name in enumerate(names)]
    (tmp_path / "rated.json").write_text(json.dumps(rows))
    (tmp_path / "asked.json").write_text(json.dumps([{"img_path": name, **asked} for name in names]))
    rated = dict.fromkeys(("description", "assessment", "comparison"), tmp_path / "rated.json")
    return {**rated, "perception": tmp_path / "asked.json"}


@pytest.fixture
def run(data: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """The one record of a run whose every prompt is answered."""

    def run(task: str, model: object, *more: object) -> dict[str, Any]:
        told = ["--task", task, "--dataset", data[task], "--model", model, "--out", tmp_path / "out", "--json", *more]
        assert main(["run", *map(str, told)]) == 0
        [record] = json.loads(capsys.readouterr().out)
        assert Result.from_json(record).task == task
        assert record["status"]["asked"] > 0 == record["status"]["failed"]
        assert (tmp_path / "out" / "raw" / f"{record['raw']}.jsonl").is_file()
        return record

    return run


@pytest.mark.parametrize(
    ("kind", "task", "more", "metric"),
    [
        ("llava", "perception", (), "accuracy"),
        ("llava", "perception", ("--mode", "close-set"), "accuracy"),
        ("llava", "perception", ("--mode", "letter-logits"), "accuracy"),
        ("llava", "description", ("--limit", "2"), "relevance"),  # random weights write to the last token
        ("llava", "comparison", ("--mode", "letter-logits", "--rounds", "1"), "consistency"),
        ("instructblip-t5", "assessment", (), "srcc"),
    ],
)
def test_real_architectures_do_every_task(
    kind: str, task: str, more: tuple[str, ...], metric: str, run: Run, folder_of: Callable[[str], Path]
) -> None:
    record = run(task, folder_of(kind), *more)
    assert record["protocol"]["model"]["backend"].startswith("transformers 5.")
    # Random weights write no sentence, but whatever is weighed has a value.
    assert (record["metrics"][metric]["value"] is None) == (task == "description")
    if task == "assessment" or "--mode" in more:
        assert record["unscored"] == {}
    if task == "assessment":
        assert set(record["groups"]["strategy"]) == {"softmax-t1", "argmax"}
        assert len(record["groups"]["words"]) == 5


def test_a_model_of_one_image_ends_comparison_with_the_reason(
    folder_of: Callable[[str], Path], data: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = ["--task", "comparison", "--dataset", data["comparison"], "--model", folder_of("instructblip-t5")]
    assert main(["run", *map(str, told), "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert "prompts failed" in said and "instructblip models take exactly one image per prompt" in said


def test_encoders_assess_and_compare(run: Run, folder_of: Callable[[str], Path]) -> None:
    assessed = run("assessment", folder_of("clip"))
    assert assessed["unscored"] == {}
    assert assessed["protocol"]["words"]["positive"] == ["a photo of good quality"]
    compared = run("comparison", folder_of("clip"), "--rounds", "2")
    assert compared["metrics"]["consistency"]["value"] == 1.0
    assert compared["protocol"]["answer"] == "scores"


def answer(question: str) -> str:
    """What a server says: to judges' questions a grade, to pairs always the second, else the first option."""
    if question.endswith(("Score:", "Result:")):
        return f"{question[-7:].strip()} 1"
    return "The second image." if "Which image" in question else "A. good"


def test_the_mode_is_said_where_a_server_gives_no_log_probabilities(
    data: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with OpenAIServer(REASONING, says=lambda _question: "4") as server:
        told = ["--dataset", data["assessment"], "--model", server.model, "--endpoint", server.url, "--out", tmp_path]
        assert main(["run", "--task", "assessment", *map(str, told)]) == 0
        said = capsys.readouterr().err
    assert f"{server.model} gives no log-probabilities of words here, so --mode rating is used" in said


@pytest.mark.parametrize("behaviour", [VLLM, REASONING], ids=["vllm", "reasoning"])
def test_servers_do_every_task(behaviour: Behaviour, run: Run) -> None:
    with OpenAIServer(behaviour, says=answer) as server:
        there = ("--endpoint", server.url, "--workers", "2")
        judge = ("--judge", server.model, "--judge-endpoint", server.url)
        asked = run("perception", server.model, *there, *judge)
        assert asked["metrics"]["judge_agreement"]["value"] is not None
        # Six replies; the others of three options come in two orders, so five grades of two questions.
        assert asked["protocol"]["usage"]["completion_tokens"] == 6 + 5 * 2
        described = run("description", server.model, *there, *judge)
        graded = {name: metric["value"] for name, metric in described["metrics"].items()}
        assert {name: value for name, value in graded.items() if value is not None} == {
            **dict.fromkeys(("completeness", "precision", "relevance"), 1.0),
            "sum": 3.0,
        }
        compared = run("comparison", server.model, *there, "--rounds", "2")
        assert compared["metrics"]["consistency"]["value"] == 0.0
        assert compared["metrics"]["second_rate"]["value"] == 1.0
        assessed = run("assessment", server.model, *there, *(("--mode", "rating") if behaviour.top == 0 else ()))
        if behaviour.top:  # every image gets the same logits from this server, and there is nothing to correlate
            assert "all 6 model scores are equal" in assessed["metrics"]["srcc"]["note"]
        else:
            assert sum(assessed["unscored"].values()) == 6  # it wrote a letter where a number was asked for


def test_the_judge_has_template_arguments_of_its_own(run: Run) -> None:
    thinker = Behaviour("vllm", continues=True, shows_prompt=True, thinks=True)
    with OpenAIServer(thinker, says=answer) as server:
        judge = ("--judge", server.model, "--judge-endpoint", server.url, "--judge-template", "enable_thinking=false")
        told = run("description", "scripted", *judge)["protocol"]["judge"]
        assert (told["template"], told["temperature_of_draws"]) == ({"enable_thinking": False}, 1)
        last = server.chats[-1].payload
        assert (last["chat_template_kwargs"], last["temperature"]) == ({"enable_thinking": False}, 1)


def test_what_a_run_costs(run: Run, tmp_path: Path) -> None:
    """By the tokens of every answer, whenever it was given; where one answer's cost is not known, not at all."""
    with OpenAIServer(VLLM, says=answer) as server:
        there = (server.model, "--endpoint", server.url, "--judge", server.model, "--judge-endpoint", server.url)
        before = run("perception", *there)
        assert before["protocol"]["usage"].keys() == {"prompt_tokens", "completion_tokens"}
        asked = len(server.chats)
        priced = run("perception", *there, "--price", "2/8", "--judge-price", "40/0.5")
        assert not any(isinstance(chat.payload["messages"][0]["content"], list) for chat in server.chats[asked:])
        assert (priced["protocol"]["price"], priced["protocol"]["judge_price"]) == ("2/8", "40/0.5")
        rows = [json.loads(line) for line in (tmp_path / "out" / "raw" / f"{priced['raw']}.jsonl").open()]
        used = {(row["of"], row["prompt"]): row["usage"] for row in rows}
        tokens = {
            (of, kind): sum(usage[f"{kind}_tokens"] for (who, _), usage in used.items() if who == of)
            for of in ("model", "judge")
            for kind in ("prompt", "completion")
        }
        dear = 40 * tokens["judge", "prompt"] + 0.5 * tokens["judge", "completion"]
        cheap = 2 * tokens["model", "prompt"] + 8 * tokens["model", "completion"]
        assert priced["protocol"]["usage"]["cost"] == pytest.approx((cheap + dear) / 1e6)
        assert "cost" not in run("perception", *there, "--price", "2/8")["protocol"]["usage"]


def test_the_cost_that_a_server_tells(data: dict[str, Path], tmp_path: Path) -> None:
    def used(count: int, *more: str) -> dict[str, Any]:
        with OpenAIServer(REASONING, says=answer) as server:
            assert model_at(server).capabilities
            questions = len(server.chats)
            server.faults = ["nothing"] * questions + ["tells the cost"] * count
            out = str(tmp_path / f"told-{count}-{len(more)}")
            told = ["--task", "perception", "--dataset", str(data["perception"]), "--workers", "1", "--out", out]
            assert main(["run", *told, "--model", server.model, "--endpoint", server.url, *more]) == 0
        [path] = Path(out).glob("perception--*.json")
        usage: dict[str, Any] = json.loads(path.read_text())["protocol"]["usage"]
        return usage

    assert used(6)["cost"] == 3.0
    assert "cost" not in used(5)
    assert used(5, "--price", "0/8")["cost"] == pytest.approx(2.5 + 8e-6)


def test_kill_in_the_middle_of_a_command_then_resume(
    data: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was answered before is not asked again, and the record is that of a run which nothing disturbed."""

    def command(server: OpenAIServer, out: str) -> list[str]:
        told = ["run", "--task", "assessment", "--dataset", str(data["assessment"]), "--workers", "1", "--json"]
        return [*told, "--model", server.model, "--endpoint", server.url, "--out", str(tmp_path / out)]

    def shown(server: OpenAIServer) -> Counter[bytes]:
        """How often each image was shown."""
        asked = (chat for chat in server.chats if isinstance(chat.payload["messages"][0]["content"], list))
        return Counter(data for request in asked for _, _, data in request.images)

    with OpenAIServer(VLLM, says=answer) as server:
        assert main(command(server, "whole")) == 0
        whole, asked = capsys.readouterr().out, shown(server)
        probes = len(server.chats) - asked.total()

    with OpenAIServer(VLLM, says=answer) as server:
        server.faults = ["nothing"] * (probes + 4) + ["slow"]
        killed = [sys.executable, "-m", "qbench", *command(server, "killed")]
        process = subprocess.Popen(killed, stdout=subprocess.DEVNULL, cwd=ROOT)
        assert server.waiting.wait(60)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        before = shown(server)
        assert before.total() == 5
        assert main(command(server, "killed")) == 0
        # The fifth was under way when the command died; nobody had its answer.
        assert shown(server) == asked + Counter(list(before)[-1:])

    assert capsys.readouterr().out == whole
