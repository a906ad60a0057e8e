"""What pages ask of the server, to which anybody may send anything, and what stays in memory of those who asked."""

from __future__ import annotations

import asyncio
import json
import random
import tracemalloc
from dataclasses import replace
from itertools import product
from typing import Any
from weakref import WeakSet

import httpx
import pytest
from gradio.data_classes import PredictBodyInternal
from gradio.server_messages import ProcessCompletedMessage
from gradio.state_holder import SessionState

from leaderboard.account import BOUNDS
from leaderboard.app import App
from leaderboard.pages.gradio_changes import FAULT, MOST_SESSIONS, UNREAD, LittleQueue, Mailbox
from leaderboard.pages.run_form import NAMES, request_of, values_of
from tests.leaderboard.live.test_run_request import REQUESTS

PAGES = 20


def test_a_page_takes_a_tenth_of_a_megabyte_at_most(served_app: App) -> None:
    """0.6 MB before, and 10,000 of them were kept: one address that asked so often filled 6 GB."""
    SessionState(served_app.demo)
    tracemalloc.start()
    kept = [SessionState(served_app.demo) for _ in range(PAGES)]
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size / len(kept) < 100_000


def test_so_many_pages_are_kept_and_what_is_shown_on_them_is_not(served_app: App, served: str) -> None:
    holder = served_app.demo.app.state_holder
    assert holder.capacity == MOST_SESSIONS <= BOUNDS["page"].all
    before, asked = set(holder.session_data), f"{served}gradio_api/call/v2/leaderboard"
    number = httpx.post(asked, json={"board": "demo"}, timeout=None).json()["event_id"]
    assert "event: complete" in httpx.get(f"{asked}/{number}", timeout=None).text
    made = [session for name, session in holder.session_data.items() if name not in before]
    assert made
    assert [config for session in made for config in session.components] == []


def completed(size: int) -> ProcessCompletedMessage:
    return ProcessCompletedMessage(output={"data": "x" * size}, success=True)


def test_results_wait_within_bounds_of_a_session_and_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Mailbox, "boxes", WeakSet())
    one, other = Mailbox(), Mailbox()
    other.put_nowait(completed(2**20))
    for _ in range(9):
        one.put_nowait(completed(2**20))
    told = [one.get_nowait() for _ in range(9)]
    assert [message.success for message in told] == [False] * 8 + [True]  # the eighth was one too many
    assert told[0].output == UNREAD
    assert other.get_nowait().output == {"data": "x" * 2**20}
    boxes = [Mailbox() for _ in range(70)]
    for box in boxes:
        box.put_nowait(completed(2**20))
    kept = [box.get_nowait().success for box in boxes]
    assert kept == [False] * 7 + [True] * 63  # of 64 MB, less a thousand bytes for each message


def test_work_of_sessions_that_are_gone_is_forgotten() -> None:
    queue = LittleQueue(True, 1, 1, None, None)  # type: ignore[arg-type]  # it looks at no page
    queue.pending_event_ids_session = {"gone": {"a"}, "there": {"b"}}
    queue.pending_messages_per_session["there"] = Mailbox()
    asyncio.run(queue.push(PredictBodyInternal(data=[]), None, None))  # type: ignore[arg-type]  # it asks for nothing
    assert queue.pending_event_ids_session == {"there": {"b"}}


def test_the_form_says_what_is_run() -> None:
    for request in (*REQUESTS, replace(REQUESTS[0], limit=None)):
        values = values_of(request)
        assert request_of(*(values[name] for name in NAMES)) == request


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
    hidden = {props.get("elem_id") for _, props in parts.values() if not props.get("visible", True)}
    assert {"submit-form", "submit-own", "submit-sure", "run-unread"} <= hidden
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


PLAIN = [None, 1, -1, True, [], {}, "", "x" * 100_000, "../../etc/passwd", "\0"]
NONSENSE = [*PLAIN, [{}], {"study": {}}, {"photos": "x"}, {"photos": 10**9, "rounds": 10**9, "seed": 0, "answers": ""}]


def test_these_functions_are_asked_and_no_others_and_nonsense_is_refused_and_no_fault(served_app: App) -> None:
    blocks = served_app.demo.blocks.items()
    functions = {given.__name__: number for number, block in blocks for given in getattr(block, "server_fns", ())}
    assert functions.keys() == {"model_page", "comparison", "ask", "study_open", "study_ask", "study_send"}
    with httpx.Client(base_url=str(served_app.demo.local_url), headers={"Connection": "close"}) as client:
        for (name, number), sent in product(functions.items(), NONSENSE):
            body = {"data": sent, "component_id": number, "fn_name": name, "session_hash": "s"}
            answer = client.post("gradio_api/component_server", json=body)
            told = answer.status_code, answer.status_code == 400 and bool(answer.json()["error"])
            assert told in ((200, False), (400, True)), (name, sent)
