"""What pages ask of the server apart from events: anybody may send anything to it."""

from __future__ import annotations

import httpx
import pytest

from leaderboard.app import App

PLAIN = [None, 1, -1, True, [], {}, "", "x" * 100_000, "../../etc/passwd", "\0"]
NONSENSE = [*PLAIN, [{}], {"study": {}}, {"photos": "x"}, {"photos": 10**9, "rounds": 10**9, "seed": 0, "answers": ""}]
NAMES = ["model_page", "comparison", "ask", "study_open", "study_ask", "study_send"]


def functions(app: App) -> list[tuple[int, str]]:
    """Each function of the server that pages ask: its component, and its name."""
    found = app.demo.blocks.items()
    return [(number, function.__name__) for number, block in found for function in getattr(block, "server_fns", ())]


@pytest.mark.parametrize("name", NAMES)
def test_these_are_asked_and_no_others_and_nonsense_is_refused_and_no_fault(served_app: App, name: str) -> None:
    assert sorted({found for _, found in functions(served_app)}) == sorted(NAMES)
    number = next(number for number, found in functions(served_app) if found == name)
    with httpx.Client(base_url=str(served_app.demo.local_url), headers={"Connection": "close"}) as client:
        for sent in NONSENSE:
            body = {"data": sent, "component_id": number, "fn_name": name, "session_hash": "s"}
            answer = client.post("gradio_api/component_server", json=body)
            assert answer.status_code == 200 or (answer.status_code, bool(answer.json()["error"])) == (400, True), sent
