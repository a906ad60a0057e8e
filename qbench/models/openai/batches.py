"""Answers by batches, which OpenAI gives within a day at half the price: `/files` and `/batches`.

A request is named by its content, and every batch is noted with its requests in a file before it is waited for. So the
same command finds the batches of one that was stopped, and asks nothing twice; what comes is kept in the cache under
the same keys as answers given at once.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any, TypeVar

from pydantic import ValidationError

from qbench.errors import DataError, ProviderError, UserError
from qbench.models.openai.chats import ServedChat
from qbench.models.openai.endpoint import Endpoint
from qbench.models.openai.protocol import Json, chat_messages
from qbench.models.openai.server import AnswerError, AnswerT, Server
from qbench.models.retrying import with_retries
from qbench.records import Prompt, Response

_MOST_REQUESTS, _MOST_BYTES = 2_000, 190 * 10**6
"""Of one batch: a service takes files of 200 MB, and its answers are read up to 16 MB."""
_POLL_SECONDS = 30.0
_ENDED = ("completed", "expired", "cancelled", "failed")
_LOST: Json = {"error": {"message": "its batch ended without an answer"}}
ToldT = TypeVar("ToldT")


class _NotYetError(Exception):
    """The answer is in no batch that has ended."""


class _Answers(Server):
    """A server's place while all prompts are gone through: answers that came before; what is not there is sent.

    Requests are written to a file, which is sent as a batch whenever it is full.
    """

    def __init__(self, model: BatchedEndpoint, server: Server, batch_of: dict[str, str]) -> None:
        self.url, self.root, self.host = server.url, server.root, server.host
        self._model = model
        self.batch_of = batch_of
        """Name of a request -> the last batch that it was sent in."""
        self.known: dict[str, Json] = {}
        self.mine: set[str] = set()
        """Batches that were sent now, and not by an earlier run."""
        self.repeat = 0
        """Draws of one prompt are requests that differ in nothing else."""

    def begin(self, file: IO[bytes]) -> None:
        """Go through the prompts once more, with a file for what is to be sent."""
        self._file, self._names = file, list[str]()
        self.batches = set[str]()
        """Those with answers that are waited for."""

    def ask(self, address: str, schema: type[AnswerT], payload: Mapping[str, Any] | None = None) -> AnswerT:
        text = json.dumps([address, payload, self.repeat], sort_keys=True)
        name = hashlib.sha256(text.encode()).hexdigest()
        if name not in self.known:
            self._want(name, dict(payload or {}))
            raise _NotYetError
        line = self.known[name]
        told = line.get("response") or {}
        status, body = told.get("status_code", 0), told.get("body") or {}
        if status != 200:
            fault = line.get("error") or body.get("error") or {}
            said = f"{self.url} answered {status}: {fault.get('message') or 'no reason'}"
            raise AnswerError("permanent", said, status, str(fault.get("code") or ""))
        try:
            return schema.model_validate(body)
        except ValidationError as error:
            raise AnswerError("permanent", f"{self.url} answered with {error.errors()[0]['msg']}", status) from None

    def _want(self, name: str, payload: Json) -> None:
        if name in self.batch_of:
            self.batches.add(self.batch_of[name])
            return
        row = {"custom_id": name, "method": "POST", "url": "/v1/chat/completions", "body": payload}
        line = (json.dumps(row) + "\n").encode()
        if len(self._names) == _MOST_REQUESTS or self._file.tell() + len(line) > _MOST_BYTES:
            self.send()
        self._file.write(line)
        self._names.append(name)

    def send(self) -> None:
        """Send what is not sent."""
        if not self._names:
            return
        batch = self._model.submit(self._file, self._names)
        self.batches.add(batch)
        self.mine.add(batch)
        self.batch_of.update(dict.fromkeys(self._names, batch))
        self._names = []
        self._file.seek(0)
        self._file.truncate()


class BatchedEndpoint(Endpoint):
    """A model at one server that takes batches."""

    batch_size = 50_000

    def __init__(self, name: str, server: Server, notes: Path, **more: Any) -> None:
        super().__init__(name, [server], **{**more, "workers": 1})
        self._server = server
        self._notes = notes

    def respond(self, prompts: Sequence[Prompt]) -> list[Response]:
        """See `Endpoint`; waits until the last answer is there. UserError where the service refuses batches."""
        able = self.capabilities
        answers = _Answers(self, self._server, self._noted())
        chat = ServedChat(answers, self._fields, able)
        try:
            while True:
                with tempfile.TemporaryFile() as file:
                    answers.begin(file)
                    responses = [_answer(chat, answers, prompt) for prompt in prompts]
                    answers.send()
                if not answers.batches:
                    return responses
                for batch in sorted(answers.batches):
                    is_mine = batch in answers.mine
                    found = self._collect(batch, mine=is_mine)
                    if not is_mine:  # what failed in an earlier run is asked again
                        status = {name: (line.get("response") or {}).get("status_code") for name, line in found.items()}
                        found = {name: line for name, line in found.items() if status[name] == 200}
                    answers.known |= found
                    for name in [name for name, its in answers.batch_of.items() if its == batch and name not in found]:
                        if is_mine:
                            answers.known[name] = _LOST
                        else:
                            del answers.batch_of[name]  # asked again
        except ProviderError as error:
            fix = "where it takes no batches, leave out --batch" if error.kind == "permanent" else "try again"
            raise UserError(
                f"{error}; {fix}; batches under way are noted, and the same command collects them"
            ) from None

    def submit(self, file: IO[bytes], names: Sequence[str]) -> str:
        """Send a file of requests as a batch, note it, and give its id."""
        file.seek(0)
        kept = self._through(lambda client: client.files.create(file=("requests.jsonl", file), purpose="batch"))
        made = self._through(
            lambda client: client.batches.create(
                input_file_id=kept.id, endpoint="/v1/chat/completions", completion_window="24h"
            )
        )
        self._notes.parent.mkdir(parents=True, exist_ok=True)
        with self._notes.open("a", encoding="utf-8") as notes:
            notes.write(json.dumps({"server": self._server.url, "batch": made.id, "requests": names}) + "\n")
        return str(made.id)

    def _noted(self) -> dict[str, str]:
        """Name of a request -> the last batch that it was sent in."""
        lines = self._notes.read_text(encoding="utf-8").splitlines() if self._notes.exists() else []
        rows = [row for row in map(json.loads, lines) if row["server"] == self._server.url]
        return {name: row["batch"] for row in rows for name in row["requests"]}

    def _collect(self, batch: str, *, mine: bool) -> dict[str, Json]:
        """Name of a request -> its line of a batch, once that has ended."""
        while (now := self._through(lambda client: client.batches.retrieve(batch))).status not in _ENDED:
            self._wait(_POLL_SECONDS)
        if now.status == "failed" and mine:
            faults = (now.errors.data if now.errors else None) or []
            raise UserError(
                f"{self._server.url} refused a batch: {faults[0].message if faults else 'no reason'}; the others are "
                "noted, so mend the cause and run the same command again"
            )
        found: dict[str, Json] = {}
        for kept in filter(None, (now.output_file_id, now.error_file_id)):
            text = self._through(lambda client, kept=kept: client.files.content(kept).text)  # type: ignore[misc]
            found |= {line["custom_id"]: line for line in map(json.loads, text.splitlines())}
        return found

    def _through(self, ask: Callable[[Any], ToldT]) -> ToldT:
        return with_retries(partial(self._server.through, ask), self._wait, self.retries)


def _answer(chat: ServedChat, answers: _Answers, prompt: Prompt) -> Response:
    """The answer to a prompt, or an empty one while it is not there."""
    answers.repeat = prompt.repeat
    try:
        return chat.answer(prompt, chat_messages(prompt))
    except _NotYetError:
        return Response()
    except (DataError, ProviderError) as error:
        return Response(failure=str(error))
