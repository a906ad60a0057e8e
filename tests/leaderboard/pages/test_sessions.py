"""What stays in memory of those who asked, for as long as the server runs."""

from __future__ import annotations

import json
import tracemalloc
from urllib.request import Request, urlopen

from gradio.state_holder import SessionState

from leaderboard.app import App
from leaderboard.http.account import BOUNDS
from leaderboard.pages.sessions import MOST_SESSIONS

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
