"""Batches, by the official client and a server that takes them as OpenAI's does."""

from __future__ import annotations

import email
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from qbench.__main__ import main
from qbench.errors import UserError
from qbench.models.openai import batches
from qbench.models.openai.batches import BatchedEndpoint
from qbench.models.openai.server import Server
from qbench.records import Picture, Prompt, Response
from tests.models.openai.clients import RATE, model_at, soon, words
from tests.models.openai.server import OPENAI, Handler, OpenAIServer, RefusedError, SeenRequest


class TakesBatches(Handler):
    """Files and batches; each batch is asked for twice before it has ended."""

    files: dict[str, bytes]
    batches: dict[str, dict[str, Any]]
    ends: str
    broken: tuple[str, ...]
    """Questions that its model refuses."""

    def do_POST(self) -> None:
        if self.path != "/v1/files":
            super().do_POST()
            return
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.ends == "absent":
            self.send(404, {"error": {"message": "Not Found"}})
            return
        form = email.message_from_bytes(f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode() + body)
        parts = {
            part.get_param("name", header="content-disposition"): part.get_payload(decode=True)
            for part in form.get_payload()
        }
        assert parts["purpose"] == b"batch"
        self.owner.seen.append(SeenRequest(self.path, {}, None))
        self.send(200, self._file(parts["file"]))

    def _file(self, content: bytes) -> dict[str, Any]:
        name = f"file-{len(self.files)}"
        self.files[name] = content
        about = {"bytes": len(content), "created_at": 0, "filename": "f", "purpose": "batch", "status": "processed"}
        return {"id": name, "object": "file", **about}

    def _answer(self, payload: Any) -> Any:
        if self.path == "/v1/batches":
            assert (payload["endpoint"], payload["completion_window"]) == ("/v1/chat/completions", "24h")
            name = f"batch-{len(self.batches)}"
            times = {"created_at": 0, "completion_window": "24h", "endpoint": payload["endpoint"]}
            of = {"id": name, "object": "batch", "input_file_id": payload["input_file_id"], **times}
            self.batches[name] = {**of, "status": "validating"}
            return self.batches[name]
        if self.path.startswith("/v1/batches/"):
            return self._followed(self.batches[self.path.rpartition("/")[2]])
        return super()._answer(payload)

    def _followed(self, batch: dict[str, Any]) -> dict[str, Any]:
        if batch["status"] == "validating":
            batch["status"] = "in_progress"
        elif batch["status"] == "in_progress" and self.ends != "never":
            batch["status"] = self.ends
            fault = {"code": "token_limit_exceeded", "message": "Too many tokens."}
            batch["errors"] = {"object": "list", "data": [fault]}
            lines = [] if self.ends != "completed" else self.files[batch["input_file_id"]].splitlines()
            names = [json.loads(line)["custom_id"] for line in lines]
            assert len({*names}) == len(names), "the service refuses a file that names two requests alike"
            done = self._file(b"\n".join(map(self._line, reversed(lines))))  # in no order
            batch["output_file_id"] = done["id"]
        return batch

    def _line(self, line: bytes) -> bytes:
        row = json.loads(line)
        assert (row["method"], row["url"]) == ("POST", "/v1/chat/completions")
        try:
            if row["body"]["messages"][-1]["content"] in self.broken:
                raise RefusedError(400, "That question is refused.")
            response = {"status_code": 200, "body": self.owner.chat(row["body"])}
        except RefusedError as refusal:
            response = {"status_code": refusal.status, "body": {"error": {"message": str(refusal)}}}
        return json.dumps({"custom_id": row["custom_id"], "response": response, "error": None}).encode()

    def do_GET(self) -> None:
        if self.path.endswith("/content"):
            self.send(200, self.files[self.path.split("/")[-2]])
        else:
            super().do_GET()


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    monkeypatch.setattr(batches, "_POLL_SECONDS", 0.0)
    kept = {"files": {}, "batches": {}, "ends": "completed", "broken": ()}
    with OpenAIServer(OPENAI, handler=type("Kept", (TakesBatches,), kept)) as server:
        yield server


def sent(service: OpenAIServer) -> list[int]:
    """How many requests each batch has."""
    files = service.handler.files
    return [len(files[batch["input_file_id"]].splitlines()) for batch in service.handler.batches.values()]


def respond(service: OpenAIServer, folder: Path, prompts: list[Prompt]) -> list[Response]:
    return BatchedEndpoint("tiny/vlm", Server(service.url), folder / "batches.jsonl", wait=soon).respond(prompts)


def test_answers_are_those_that_come_at_once(service: OpenAIServer, tmp_path: Path, picture: Picture) -> None:
    prompts = [Prompt("text", (RATE, picture)), words(prefill=""), Prompt("text", (RATE,), repeat=1)]
    prompts += [Prompt("text", (RATE,), repeat=2)]
    model = BatchedEndpoint("tiny/vlm", Server(service.url), tmp_path / "batches.jsonl", wait=soon)
    assert model.identity == model_at(service).identity, "and so are the keys of the cache"
    assert model.respond(prompts) == model_at(service).respond(prompts)
    assert sent(service) == [4], "draws are requests of their own"


def test_a_stopped_run_finds_its_batches_and_asks_only_what_has_no_answer(
    service: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "_MOST_REQUESTS", 3)
    prompts = [Prompt("text", (f"Question {number}",)) for number in range(7)]
    service.handler.ends = "never"

    def stop(_seconds: float) -> None:
        raise KeyboardInterrupt

    model = BatchedEndpoint("tiny/vlm", Server(service.url), tmp_path / "batches.jsonl", wait=stop)
    with pytest.raises(KeyboardInterrupt):
        model.respond(prompts)
    assert sent(service) == [3, 3, 1]
    service.handler.ends = "completed"
    more = [*prompts, Prompt("text", ("One more",))]
    assert [answer.text for answer in respond(service, tmp_path, more)] == ["good"] * 8
    assert sent(service) == [3, 3, 1, 1]


def test_a_refused_batch_says_why_and_is_sent_again(service: OpenAIServer, tmp_path: Path) -> None:
    prompts = [Prompt("text", (RATE,))]
    service.handler.ends = "failed"
    with pytest.raises(UserError, match=r"refused a batch: Too many tokens\.; the others are noted"):
        respond(service, tmp_path, prompts)
    service.handler.ends = "expired"
    [lost] = respond(service, tmp_path, prompts)
    assert "its batch ended without an answer" in (lost.failure or "")
    service.handler.ends = "completed"
    assert respond(service, tmp_path, prompts)[0].text == "good"
    assert sent(service) == [1, 1, 1]


def test_one_request_that_is_refused_fails_alone_and_is_asked_again(service: OpenAIServer, tmp_path: Path) -> None:
    prompts = [Prompt("text", (f"Question {number}",)) for number in range(3)]
    service.handler.broken = ("Question 1",)
    found = respond(service, tmp_path, prompts)
    assert [answer.text for answer in found] == ["good", None, "good"]
    assert found[1] == Response(failure=f"{service.url} answered 400: That question is refused.")
    service.handler.broken = ()
    assert [answer.text for answer in respond(service, tmp_path, prompts)] == ["good"] * 3
    assert sent(service) == [3, 1]


def test_batches_from_the_command_line(
    service: OpenAIServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = ["run", "--task", "comparison", "--dataset", "demo-comparison", "--limit", "6", "--rounds", "1", "--json"]
    told += ["--model", service.model, "--endpoint", service.url, "--out", str(tmp_path)]
    assert main([*told, "--batch"]) == 0
    [record] = json.loads(capsys.readouterr().out)
    assert (record["status"]["asked"], record["status"]["failed"]) == (sum(sent(service)), 0)
    assert (tmp_path / "batches.jsonl").is_file()
    shown = len(service.chats)
    assert main(told) == 0, "the same answers, from the cache"
    assert json.loads(capsys.readouterr().out) == [record]
    assert not any(isinstance(chat.payload["messages"][0]["content"], list) for chat in service.chats[shown:])
    assert main([*told, "--batch", "--workers", "2"]) == 2
    assert "--batch asks one service" in capsys.readouterr().err


def test_a_judge_grades_by_batches(service: OpenAIServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Three criteria, five times each, of two descriptions in the same words, whose relevance is asked once."""
    told = ["run", "--task", "description", "--dataset", "demo-description", "--limit", "2", "--json"]
    told += ["--model", "scripted", "--out", str(tmp_path), "--judge-batch"]
    assert main(told) == 2
    assert "-batch are about a judge; name it with --judge" in capsys.readouterr().err
    assert main([*told, "--judge", service.model, "--judge-endpoint", service.url]) == 0
    [record] = json.loads(capsys.readouterr().out)
    assert sent(service) == [25]
    assert record["status"]["failed"] == 0
