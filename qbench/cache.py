"""Raw responses, kept by everything that can change them: an append-only JSONL that is cache and resume in one.

The key is the model's identity and the prompt with its images' digests; how many are asked at once, on which server
or in which order stays out. A line is written in one piece under a lock, so several runs may share a file, and a line
cut short by a crash is dropped on reading. The system has every line at once and the disk at the end: a process that is
killed loses nothing, and after a power cut the answers of the last seconds are asked again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from qbench.errors import UserError
from qbench.records import Picture, Prompt, Response

KEY_VERSION = 1
"""Raise it when the meaning of a prompt or response changes, and old answers are asked anew."""
ANSWERS = "responses.jsonl"
"""The file of all answers, in a folder of results."""


def response_key(identity: Mapping[str, Any], prompt: Prompt) -> str:
    """Content address of one answer."""
    parts = [{"image": part.sha256} if isinstance(part, Picture) else {"text": part} for part in prompt.parts]
    content = {"version": KEY_VERSION, "model": dict(identity), "prompt": {**asdict(prompt), "parts": parts}}
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


class Cache:
    """Responses by key, in memory and in one file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._responses: dict[str, Response] = {}
        self._read_to = 0
        path.parent.mkdir(parents=True, exist_ok=True)
        self.refresh()

    def __len__(self) -> int:
        return len(self._responses)

    def get(self, key: str) -> Response | None:
        """The response asked before, if any."""
        return self._responses.get(key)

    def put(self, responses: Mapping[str, Response]) -> None:
        """Keep responses; the system has them when this returns. Failures are not kept, so that they are asked again.

        What another run has kept since under the same key stays, and is what `get` gives from then on.
        """
        kept = {key: response for key, response in responses.items() if response.failure is None}
        if not kept.keys() - self._responses.keys():
            return
        with FileLock(self.path.with_name(f".{self.path.name}.lock")), self.path.open("a+b") as file:
            self.refresh()
            new = {key: response for key, response in kept.items() if key not in self._responses}
            rows = ({"key": key, "response": to_json(response)} for key, response in new.items())
            lines = "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)
            if file.tell():
                file.seek(-1, os.SEEK_END)
                lines = lines if file.read(1) == b"\n" else f"\n{lines}"  # after a line that a crash cut short
            file.write(lines.encode())
            file.flush()
            self._read_to = file.tell()
            self._responses |= new

    def sync(self) -> None:
        """Have all that was kept on disk."""
        if self.path.exists():
            with self.path.open("ab") as file:
                os.fsync(file.fileno())

    def refresh(self) -> None:
        """Read what other runs have added since."""
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            file.seek(self._read_to)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                self._read_to += len(line)
                try:
                    row = json.loads(line)
                    self._responses[row["key"]] = Response(**row["response"])
                except (ValueError, KeyError, TypeError, RecursionError):
                    continue  # cut short by a crash, or of another version: asked again


@contextmanager
def asked_by_one(folder: Path, what: Sequence[object]) -> Iterator[None]:
    """Within the block no other run asks the same things of the same model and keeps the answers in this folder."""
    folder.mkdir(parents=True, exist_ok=True)
    name = hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:16]
    try:
        held = FileLock(folder / f".asked-{name}.lock").acquire(timeout=0)
    except Timeout:
        raise UserError(
            f"another run asks the same model about the same dataset and keeps the answers in {folder}, so both would "
            "be paid for; wait for it, and the same command finds its answers, or choose another --out"
        ) from None
    with held:
        yield


def to_json(response: Response) -> dict[str, Any]:
    """A response's own content; which sample asked for it is not part of it."""
    return {name: value for name, value in asdict(response).items() if name != "sample" and value not in (None, {}, ())}
