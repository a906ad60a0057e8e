"""What handlers of pages do and refuse, without a browser."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

import httpx
import pytest

from leaderboard.app import App
from leaderboard.pages.gradio_changes import FAULT
from leaderboard.pages.run_form import NAMES, request_of, values_of
from qbench.errors import UserError
from tests.leaderboard.live.test_run_request import REQUESTS


def test_the_form_says_what_is_run() -> None:
    for request in (*REQUESTS, replace(REQUESTS[0], limit=None)):
        values = values_of(request)
        assert request_of(json.dumps([values[name] for name in NAMES])) == request
    for broken in ("", "[]", "3", "[" * 100_000):  # it did not arrive whole
        with pytest.raises(UserError, match="reload the page and choose again"):
            request_of(broken)


def test_what_has_nothing_to_show_yet_is_hidden_and_of_examples_the_last_click_counts(served: str) -> None:
    config = httpx.get(f"{served}config").json()
    parts = {part["id"]: (part["type"], part["props"]) for part in config["components"]}
    empty = [
        props
        for kind, props in parts.values()
        if kind == "downloadbutton"
        or props.get("value") == "Stop"
        or str(props.get("elem_id")).endswith(("-plot", "-curves", "-radar"))
    ]
    assert len(empty) == 17
    assert [props["elem_id"] for props in empty if props["visible"]] == []
    named = {props.get("elem_id"): props.get("value") for _, props in parts.values()}
    assert {named[f"run-{name}"] for name in ("words", "prefill", "rounds", "seed")} == {""}
    modes = [
        (parts.get(of, "?")[0], event["trigger_mode"]) for event in config["dependencies"] for of, _ in event["targets"]
    ]
    assert [mode for kind, mode in modes if kind == "dataset"] == ["always_last"] * 2
    assert {mode for kind, mode in modes if kind == "button"} <= {"once", "multiple"}


JUNK: list[Any] = [None, "x" * 50, {"a": 1}, [1, 2, 3], -1, 1e308, True, "../../etc"]
EVENTS: list[Any] = [None, "x", {"index": 10**9}, {"value": None}]


def test_no_handler_fails_on_nonsense(served: str, served_app: App) -> None:
    chance = random.Random(1)
    with httpx.Client(base_url=f"{served}gradio_api/", timeout=60) as client:
        handlers = client.get(f"{served}config").json()["dependencies"]
        assert len(handlers) > 50
        for handler in handlers:
            session = f"nonsense-{handler['id']}"
            asked = {"fn_index": handler["id"], "session_hash": session, "event_data": chance.choice(EVENTS)}
            sent = client.post("queue/join", json={**asked, "data": [chance.choice(JUNK) for _ in handler["inputs"]]})
            said = sent.text if sent.is_error else _result(client, session)
            assert FAULT not in said, handler
    assert len(served_app.demo._queue.event_analytics) == 1  # 10,000 before, gone through after each event


def _result(client: httpx.Client, session: str) -> str:
    """What the session is told at the end."""
    with client.stream("GET", "queue/data", params={"session_hash": session}) as answer:
        messages = (json.loads(line[6:]) for line in answer.iter_lines() if line.startswith("data: "))
        return next((str(message) for message in messages if message["msg"] == "process_completed"), "")
