"""What a script sends to the handlers of pages, and no page would, is refused in a sentence; no handler fails on it."""

from __future__ import annotations

import json
import random
from typing import Any

import httpx
import pytest

from leaderboard.pages.gradio_changes import FAULT

JUNK: list[Any] = [None, "x" * 50, {"a": 1}, [1, 2, 3], -1, 1e308, True, "../../etc"]
EVENTS: list[Any] = [None, "x", {"index": 10**9}, {"value": None}]


@pytest.mark.parametrize("seed", range(1, 5))
def test_no_handler_fails_on_nonsense(served: str, seed: int) -> None:
    chance = random.Random(seed)
    with httpx.Client(base_url=f"{served}gradio_api/", timeout=60) as client:
        handlers = client.get(f"{served}config").json()["dependencies"]
        assert len(handlers) > 50
        for handler in handlers:
            session = f"nonsense-{seed}-{handler['id']}"
            asked = {"fn_index": handler["id"], "session_hash": session, "event_data": chance.choice(EVENTS)}
            sent = client.post("queue/join", json={**asked, "data": [chance.choice(JUNK) for _ in handler["inputs"]]})
            said = sent.text if sent.is_error else _result(client, session)
            assert FAULT not in said, handler


def _result(client: httpx.Client, session: str) -> str:
    """What the session is told at the end."""
    with client.stream("GET", "queue/data", params={"session_hash": session}) as answer:
        messages = (json.loads(line[6:]) for line in answer.iter_lines() if line.startswith("data: "))
        return next((str(message) for message in messages if message["msg"] == "process_completed"), "")
