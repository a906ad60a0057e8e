"""Requests that other web pages send, and what the server tells of itself."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import Any
from urllib.request import urlopen

import pytest

from leaderboard.account import Account
from leaderboard.http.answers import HELP, metrics_page
from leaderboard.http.request_limits import FOREIGN, RequestLimits
from tests.leaderboard.http.asgi import ask


@pytest.mark.parametrize(
    ("method", "about", "passed", "kept"),
    [
        ("POST", {}, True, True),  # a script
        ("POST", {"origin": "https://board.hf.space", "sec-fetch-site": "same-origin"}, True, True),
        ("POST", {"origin": "http://board.hf.space:80"}, True, True),
        ("POST", {"origin": "https://evil.example"}, False, False),
        ("POST", {"origin": "https://huggingface.co"}, False, False),  # frames the page, and asks nothing itself
        ("POST", {"origin": "http://board.hf.space:8080"}, False, False),
        ("POST", {"origin": "http://board.hf.space.evil.example"}, False, False),
        # Our proxy's word.
        ("POST", {"origin": "https://evil.example", "x-forwarded-host": "evil.example"}, True, True),
        ("POST", {"origin": "null"}, False, False),
        ("POST", {"origin": "nonsense"}, False, False),
        ("POST", {"sec-fetch-site": "cross-site"}, False, False),
        ("POST", {"sec-fetch-site": "same-site"}, False, False),
        ("POST", {"origin": "https://lab.example", "sec-fetch-site": "cross-site"}, True, False),  # named by the owner
        ("OPTIONS", {"origin": "https://evil.example"}, False, False),
        ("GET", {"origin": "https://evil.example", "sec-fetch-mode": "cors"}, True, False),
        ("GET", {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}, True, False),
        ("GET", {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, True, True),  # back from the log-in
    ],
)
def test_other_web_pages_ask_for_nothing_and_never_read_as_whoever_is_logged_in(
    method: str, about: dict[str, str], passed: bool, kept: bool
) -> None:
    seen: list[list[tuple[bytes, bytes]]] = []

    async def app(scope: Any, _receive: Any, _send: Any) -> None:
        seen.append(scope["headers"])

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"{}"}

    headers = {"host": "board.hf.space", "cookie": "session=ada", "content-type": "application/json", **about}
    limits = RequestLimits(app, 1, Account(), origins=("https://lab.example",))
    status, said = asyncio.run(ask(limits, "/gradio_api/queue/join", headers, receive, method=method))
    assert bool(seen) == passed
    if passed:
        assert ((b"cookie", b"session=ada") in seen[0]) == kept
    else:
        assert (status, json.loads(said)["detail"]) == (403, FOREIGN)


def test_the_server_says_how_it_is_and_counts(served: str) -> None:
    said = json.load(urlopen(f"{served}healthz"))
    waiting = said.pop("waiting")  # as many as other tests handed in
    assert said == {"status": "ok", "problems": 0, "unsent": 0, "lag_seconds": 0}
    assert f"\nqbench_submissions_waiting {waiting}\n" in urlopen(f"{served}metrics").read().decode()


def test_counters_are_those_that_prometheus_reads() -> None:
    statuses = Counter([200, 304, 404, 400, 403, 413, 413, 429, 503])
    page = metrics_page(dict.fromkeys(HELP, 0.0) | {"qbench_submissions_waiting": 3.0}, statuses)
    assert "# TYPE qbench_requests_total counter\n" in page
    assert 'qbench_requests_total{status="413"} 2\n' in page
    assert "# TYPE qbench_refused_total counter\nqbench_refused_total 6\n" in page
    assert "# TYPE qbench_submissions_waiting gauge\nqbench_submissions_waiting 3\n" in page
    assert page.count("# TYPE") == len(HELP)
