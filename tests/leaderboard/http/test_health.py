"""What the server tells of itself, and to whom."""

from __future__ import annotations

import json
from collections import Counter
from urllib.request import urlopen

from leaderboard.http.health import HELP, metrics_page


def test_the_server_says_how_it_is_and_counts(served: str) -> None:
    said = json.load(urlopen(f"{served}healthz"))
    assert said == {"status": "ok", "problems": 0, "waiting": 0, "unsent": 0, "lag_seconds": 0}
    assert b"\nqbench_submissions_waiting 0\n" in urlopen(f"{served}metrics").read()


def test_counters_are_those_that_prometheus_reads() -> None:
    statuses = Counter([200, 304, 404, 400, 403, 413, 413, 429, 503])
    page = metrics_page(dict.fromkeys(HELP, 0.0) | {"qbench_submissions_waiting": 3.0}, statuses)
    assert 'qbench_requests_total{status="413"} 2' in page
    assert "qbench_refused_total 6" in page.splitlines()
    assert "qbench_submissions_waiting 3" in page.splitlines()
    assert page.count("# TYPE") == len(HELP)
