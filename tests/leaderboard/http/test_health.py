"""What the server tells of itself, and to whom."""

from __future__ import annotations

import json
from collections import Counter
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from leaderboard.app import App
from leaderboard.http.health import HELP, metrics_page


def test_the_server_says_how_it_is_and_counts_only_where_that_is_turned_on(served: str, served_app: App) -> None:
    said = json.load(urlopen(f"{served}healthz"))
    assert said == {"status": "ok", "problems": 0, "waiting": 0, "unsent": 0, "lag_seconds": 0}
    with pytest.raises(HTTPError, match="404"):
        urlopen(f"{served}metrics")


def test_counters_are_those_that_prometheus_reads() -> None:
    statuses = Counter([200, 304, 404, 400, 403, 413, 413, 429, 503])
    page = metrics_page(dict.fromkeys(HELP, 0.0) | {"qbench_submissions_waiting": 3.0}, statuses)
    assert 'qbench_requests_total{status="413"} 2' in page
    assert "qbench_refused_total 6" in page.splitlines()
    assert "qbench_submissions_waiting 3" in page.splitlines()
    assert page.count("# TYPE") == len(HELP)
