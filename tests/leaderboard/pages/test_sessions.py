"""What stays in memory of those who asked, for as long as the server runs."""

from __future__ import annotations

import asyncio
import json
import tracemalloc
from urllib.request import Request, urlopen
from weakref import WeakSet

import pytest
from gradio.data_classes import PredictBodyInternal
from gradio.server_messages import ProcessCompletedMessage
from gradio.state_holder import SessionState

from leaderboard.account import BOUNDS
from leaderboard.app import App
from leaderboard.pages.gradio_changes import MOST_SESSIONS, UNREAD, LittleQueue, Mailbox

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
    body = json.dumps({"board": "demo"}).encode()
    asked = Request(f"{served}gradio_api/call/v2/leaderboard", body, {"Content-Type": "application/json"})
    before = set(holder.session_data)
    with urlopen(asked) as answer:
        number = json.load(answer)["event_id"]
    with urlopen(f"{served}gradio_api/call/v2/leaderboard/{number}") as answer:
        assert b"event: complete" in answer.read()
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
